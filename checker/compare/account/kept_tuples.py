"""Edits after which a part of a tuple in state is made of another part of the old one, or of none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import Verdict, undecided
from checker.model.account import Why
from checker.model.program_code import Key, Role
from checker.model.used_states import BEFORE, REDUCED

_OTHERWISE = undecided(
    Why.MAY_LIE_IN_STATE,
    "a part of what lies in state may be taken for another one, or is no longer made of what it was",
)
_OWN = re.compile(rf"{BEFORE}\.own")
_MAY_BE_OWN = re.compile(rf"{BEFORE}(?!\.other)")
"""The part itself, or the whole of what was there."""
_Parts = tuple[str, ...]


@dataclass(frozen=True)
class KeptTuples:
    """The tuples that functions of both revisions keep."""

    sides: BothSides

    def edited(self, pair: Pair) -> Verdict | None:
        """An edit of what such a tuple is made of."""
        return _OTHERWISE if any(side.key in self._changed for side in pair.sides) else None

    @cached_property
    def _changed(self) -> frozenset[Key]:
        base, head = self.sides.base.kept_parts, self.sides.head.kept_parts
        found: set[Key] = set()
        for place in base.by_place.keys() & head.by_place.keys():
            owner, _, name = place.rpartition(".")
            if name != REDUCED and self.sides.role(owner) is Role.DATA and not self.sides.facts.pickles:
                continue
            before, after = base.by_place[place], head.by_place[place]
            gone, come = before - after, after - before
            traded = any(_traded(old, new) for old in gone for new in come)
            if traded or any(_forgotten(old, after, name == REDUCED) for old in gone):
                found |= base.through[place] | head.through[place]
        return frozenset(found)


def _traded(old: _Parts, new: _Parts) -> bool:
    """Whether two parts are made in the way in which the other one was, or all stand in another order."""
    places = range(len(old)) if len(old) == len(new) else ()
    swapped = any(old[i] != old[j] and (new[i], new[j]) == (old[j], old[i]) for i in places for j in places)
    return swapped or (old != new and sorted(old) == sorted(new))


def _forgotten(old: _Parts, written: frozenset[_Parts], passes_keys: bool) -> bool:
    """Whether a part was made of what it was, and in no tuple that is written now is made of that.

    A part that is passed on as it was may be the key, which all values have that are reduced to one.
    """
    same = [new for new in written if len(new) == len(old)]
    return bool(same) and any(
        _OWN.search(part)
        and not (passes_keys and part == f"{BEFORE}.own")
        and not any(_MAY_BE_OWN.search(new[n]) for new in same)
        for n, part in enumerate(old)
    )
