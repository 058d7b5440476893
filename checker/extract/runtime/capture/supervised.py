"""Starts a command whose processes are all gone when its ``with`` block is left, whatever they did to get away.

On Linux a process that has left its session or forked twice is found as well; elsewhere only those that stayed in the
process group.
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

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_PATIENCE = 15.0
"""Seconds that the supervisor has to kill what is left."""


@contextlib.contextmanager
def supervised(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], output: int | IO[bytes]
) -> Iterator[subprocess.Popen[bytes]]:
    """The running command; standard output and error go to ``output``. ``wait`` gives the command's own status."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(_SUPERVISOR), *command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(_PATIENCE)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
