"""Commands as a user runs them, with the repository as current folder, and what a test says of how they end."""

import os
import signal
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from checker.cli import run

SECONDS = 120
"""What no command on a small repository takes, however busy the machine is."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    output: str
    complaints: str


def command(repository: Path, *arguments: str) -> Ended:
    """Run one command to its end; a command that has none, waits for somebody, or has a defect fails the test."""
    output, complaints = StringIO(), StringIO()
    before = signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        with chdir(repository), redirect_stdout(output), redirect_stderr(complaints):
            code = run(list(arguments))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    ended = Ended(code, output.getvalue(), complaints.getvalue())
    assert code in (0, 1, 2), (arguments, ended)
    assert "Traceback" not in ended.complaints
    assert "a defect of this tool" not in ended.output + ended.complaints, ended
    return ended


def _late(*_: object) -> None:
    raise TimeoutError(f"no end after {SECONDS} seconds")


def refused(repository: Path, *arguments: str, why: str = "") -> str:
    """What a command says with which it can't do its work."""
    ended = command(repository, *arguments)
    assert ended.code == 2, (arguments, ended)
    message = ended.output + ended.complaints
    assert why in message, message
    return message


def contents(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, to be compared later."""
    return {
        path.relative_to(folder).as_posix(): os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }
