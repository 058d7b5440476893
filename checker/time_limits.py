"""Calls that may hang or grow: an answer within a limit of time and memory, or an error."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread, current_thread, main_thread
from typing import TypeVar, cast

Answer = TypeVar("Answer")


class LateError(Exception):
    """No answer in time."""


def within(seconds: float, call: Callable[[], Answer]) -> Answer:
    """The answer of a call, which is left behind when it takes longer. Raises LateError and what the call raises."""
    answers: SimpleQueue[tuple[Answer | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((call(), None))
        except BaseException as error:
            answers.put((None, error))

    Thread(target=run, daemon=True, name="within").start()
    try:
        answer, failure = answers.get(timeout=seconds)
    except Empty:
        raise LateError from None
    if failure is not None:
        raise failure
    return cast("Answer", answer)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the reading of one pipeline may take, far beyond what any needs: the last resort behind all bounds."""

    seconds: int = 60
    """Processor time."""
    megabytes: int = 2_048


ALLOWANCE = Allowance()
"""The one that holds without configuration."""


class OverspentError(Exception):
    """A call took more processor time or memory than it may."""


class _Interrupt(BaseException):  # so that no handler of Exception inside the call takes it
    pass


_LOOK_EVERY = 0.2
_watching: list[object] = []
"""What looks at the call that is being made; empty where none is."""


def at_most(allowance: Allowance, call: Callable[[], Answer]) -> Answer:
    """The answer of a call. Raises OverspentError, and what the call raises.

    A timer looks from time to time at what the call took so far, and ends it at its next step, a search by a regular
    expression in the middle of it. Timers interrupt the main thread alone: elsewhere, as in a language server, the
    bounds of readers have to do. Inside of such a call it is just made: the outer one counts.
    """
    if _watching or current_thread() is not main_thread() or not hasattr(signal, "setitimer"):
        return call()
    start, memory, reasons = time.thread_time(), _resident(), list[str]()

    def look(*_: object) -> None:
        if not reasons:
            reasons.extend(_too_much(allowance, time.thread_time() - start, _resident() - memory))
        if reasons:
            raise _Interrupt

    before = signal.signal(signal.SIGPROF, look)
    try:
        try:
            _watching.append(look)
            signal.setitimer(signal.ITIMER_PROF, _LOOK_EVERY, _LOOK_EVERY)
            return call()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _Interrupt:
        raise OverspentError(reasons[0]) from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)  # an interrupt may have come where the first was called
        signal.signal(signal.SIGPROF, before)
        _watching.clear()


def _too_much(allowance: Allowance, seconds: float, memory: int) -> Iterator[str]:
    if seconds > allowance.seconds:
        yield (
            f"reading it took longer than {allowance.seconds} s of processor time "
            "(pipeline_seconds in the configuration)"
        )
    if memory > allowance.megabytes << 20:
        yield f"reading it took more than {allowance.megabytes} MB of memory (pipeline_megabytes in the configuration)"


def _resident() -> int:
    """The bytes of memory that this process holds, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
