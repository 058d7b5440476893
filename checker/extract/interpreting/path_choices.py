"""The choices that lead down one way through a program whose conditions are not all known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from checker.model.unknowns import Cause, Location, Unknown

_COUNTER = re.compile(r"[#@]\d+|….*")
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
        """Whether a choice is this one, met again."""
        return self.ways == ways and _COUNTER.sub("", self.symbol) == _COUNTER.sub("", symbol)


class DivergedError(Exception):
    """A path that is followed again meets another choice: what was found out meanwhile led elsewhere."""

    def __init__(self, earlier: Decision) -> None:
        """``earlier`` is the choice that was met before."""
        super().__init__(earlier.symbol)
        self.earlier = earlier

    def unknown(self, what: str, start: Location) -> Unknown:
        """Why a program or script is not followed to its end; ``start`` is where it begins."""
        known = self.earlier.unknown
        reason = f"{what} was not followed to its end: a condition that is not known decides where it goes next"
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
        return (*outer, *((_COUNTER.sub("", made.symbol), made.taken) for made in self.decisions))

    def next_path(self) -> tuple[Decision, ...] | None:
        """The forced choices of the next path in order, None after the last."""
        for place in range(len(self.decisions) - 1, -1, -1):
            last = self.decisions[place]
            if last.taken + 1 < last.ways:
                return (*self.decisions[:place], replace(last, taken=last.taken + 1))
        return None
