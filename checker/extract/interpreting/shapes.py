"""Which decisions of a program lead to which of its shapes. A shape is given by the decisions of each way to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import combinations, product
from typing import TypeAlias

from checker.extract.interpreting.path_choices import Decision
from checker.extract.unread_code import NEEDS_CODE
from checker.model.gathered import gathered
from checker.model.topology import Decided
from checker.model.unknowns import Cause, Unknown

Way: TypeAlias = tuple[Decision, ...]

_COUNTER = re.compile(r"#\d+")


def what_decides(shapes: Sequence[Sequence[Way]], otherwise: str, *, not_known: str | None = None) -> Unknown:
    """The first choice that the shapes depend on, made of what all such choices are made of.

    ``not_known`` is what it is made of where that is not known of one; ``otherwise`` is the reason without choices.
    """
    relevant = set(_relevant(shapes))
    asked = {_symbol(d): d.unknown for ways in shapes for way in ways for d in way if _symbol(d) in relevant}
    if not asked:
        return Unknown(otherwise, Cause.BRANCH)
    made = dict.fromkeys(unknown.derived_from for unknown in asked.values())
    known = [text for text in made if text is not None and text != NEEDS_CODE]
    first = next(iter(asked.values()))
    return replace(first, derived_from="; ".join(known) if len(known) == len(made) else not_known)


def label_of(mine: Sequence[Way], shapes: Sequence[Sequence[Way]]) -> str:
    """When a shape is taken: the decisions that all its ways share and others don't."""
    found: list[str] = []
    for symbol in _relevant(shapes):
        labels = {d.label for way in mine for d in way if _symbol(d) == symbol}
        if len(labels) == 1:
            found.append(labels.pop())
    return " and ".join(found) or "otherwise"


def ways_to(mine: Sequence[Way], shapes: Sequence[Sequence[Way]]) -> tuple[tuple[Decided, ...], ...]:
    """The ways to a shape, each by the choices that the shapes depend on."""
    relevant = set(_relevant(shapes))
    return tuple(dict.fromkeys(_decided([d for d in way if _symbol(d) in relevant]) for way in mine))


def _decided(way: Sequence[Decision]) -> tuple[Decided, ...]:
    """Choices without those that are met several times: what they are made of may be another value each time."""
    met = Counter(_symbol(d) for d in way)
    return tuple(
        Decided(
            condition=d.unknown.derived_from if met[_symbol(d)] == 1 and d.unknown.derived_from != NEEDS_CODE else None,
            outcome=f"{d.taken + 1} of {d.ways}",
        )
        for d in way
    )


def _relevant(shapes: Sequence[Sequence[Way]]) -> list[str]:
    """The choices that tell the shapes apart, in the order that the program meets them: no more than needed."""
    kept = _open([way for ways in shapes for way in ways])
    if _apart(shapes, kept):
        for symbol in tuple(kept):
            fewer = [name for name in kept if name != symbol]
            if _apart(shapes, fewer):
                kept = fewer
    return kept


def _apart(shapes: Sequence[Sequence[Way]], symbols: Sequence[str]) -> bool:
    """Whether some choices go different ways on any two ways to different shapes."""
    wanted = set(symbols)
    taken = [[_taken(way, wanted) for way in ways] for ways in shapes]
    return all(
        any(
            a != b
            for symbol in first.keys() & second.keys()
            for a, b in zip(first[symbol], second[symbol], strict=False)
        )
        for mine, theirs in combinations(taken, 2)
        for first, second in product(mine, theirs)
    )


def _taken(way: Way, symbols: Set[str]) -> dict[str, list[int]]:
    return gathered((symbol, decision.taken) for decision in way if (symbol := _symbol(decision)) in symbols)


def _open(ways: Sequence[Way]) -> list[str]:
    """The choices that go different ways, in the order the program meets them."""
    taken: dict[tuple[int, ...], dict[int, str]] = {}
    for way in ways:
        before: tuple[int, ...] = ()
        for decision in way:
            taken.setdefault(before, {}).setdefault(decision.taken, _symbol(decision))
            before = (*before, decision.taken)
    return list(dict.fromkeys(symbol for ways in taken.values() if len(ways) > 1 for symbol in ways.values()))


def _symbol(decision: Decision) -> str:
    """What a decision is about, whatever number its symbol got on this way."""
    return _COUNTER.sub("", decision.symbol)
