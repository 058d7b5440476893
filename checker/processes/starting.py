"""Starts processes; nothing else of this package does, which ``tests/house`` holds.

Each has variables that were chosen for it and a folder that is not the current one, reads nothing but what we write,
and can't take more memory than it is given (where the platform limits that).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from checker.processes.surroundings import empty_folder, executable

Process = subprocess.Popen[bytes]
PIPE = subprocess.PIPE
ENDLESS = 3600.0
"""Seconds that no command takes which does its work."""
MEMORY_MB = 6_000
"""What a process may take that is told nothing else."""
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_PATIENCE = 15.0
"""Seconds that the supervisor has to kill what is left."""


def started(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path | None = None,
    output: int | IO[bytes] = subprocess.DEVNULL,
    complaints: int | IO[bytes] = subprocess.DEVNULL,
    written_to: bool = False,
    stays: bool = False,
    memory_mb: int | None = MEMORY_MB,
) -> Process:
    """A running command. ``stays`` lets it outlive us. Raises FileNotFoundError where there is no such program."""
    process = subprocess.Popen(
        [_program(command[0]), *command[1:]],
        stdin=subprocess.PIPE if written_to else subprocess.DEVNULL,
        stdout=output,
        stderr=complaints,
        cwd=folder or empty_folder(),
        env=environment,
        start_new_session=stays,
    )
    if sys.platform == "linux" and memory_mb is not None:
        import resource

        most = memory_mb * 1_000_000
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (most, most))
    return process


def printed(
    command: Sequence[str], *, environment: Mapping[str, str], folder: Path | None = None, seconds: float = ENDLESS
) -> tuple[int | None, bytes, bytes]:
    """How a command ended (None: not in time), what it printed, and its complaints."""
    with started(command, environment=environment, folder=folder, output=PIPE, complaints=PIPE) as process:
        try:
            output, complaints = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return None, b"", b""
        except BaseException:
            process.kill()
            raise
    return process.returncode, output, complaints


@contextlib.contextmanager
def supervised(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path | None = None,
    output: int | IO[bytes] = subprocess.DEVNULL,
    memory_mb: int | None = MEMORY_MB,
) -> Iterator[Process]:
    """The running command, whose processes are all gone when the block is left, whatever they did to get away.

    On Linux a process that has left its session or forked twice is found as well; elsewhere only those that stayed in
    the process group. Standard output and error go to ``output``. ``waited`` gives the command's own status.
    """
    process = started(
        [sys.executable, "-I", "-S", str(_SUPERVISOR), str(memory_mb or 0), *command],
        environment=environment,
        folder=folder,
        output=output,
        complaints=subprocess.STDOUT,
        stays=True,
        memory_mb=None,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                waited(process, _PATIENCE)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def waited(process: Process, seconds: float) -> int | None:
    """The status of a process that ends in time, None for one that does not."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _program(name: str) -> str:
    return name if os.path.isabs(name) else executable(name)
