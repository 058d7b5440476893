"""Runs one command and sees to it that nothing the command started is left when it ends.

Stands alone and needs only Python: ``python supervisor.py MEGABYTES COMMAND ARGUMENT...``; 0 megabytes are no limit.
On Linux every orphan among the descendants comes to this process (PR_SET_CHILD_SUBREAPER), also one that has left the
session or forked twice: all are killed when the command ends, when this process gets SIGTERM, and when whoever started
it dies. Elsewhere only the process group is left to the caller. Ends as the command did: with its exit status, or by
the same signal.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PATIENCE = 10.0
"""Seconds after which a process that can't be killed is left alone."""


class _StopRequested(BaseException):
    """The caller asked to stop."""


def _stop(*_: object) -> None:
    raise _StopRequested


def _adopt_orphans() -> None:
    if sys.platform != "linux":
        return
    try:
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    except (OSError, AttributeError):
        pass


def _parents() -> dict[int, int]:
    """Process → its parent, of all that ``/proc`` shows."""
    found = {}
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    for number in numbers:
        try:
            with open(f"/proc/{number}/stat", "rb") as stream:
                text = stream.read()
        except OSError:
            continue
        # The name in parentheses may hold anything, closing parentheses and blanks too.
        fields = text[text.rindex(b")") + 2 :].split()
        if fields[0] != b"Z":
            found[number] = int(fields[1])
    return found


def _descendants() -> list[int]:
    parents = _parents()
    known = {os.getpid()}
    found: list[int] = []
    while True:
        more = [number for number, parent in parents.items() if parent in known and number not in known]
        if not more:
            return found
        known.update(more)
        found += more


def _childless() -> bool:
    """Whether no child is left, dead ones that wait to be reaped included, which are."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def _end_all() -> None:
    """Kill until nothing is left: what is killed may have started more in the meantime.

    Only the kernel knows when that is: what ``/proc`` lists is read one by one, while processes come and go. Whatever
    lives descends from a child of ours.
    """
    until = time.monotonic() + _PATIENCE
    while not _childless() and time.monotonic() < until:
        for number in _descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.001)


def _wait_for(child: int) -> int:
    """The command's wait status; orphans that end in the meantime are reaped."""
    while True:
        number, status = os.waitpid(-1, 0)
        if number == child:
            return status


def _limit_memory(megabytes: int) -> None:
    """For each process of the command. What is mapped of files does not count."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 1_000_000, megabytes * 1_000_000))
    except (ImportError, OSError, ValueError):
        pass


def _let_nobody_stop() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)


def main(megabytes: int, command: list[str]) -> None:
    """Run a command; never returns."""
    caller = os.getppid()
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    status = signal.SIGTERM.value
    try:
        _adopt_orphans()
        if os.getppid() != caller:
            raise _StopRequested
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if megabytes:
                _limit_memory(megabytes)
            try:
                os.execvp(command[0], command)
            except OSError as error:
                print(f"{command[0]}: {error.strerror}", file=sys.stderr)
                os._exit(127)
        status = _wait_for(child)
        _let_nobody_stop()
    except _StopRequested:
        _let_nobody_stop()
    _end_all()
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        time.sleep(1)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
