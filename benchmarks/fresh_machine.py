"""How long a fresh machine takes over one SQL script: nothing is installed, and every cache is empty.

``python -m benchmarks.fresh_machine`` builds the wheel, installs it into an environment of its own (first the light
package, then with ``[flink]``) below a new home folder, and runs ``check`` and the hook there as whole processes by the
clock. The first ``check`` with ``[flink]`` downloads Flink. Prints a line for each: seconds, exit code, what it spoken.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.waiting import ROOT, git

_SCRIPT = """-- totals
CREATE TABLE orders (k INT, v INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE totals (k INT, total INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
INSERT INTO totals SELECT k, SUM(v) FROM orders GROUP BY k;
"""
_COMMENT, _QUERY, _OTHER_QUERY = ("-- totals", "-- sums"), ("SUM(v)", "MAX(v)"), ("SUM(v)", "MIN(v)")
_CHECK = ("check", "--base", "HEAD~1")
_HOOK = ("hook", "pre-commit")


class Machine:
    """A home folder with an environment and a repository of one script in it."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.repo = folder / "venv" / "bin", folder / "repo"
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name == "JAVA_HOME"}
        self.environment = {**pip, "HOME": str(folder), "PATH": f"{self.bin}:{os.environ['PATH']}"}
        self.repo.mkdir()
        git(self.repo, "init", "-q")

    def run(self, what: str, *command: str) -> None:
        """Run a program of the environment and print how long it took, how it ended and its last line."""
        start = time.monotonic()
        done = subprocess.run(
            [self.bin / command[0], *command[1:]], cwd=self.repo, env=self.environment, capture_output=True, text=True
        )
        spoken = (done.stdout.strip() or done.stderr.strip() or "nothing").splitlines()[-1]
        print(f"{what}: {time.monotonic() - start:.1f} s, exit {done.returncode}: {spoken}", flush=True)

    def edit(self, replaced: tuple[str, str]) -> None:
        """Commit the script as it is at first, then stage an edit of it."""
        script = self.repo / "totals.sql"
        script.write_text(_SCRIPT)
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-q", "--allow-empty", "-m", "before")
        script.write_text(_SCRIPT.replace(*replaced))
        git(self.repo, "add", "-A")

    def both(self, package: str) -> None:
        """The hook, then ``check``, on an edit of a comment and on one of the query, each ``check`` twice."""
        for what, replaced in (("a comment", _COMMENT), ("a query", _QUERY)):
            self.edit(replaced)
            self.run(f"{package}, hook on {what}", "savepoint-checker", *_HOOK)
            git(self.repo, "commit", "-q", "-m", "after")
            for turn in ("first", "second"):
                self.run(f"{package}, {turn} check of {what}", "savepoint-checker", *_CHECK)
        self.edit(_OTHER_QUERY)
        self.run(f"{package}, hook on another query", "savepoint-checker", *_HOOK)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", scratch, str(ROOT)]
        subprocess.run(wheel, check=True)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        wheels = next(folder.glob("*.whl"))
        machine = Machine(folder)
        machine.run("pip install, the light package", "pip", "install", "--quiet", str(wheels))
        machine.both("light")
        machine.run("pip install, with [flink]", "pip", "install", "--quiet", f"{wheels}[flink]")
        machine.both("[flink]")


if __name__ == "__main__":
    main()
