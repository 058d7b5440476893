"""Which declarations of two revisions belong together, and which of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker.model.program_code import Declaration, Part, ProgramCode


@dataclass(frozen=True, slots=True)
class Pair:
    """One declaration in both revisions, None where it is not there."""

    base: Declaration | None
    head: Declaration | None
    moved: bool = False
    """The same code in another class or file."""

    @property
    def sides(self) -> tuple[Declaration, ...]:
        """The declarations that are there."""
        return tuple(side for side in (self.base, self.head) if side is not None)

    @property
    def any(self) -> Declaration:
        """The head's declaration, else the base's."""
        return self.sides[-1]


def differing(base: ProgramCode, head: ProgramCode) -> Iterator[Pair]:
    """The declarations that are not the same in both revisions, moved ones together."""
    old, new = base.declarations, head.declarations
    removed = [old[key] for key in sorted(old.keys() - new.keys())]
    for key in sorted(new.keys() - old.keys()):
        twin = next((d for d in removed if _moved(d, new[key])), None)
        if twin is not None:
            removed.remove(twin)
        yield Pair(twin, new[key], moved=twin is not None)
    for key, before in old.items():
        after = new.get(key)
        if after is not None and before is not after and before.tokens != after.tokens:
            yield Pair(before, after)
    for before in removed:
        yield Pair(before, None)


def _moved(before: Declaration, after: Declaration) -> bool:
    return before.part is Part.METHOD and before.key[1] == after.key[1] and before.tokens == after.tokens
