"""Calls that may hang or grow: an answer within a limit of time and memory, or an error."""

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread, current_thread, get_ident, local, main_thread
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
_AGAIN_AFTER = 5
_inside = local()


def at_most(allowance: Allowance, call: Callable[[], Answer]) -> Answer:
    """The answer of a call that this thread makes. Raises OverspentError, and what the call raises.

    Another thread looks at what the call took so far, and ends it at its next step. A search by a regular expression
    is one step, during which no other thread runs: in the main thread a timer ends that as well. Inside of such a call
    it is just made: the outer one counts.
    """
    if getattr(_inside, "now", False):
        return call()
    watch = _Watch(allowance, get_ident())
    _inside.now = True
    try:
        Thread(target=watch.look, daemon=True, name="at most").start()
        try:
            with watch.timer():
                return call()
        finally:
            watch.end()
    except _Interrupt:
        raise OverspentError(watch.reason) from None
    finally:
        watch.end()  # the interrupt may have come where the first was called
        _inside.now = False


class _Watch:
    """Looks at a thread until it is done, and interrupts it when it has taken too much."""

    def __init__(self, allowance: Allowance, thread: int) -> None:
        self.allowance, self.thread, self.reason = allowance, thread, ""
        self._clock = time.pthread_getcpuclockid(thread) if hasattr(time, "pthread_getcpuclockid") else None
        self._start, self._memory = self._time(), _resident()
        self._done, self._lock = Event(), Lock()

    def look(self) -> None:
        """Look from time to time."""
        pause = _LOOK_EVERY
        while not self._done.wait(pause):
            self.reason = self.reason or self._too_much()
            if self.reason:
                with self._lock:
                    if not self._done.is_set():
                        _interrupt(self.thread)
                pause = _AGAIN_AFTER  # it may have been taken by a handler

    @contextmanager
    def timer(self) -> Iterator[None]:
        """Look by a signal, too, where there are timers and this is the thread that gets signals."""
        if current_thread() is not main_thread() or not hasattr(signal, "setitimer"):
            yield
            return
        before = signal.signal(signal.SIGVTALRM, self._ring)
        signal.setitimer(signal.ITIMER_VIRTUAL, self.allowance.seconds + 1, 1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)

    def _ring(self, *_: object) -> None:
        self.reason = self.reason or self._too_much()
        if self.reason:
            raise _Interrupt

    def end(self) -> None:
        """The call is done: an interrupt that is on its way arrives here, and means nothing."""
        for _ in range(2):  # one may be on its way already, and one sent until it is done
            with suppress(_Interrupt):
                with self._lock:
                    self._done.set()
                for _ in range(100 if self.reason else 0):
                    pass  # an interrupt arrives at the next round of a loop

    def _too_much(self) -> str:
        seconds, megabytes = self.allowance.seconds, self.allowance.megabytes
        if self._time() - self._start > seconds:
            return f"reading it took longer than {seconds} s of processor time (pipeline_seconds in the configuration)"
        if _resident() - self._memory > megabytes << 20:
            return f"reading it took more than {megabytes} MB of memory (pipeline_megabytes in the configuration)"
        return ""

    def _time(self) -> float:
        return time.process_time() if self._clock is None else time.clock_gettime(self._clock)


def _interrupt(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Interrupt))


def _resident() -> int:
    """The bytes of memory that this process holds, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
