"""Values that are one of a few, by which way the program goes."""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.java.machine.descriptions import described_as, short
from checker.extract.java.machine.values import Choice, Opaque, Value, depends_of
from checker.model.unknowns import Unknown

MAX_LEAVES = 12
"""Values that a choice can be at most, before it is just not known."""


def choose(symbol: str, options: tuple[tuple[int | bool, Value], ...], unknown: Unknown) -> Value:
    """A finite choice, or the value itself where all are the same."""
    pruned = tuple((outcome, _under(symbol, place, value)) for place, (outcome, value) in enumerate(options))
    first = pruned[0][1]
    if all(value is first or value == first for _, value in pruned):
        return first
    choice = Choice(symbol, pruned, unknown)
    return choice if len(list(_leaves(choice))) <= MAX_LEAVES else _one_of_many(choice)


def _under(symbol: str, place: int, value: Value) -> Value:
    """What a value is when a symbol has gone a certain way."""
    if isinstance(value, Choice) and value.symbol == symbol and place < len(value.options):
        return value.options[place][1]
    return value


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Choice):
        for _, option in value.options:
            yield from _leaves(option)
    else:
        yield value


def _one_of_many(choice: Choice) -> Value:
    """A value that is not known, made of all that it can be."""
    return Opaque(choice.unknown, short(f"one of many: {described_as(choice)}"), None, depends_of(choice))
