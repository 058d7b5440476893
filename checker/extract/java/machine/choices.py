"""Values that are one of a few, by which way the program goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from checker.extract.java.machine.descriptions import described_as, short
from checker.extract.java.machine.values import Choice, ExternalObject, Opaque, Value, depends_of
from checker.model.unknowns import Unknown

Calls = tuple[tuple[str, tuple[Value, ...]], ...]
MAX_LEAVES = 12
"""Values that a choice can be at most, before it is just not known."""


def choose(symbol: str, options: tuple[tuple[int | bool, Value], ...], unknown: Unknown) -> Value:
    """A finite choice, or the value itself where all are the same."""
    pruned = tuple((outcome, _under(symbol, place, value)) for place, (outcome, value) in enumerate(options))
    first = pruned[0][1]
    if all(value is first or value == first for _, value in pruned):
        return first
    choice = Choice(symbol, pruned, unknown)
    leaves = list(_leaves(choice))
    return choice if len(leaves) <= MAX_LEAVES else _one_of_many(choice, leaves)


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


def _one_of_many(choice: Choice, leaves: list[Value]) -> Value:
    """A value that is not known, made of all that it can be; of objects of a library made alike, one such object."""
    symbol = short(f"one of many: {described_as(choice)}")
    of = depends_of(choice)
    first = leaves[0]
    alike = [leaf for leaf in leaves if isinstance(leaf, ExternalObject) and leaf.step is None]
    if not isinstance(first, ExternalObject) or len(alike) < len(leaves) or len({_made(leaf) for leaf in alike}) > 1:
        return Opaque(choice.unknown, symbol, None, of)

    def merged(place: str, values: list[Value]) -> Value:
        if all(value is values[0] or value == values[0] for value in values):
            return values[0]
        return Opaque(choice.unknown, short(f"{place} of {symbol}"), None, of)

    def given(place: str, lists: list[tuple[Value, ...]]) -> tuple[Value, ...]:
        return tuple(merged(f"{place}{n}", list(values)) for n, values in enumerate(zip(*lists, strict=True)))

    def calls(lists: list[Calls]) -> Calls:
        return tuple(
            (made[0][0], given(f"{made[0][0]}{n}.", [arguments for _, arguments in made]))
            for n, made in enumerate(zip(*lists, strict=True))
        )

    return replace(
        first,
        arguments=given("", [leaf.arguments for leaf in alike]),
        calls=calls([leaf.calls for leaf in alike]),
        side_calls=calls([leaf.side_calls for leaf in alike]),
        depends=of,
    )


def _made(value: ExternalObject) -> object:
    """The class and calls that an object comes from, without what they were given."""
    called = tuple((name, len(arguments)) for name, arguments in (*value.calls, ("", ()), *value.side_calls))
    return value.type, value.symbol if "(" in value.symbol else "", len(value.arguments), called
