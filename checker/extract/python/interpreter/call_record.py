"""A call: what is called, with which arguments, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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

    @property
    def positional(self) -> list[Value]:
        """Arguments that are given by their place."""
        return self.arguments.positional

    @property
    def keywords(self) -> dict[str, Value]:
        """Arguments that are given by their name; ``**`` holds those that are not known one by one."""
        return self.arguments.keywords

    def argument(self, place: int, name: str, default: Value = None) -> Value:
        """One argument, by its place or its name."""
        return self.arguments.get(place, name, default)

    @property
    def first(self) -> Value:
        """The first argument, however it is given."""
        return next(iter(self.arguments.all()), None)

    def having(self, *positional: Value, **keywords: Value) -> Call:
        """The same call with other arguments."""
        return replace(self, arguments=Arguments(list(positional), keywords))


Answer = tuple[Value] | None
"""What comes of a call, in a tuple of its own; None where a resolver does not know the call."""
Resolver = Callable[[Run, Call], Answer]


def call_of(run: Run, target: Value, arguments: Arguments, place: Location) -> Call:
    """The record of a call of a value."""
    if isinstance(target, Bound):
        return Call(target, arguments, place, current(run, target.owner), target.name)
    return Call(target, arguments, place, name=target.path if isinstance(target, External) else "")
