"""The command line of ``examples/make_repository.py``."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "make_repository.py"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(("arguments", "code"), [(("--help",), 0), ((), 2), (("--unknown",), 2), (("new", "none"), 2)])
def test_what_names_no_example_makes_no_folder(tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    done = run(tmp_path, *arguments)
    assert (done.returncode, list(tmp_path.iterdir())) == (code, [])
    assert "usage: make_repository.py" in done.stdout + done.stderr


def test_the_history_of_an_example(tmp_path: Path) -> None:
    done = run(tmp_path, "totals", "sql")
    assert (done.returncode, done.stderr) == (0, "")
    log = subprocess.run(["git", "log", "--format=%s"], cwd=tmp_path / "totals", capture_output=True, text=True)
    assert len(log.stdout.splitlines()) == 4
