"""How long a person waits: whole processes on real and on generated repositories, beside another checkout of this tool.

    python -m benchmarks.waiting [--repository [NAME=]PATH ...] [--generated FILES,JOBS ...] [--against PYTHON]
        [--flink VERSION] [--only TEXT]

Every repository is cloned without a work tree into a scratch folder and edited there through git's index: a comment,
code that no pipeline reaches, one operator of a job, three build files. Each command runs with an empty cache (cold),
and again after a different edit of the same kind (warm). Where other work keeps the machine busy, processor seconds say
more than the clock. ``--against`` is the interpreter of another checkout's environment, such as
``../old/.venv/bin/python``; it runs the same commands. Rows with a goal say whether it is met.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.java_repository import repository
from checker.extract.texts import same_code

ROOT = Path(__file__).resolve().parent.parent
_RUN = "from checker.cli import main; main()"
_OPERATOR = re.compile(rb"\.(?:map|filter|flatMap|keyBy)\s*\(")
_IN_TESTS = re.compile(r"(^|/)(src/test|tests?)/")
_TYPE = re.compile(rb"\bclass\s+\w+[^{]*\{")


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of a command."""

    seconds: float
    processor: float
    lines: int

    def __str__(self) -> str:
        return f"{self.seconds:7.2f} {self.processor:7.2f} {self.lines:6d}"


def git(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """What a git command prints. Raises CalledProcessError."""
    names = ("-c", "user.name=b", "-c", "user.email=b@example.org")
    return subprocess.run(["git", *names, *arguments], cwd=folder, input=given, capture_output=True, check=True).stdout


class Edited:
    """A repository whose index is edited and put back."""

    def __init__(self, folder: Path, flink: str | None) -> None:
        self.folder = folder
        git(folder, "read-tree", "HEAD")
        self.head = git(folder, "rev-parse", "HEAD").decode().strip()
        if flink is not None:
            self.stage({"savepoint-checker.toml": f'flink = "{flink}"\n'.encode()})
            git(folder, "update-ref", "HEAD", self.commit())
        self.head = git(folder, "rev-parse", "HEAD").decode().strip()
        self.paths = git(folder, "ls-files", "-z").decode("utf-8", "replace").split("\0")

    @property
    def java(self) -> list[str]:
        """Java files outside of tests."""
        return [p for p in self.paths if p.endswith(".java") and not _IN_TESTS.search(p)]

    def mentioning(self, text: str) -> set[str]:
        """Files of HEAD with a text in them."""
        try:
            found = git(self.folder, "grep", "-lz", "-F", text, self.head, "--", "*.java").decode("utf-8", "replace")
        except subprocess.CalledProcessError:
            return set()
        return {entry.partition(":")[2] for entry in found.split("\0") if entry}

    def read(self, path: str) -> bytes:
        """A file of HEAD."""
        return git(self.folder, "cat-file", "blob", f"{self.head}:{path}")

    def stage(self, contents: dict[str, bytes]) -> None:
        """Make the index HEAD with other contents of some files."""
        git(self.folder, "read-tree", self.head)
        for path, data in contents.items():
            blob = git(self.folder, "hash-object", "-w", "--stdin", given=data).decode().strip()
            git(self.folder, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")

    def commit(self) -> str:
        """The index as a commit on HEAD."""
        tree = git(self.folder, "write-tree").decode().strip()
        return git(self.folder, "commit-tree", tree, "-p", self.head, "-m", "edit").decode().strip()


def edits(repo: Edited) -> Iterator[tuple[str, list[dict[str, bytes]]]]:
    """Kinds of edits, each with two examples: one to fill the cache, another to be measured."""
    flink = repo.mentioning("StreamExecutionEnvironment") & repo.mentioning(" main(") & set(repo.java)
    with_operator = ((p, _with_operator(repo.read(p))) for p in repo.java if p in flink)
    jobs = list(islice(((p, data) for p, data in with_operator if not same_code(p, repo.read(p), data)), 45))
    if len(jobs) < 2:
        return
    commented = [{p: b"// moved\n" + repo.read(p)} for p, _ in (jobs[0], jobs[-1])]
    yield "comment", commented
    with_flink = repo.mentioning("flink")
    alone = (p for p in reversed(repo.java) if p not in with_flink and repo.mentioning(Path(p).stem) <= {p})
    unrelated = [{p: _with_field(repo.read(p))} for p in list(islice(alone, 2)) or repo.java[:2]]
    yield "unrelated code", unrelated
    yield "one job", [{p: data} for p, data in (jobs[0], jobs[-1])]
    builds = [p for p in repo.paths if p.rpartition("/")[2] in ("pom.xml", "build.gradle")][:3]
    if builds:
        yield "build files", [{p: repo.read(p) + comment for p in builds} for comment in (b"\n", b"\n\n")]


def _with_operator(data: bytes) -> bytes:
    """One operator more; the same code where the first one stands in a comment."""
    return _OPERATOR.sub(lambda m: b".rebalance()" + m.group(), data, count=1)


def _with_field(data: bytes) -> bytes:
    return _TYPE.sub(lambda m: m.group() + b" private static final int ADDED_HERE = 1;", data, count=1)


def _processor() -> float:
    """Seconds of all processes that came to their end."""
    used = os.times()
    return used.children_user + used.children_system


@dataclass(frozen=True, slots=True)
class Tool:
    """One checkout of this tool, by the interpreter of its environment."""

    python: str
    checkout: Path
    name: str

    def run(self, *arguments: str) -> Measured:
        """Run a command as a person in a pipe does."""
        start, before = time.perf_counter(), _processor()
        done = subprocess.run(
            [self.python, "-c", _RUN, *arguments], cwd=self.checkout, capture_output=True, text=True, check=False,
            env=self.environment(),
        )  # fmt: skip
        if done.returncode not in (0, 1):
            print(f"   {self.name}: exit {done.returncode}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return Measured(time.perf_counter() - start, _processor() - before, len(done.stdout.splitlines()))

    def environment(self) -> dict[str, str]:
        """That of this process; modules are compiled once, as an installation does it."""
        own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return {**own, "SAVEPOINT_CHECKER_CACHE": str(self.cache)}

    @property
    def cache(self) -> Path:
        """Where it may keep what it knows."""
        return Path(tempfile.gettempdir()) / f"savepoint-checker-benchmark-{self.name}"

    def forget(self, repo: Path) -> None:
        """Empty its cache."""
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.rmtree(repo / ".git" / "savepoint-checker", ignore_errors=True)


def measure(tool: Tool, repo: Edited, both: list[dict[str, bytes]], command: str) -> tuple[Measured, Measured]:
    """Cold, and warm after another edit."""
    tool.forget(repo.folder)
    found = []
    for contents in both:
        repo.stage(contents)
        if command == "hook":
            found.append(tool.run("hook", "pre-commit", "--repo", str(repo.folder)))
        else:
            found.append(tool.run("check", "--repo", str(repo.folder), "--base", repo.head, "--head", repo.commit()))
    return found[0], found[1]


GOALS = {
    ("hook", "comment"): (1.5, 0.5), ("hook", "unrelated code"): (1.5, 0.5), ("hook", "one job"): (None, 1.0),
    ("check", "build files"): (8.0, 1.0), ("check", "comment"): (8.0, 1.0),
}  # fmt: skip
"""Seconds, cold and warm, for repositories of hundreds of files; 10 and 2 for larger ones."""


def goal_of(command: str, edit: str, files: int) -> tuple[float | None, float | None]:
    """The goal of a row, for cold and warm."""
    return (10.0, 2.0) if files > 5_000 else GOALS.get((command, edit), (None, None))


def generated(folder: Path, files: int, jobs: int) -> Path:
    """A repository with so many Java files and jobs."""
    git(folder, "init", "-q")
    contents = repository(files, jobs)
    contents["pom.xml"] = b"<project><properties><flink.version>1.20.1</flink.version></properties></project>\n"
    stream = [b"commit refs/heads/main\ncommitter b <b@example.org> 1700000000 +0000\ndata 0\n"]
    for path, data in contents.items():
        stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
    git(folder, "fast-import", "--quiet", given=b"".join(stream))
    git(folder, "symbolic-ref", "HEAD", "refs/heads/main")
    return folder


def report(name: str, folder: Path, tools: list[Tool], only: str, flink: str | None = None) -> None:
    """Print a table of one repository."""
    repo = Edited(folder, flink)
    files = sum(p.endswith(".java") for p in repo.paths)
    print(f"\n{name}: {files:,} Java files, {repo.head[:10]}")
    heading = "".join(f" | {tool.name:>5} cold: wall  proc.  lines;  warm: wall  proc.  lines" for tool in tools)
    print(f"{'':24}{heading} | goal cold, warm")
    for edit, both in edits(repo):
        for command in ("hook", "check"):
            row = f"{command} {edit}"
            if only not in row:
                continue
            cells = ""
            met = ""
            for tool in tools:
                cold, warm = measure(tool, repo, both, command)
                cells += f" | {'':10} {cold};       {warm}"
                if not met:
                    goals = goal_of(command, edit, files)
                    met = ", ".join(
                        "" if goal is None else f"{goal} {'met' if m.seconds <= goal else 'NOT met'}"
                        for goal, m in zip(goals, (cold, warm), strict=True)
                    )
            print(f"{row:24}{cells} | {met}", flush=True)


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", action="append", default=[])
    parser.add_argument("--generated", action="append", default=[], metavar="FILES,JOBS")
    parser.add_argument("--against", metavar="PYTHON")
    parser.add_argument("--flink", metavar="VERSION", help="what real repositories are configured with")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    options = parser.parse_args()
    tools = [Tool(sys.executable, ROOT, "this")]
    if options.against:
        python = Path(options.against).absolute()
        tools.append(Tool(str(python), python.parents[2], "other"))
    for tool in tools:
        subprocess.run([tool.python, "-m", "compileall", "-q", str(tool.checkout / "checker")], check=True)
    with tempfile.TemporaryDirectory() as scratch:
        for number, given in enumerate(options.generated):
            files, jobs = (int(part) for part in given.split(","))
            folder = Path(scratch) / f"generated-{number}"
            folder.mkdir()
            report(f"generated, {jobs} jobs", generated(folder, files, jobs), tools, options.only)
        for given in options.repository:
            name, _, path = given.rpartition("=")
            folder = Path(scratch) / "clone"
            git(Path(scratch), "clone", "-q", "--no-checkout", path, str(folder))
            report(name or Path(path).name, folder, tools, options.only, options.flink)
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
