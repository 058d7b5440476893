"""Edits after which a new value is made of the old one no more: what was summed up, or collected, is overwritten.

That are members of objects in state (``sum += x`` that becomes ``sum = x``), and results of functions that fold values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import Verdict, undecided
from checker.model.account import Why
from checker.model.program_code import Key, Part, ProgramCode
from checker.model.reductions import Fold

_FORGETS = undecided(
    Why.MAY_LIE_IN_STATE, "what lies in state is no longer made of what it was: a value that was folded is overwritten"
)


@dataclass(frozen=True)
class Folds:
    """What methods of both revisions fold."""

    sides: BothSides
    _found: dict[tuple[int, Key], Fold] = field(default_factory=dict)

    def edited(self, pair: Pair) -> Verdict | None:
        """An edit of a method that folds less than it did."""
        if pair.base is None or pair.base.part is not Part.METHOD:
            return None
        before = self._fold(self.sides.base, pair.base.key)
        after = self._fold(self.sides.head, pair.head.key) if pair.head is not None else Fold()
        if pair.head is not None and before.results - after.results:
            return _FORGETS
        lost = before.folded - after.may_fold - (self._members[0] - self._members[1])
        gone = [name for name in lost if name in after.written or not self._folded_elsewhere(name)]
        return _FORGETS if gone and after.opaque <= before.opaque and after.lambdas >= before.lambdas else None

    def _folded_elsewhere(self, name: str) -> bool:
        """Whether the head folds a member in a method which did not do so."""
        return any(
            name in self._fold(self.sides.head, key).may_fold
            and (key not in self.sides.base.declarations or name not in self._fold(self.sides.base, key).may_fold)
            for key, declaration in self.sides.head.declarations.items()
            if declaration.part is Part.METHOD
        )

    def _fold(self, code: ProgramCode, key: Key) -> Fold:
        place = (id(code), key)
        if place not in self._found:
            self._found[place] = code.fold(key, frozenset().union(*self._members))
        return self._found[place]

    @cached_property
    def _members(self) -> tuple[frozenset[str], frozenset[str]]:
        """The members of objects in state, of either revision; those of maps also as what their values are."""
        base, head = (frozenset(self._of(code)) for code in (self.sides.base, self.sides.head))
        return base, head

    def _of(self, code: ProgramCode) -> Iterator[str]:
        for simple in self.sides.facts.shapes | self.sides.facts.polymorphic:
            yield from (name for owner in code.named(simple) for name in _fields(code, owner))
        for owner in code.owners:
            if "SourceSplit" in code.ancestors(owner):  # of any serializer
                yield from _fields(code, owner)


def _fields(code: ProgramCode, owner: str) -> Iterator[str]:
    for key in code.by_owner[owner]:
        if code.declarations[key].part is Part.FIELD:
            yield from (text for name in key[1].split(",") for text in (name, f"{name}[]"))
