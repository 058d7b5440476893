"""The command line of ``examples/make_repository.py``."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "examples" / "make_repository.py"


def test_the_history_of_an_example(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "totals", "sql"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    log = subprocess.run(["git", "log", "--format=%s"], cwd=tmp_path / "totals", capture_output=True, text=True)
    assert len(log.stdout.splitlines()) == 4
