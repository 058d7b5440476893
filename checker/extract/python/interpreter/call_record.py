"""A call: what is called, with which arguments, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from checker.extract.python.interpreter.containers import current
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Arguments, Bound, External, Value
from checker.model.unknowns import Location


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Methods of objects that the repository does not define have their object beside their name."""

    target: Value
    arguments: Arguments
    place: Location
    receiver: Value = None
    """The object whose method it is; None for functions and classes."""
    name: str = ""
    """The method's name, or the dotted path of something from outside; empty for code of the repository."""


Answer = tuple[Value] | None
"""What comes of a call, in a tuple of its own; None where a resolver does not know the call."""
Resolver = Callable[[Run, Call], Answer]


def call_of(run: Run, target: Value, arguments: Arguments, place: Location) -> Call:
    """The record of a call of a value."""
    if isinstance(target, Bound):
        return Call(target, arguments, place, current(run, target.owner), target.name)
    return Call(target, arguments, place, name=target.path if isinstance(target, External) else "")
