"""Which decisions of a program lead to which of its shapes. A shape is given by the decisions of each way to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import TypeAlias

from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.nested import gathered
from checker.model.topology import Decided
from checker.model.unknowns import Cause, Location, Unknown

_OF_A_SYMBOL = re.compile(r"[#@]\d+|….*")
"""Numbers that symbols get, and digests that hold such: another reading counts on."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice on a path: its subject, the outcome, and the number of possible outcomes."""

    symbol: str
    taken: int
    ways: int
    label: str
    unknown: Unknown

    def same_choice(self, symbol: str, ways: int) -> bool:
        """Whether a choice is this one, met again. Where a symbol is cut off depends on the numbers in it."""
        if self.ways != ways:
            return False
        known, met = (_OF_A_SYMBOL.sub("", text) for text in (self.symbol, symbol))
        cut = "…" in self.symbol or "…" in symbol
        return known == met or (cut and (known.startswith(met) or met.startswith(known)))


class DivergedError(Exception):
    """A path that is followed again meets another choice: what was found out meanwhile led elsewhere."""

    def __init__(self, earlier: Decision) -> None:
        """``earlier`` is the choice that was met before."""
        super().__init__(earlier.symbol)
        self.earlier = earlier

    def unknown(self, what: str, start: Location) -> Unknown:
        """Why a program or script is not followed to its end; ``start`` is where it begins."""
        known = self.earlier.unknown
        reason = f"{what} was not followed to its end: an unknown condition decides where it goes next"
        return Unknown(reason, Cause.LIMIT, known.settled_by, known.location or start)


@dataclass(eq=False, slots=True)
class PathChoices:
    """Makes the choices of one path: the ``forced`` ones, then the first outcome. Equal symbols go the same way."""

    forced: tuple[Decision, ...] = ()
    decisions: list[Decision] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    parent: PathChoices | None = None

    def decided(self, symbol: str) -> int | None:
        """How a symbol was decided on this path, None if it was not."""
        choices: PathChoices | None = self
        while choices is not None:
            if symbol in choices.known:
                return choices.known[symbol]
            choices = choices.parent
        return None

    def choose(self, symbol: str, labels: tuple[str, ...], unknown: Unknown) -> int:
        """Choose an outcome. Raises DivergedError where another choice was met on this path before."""
        place = len(self.decisions)
        taken = 0
        if place < len(self.forced):
            if not self.forced[place].same_choice(symbol, len(labels)):
                raise DivergedError(self.forced[place])
            taken = self.forced[place].taken
        self.decisions.append(Decision(symbol, taken, len(labels), labels[taken], unknown))
        self.known[symbol] = taken
        return taken

    def so_far(self) -> tuple[tuple[str, int], ...]:
        """The decisions that led here, those around a call first."""
        outer = () if self.parent is None else self.parent.so_far()
        return (*outer, *((_OF_A_SYMBOL.sub("", made.symbol), made.taken) for made in self.decisions))

    def next_path(self) -> tuple[Decision, ...] | None:
        """The forced choices of the next path in order, None after the last."""
        for place in range(len(self.decisions) - 1, -1, -1):
            last = self.decisions[place]
            if last.taken + 1 < last.ways:
                return (*self.decisions[:place], replace(last, taken=last.taken + 1))
        return None


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
