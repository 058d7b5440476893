"""Generators of the repository: their code runs up to the next ``yield`` whenever an element is asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from greenlet import getcurrent, greenlet

from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, stopped
from checker.extract.python.interpreter.values import Guarded, Value
from checker.model.unknowns import Cause, Location


class Generator(Iterator[Value]):
    """A generator as Python's own: an iterator with ``send``, ``throw`` and ``close``."""

    def __init__(self, run: Run, body: Callable[[], Value]) -> None:
        self._run = run
        self._inside = greenlet(body)
        self._state: Any = ({}, run.depth, None)
        self.returned: Value = None

    def __next__(self) -> Value:
        return self.send(None)

    def send(self, sent: Value) -> Value:
        """Go on to the next ``yield``, whose element it gives. Raises StopIteration behind the last."""
        return self._switched(lambda: self._inside.switch(sent) if self._inside else self._inside.switch())

    def throw(self, signal: RaiseSignal) -> Value:
        """Go on with an exception at the ``yield``."""
        return self._switched(lambda: self._inside.throw(signal))

    def close(self) -> None:
        """Nothing is asked for any more: what stands in ``finally`` runs."""
        if self._inside:
            with contextlib.suppress(RaiseSignal, StopIteration):
                self.throw(RaiseSignal(("GeneratorExit", "BaseException")))

    def _switched(self, switch: Callable[[], Value]) -> Value:
        if self._inside.dead:
            raise StopIteration
        self._inside.parent = getcurrent()
        run = self._run
        outer = run.parts, run.depth, run.statement
        run.parts, run.depth, run.statement = self._state
        try:
            outcome = switch()
        finally:
            self._state = run.parts, run.depth, run.statement
            run.parts, run.depth, run.statement = outer
        if self._inside.dead:
            self.returned = outcome
            raise StopIteration
        return outcome


def yielded_to_consumer(yielded: Value) -> Value:
    """Give an element to whoever asked for it; gives what is sent when the generator goes on."""
    parent = getcurrent().parent
    assert parent is not None
    return parent.switch(yielded)


class Managed(Guarded):
    """What a function behind ``contextlib.contextmanager`` gives."""

    __slots__ = ("generator", "place")

    def __init__(self, generator: Generator, place: Location) -> None:
        self.generator = generator
        self.place = place

    def entered(self) -> Value:
        """Run up to the ``yield``, and return the value that ``with`` binds."""
        return next(self.generator)

    def left(self) -> None:
        """Run what stands behind the ``yield``."""
        try:
            next(self.generator)
        except StopIteration:
            return
        raise stopped("a context manager yields twice", Cause.OTHER, self.place)

    def failed(self, signal: RaiseSignal) -> None:
        """Raise the exception of a ``with`` block at the ``yield``, which may take it."""
        try:
            self.generator.throw(signal)
        except StopIteration:
            return
        raise stopped("a context manager yields twice", Cause.OTHER, self.place)
