"""The choices that lead down one way through a program whose conditions are not all known."""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.model.unknowns import Unknown


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice on a path: its subject, the outcome, and the number of possible outcomes."""

    symbol: str
    taken: int
    ways: int
    label: str
    unknown: Unknown


@dataclass(eq=False, slots=True)
class PathChoices:
    """Makes the choices of one path: the ``forced`` ones, then the first outcome. Equal symbols go the same way."""

    forced: tuple[int, ...] = ()
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
        """Choose an outcome."""
        place = len(self.decisions)
        taken = self.forced[place] if place < len(self.forced) else 0
        self.decisions.append(Decision(symbol, taken, len(labels), labels[taken], unknown))
        self.known[symbol] = taken
        return taken

    def next_path(self) -> tuple[int, ...] | None:
        """The forced choices of the next path in order, None after the last."""
        taken = [decision.taken for decision in self.decisions]
        for place in range(len(taken) - 1, -1, -1):
            if taken[place] + 1 < self.decisions[place].ways:
                return (*taken[:place], taken[place] + 1)
        return None
