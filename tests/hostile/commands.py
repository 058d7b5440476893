"""Commands as a user runs them: in a process of their own, whose current folder is the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 120
"""What no command on a small repository takes, however busy the machine is."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    output: str
    complaints: str


def command(repository: Path, *arguments: str) -> Ended:
    """Run one command to its end; a command that has none fails the test."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "checker.cli", *arguments],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SAVEPOINT_CHECKER_CACHE": "off"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=SECONDS,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def refused(repository: Path, *arguments: str, why: str = "") -> str:
    """The one line with which a command says that it can't do its work."""
    ended = command(repository, *arguments)
    assert ended.code == 2, (ended.code, ended.output, ended.complaints)
    assert "Traceback" not in ended.complaints
    assert "a defect of this tool" not in ended.complaints
    assert why in ended.complaints, ended.complaints
    return ended.complaints


def contents(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, to be compared later."""
    return {
        path.relative_to(folder).as_posix(): os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }
