"""Edits after which entries of a map in state are looked up by other keys: the old ones are never found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import Verdict, undecided
from checker.compare.fit.types import simple_name
from checker.model.account import Explanation, Why
from checker.model.program_code import ANONYMOUS, Key, ProgramCode, Role
from checker.model.used_states import MapKeys

_OTHER_KEYS = undecided(
    Why.KEY_NOT_READ, "entries of a map in state may be looked up by other keys than they lie under"
)


@dataclass(frozen=True)
class MapStateKeys:
    """The keys of entries in both revisions."""

    sides: BothSides

    def edited(self, pair: Pair, verdict: Verdict) -> Verdict:
        """An edit's explanation, or that it may compute keys of entries."""
        if verdict.explanation is Explanation.NOT_UNDERSTOOD or verdict.why is Why.RENAMED_LOCAL:
            return verdict
        return _OTHER_KEYS if any(side.key in self._changed for side in pair.sides) else verdict

    @cached_property
    def _changed(self) -> frozenset[Key]:
        """The declarations that have a part in keys which are made otherwise."""
        found: set[Key] = set()
        for before, after in self._functions():
            if before is not None and after is not None and _differ(before, after):
                found |= before.through | after.through
        return frozenset(found)

    def _functions(self) -> Iterator[tuple[MapKeys | None, MapKeys | None]]:
        """The functions of both revisions, anonymous ones by their place."""
        base, head = self.sides.base, self.sides.head
        for owner in sorted(base.owners & head.owners):
            in_state = simple_name(owner) in self.sides.facts.shapes | self.sides.facts.polymorphic
            role = self.sides.role(owner)
            kept = role is Role.DATA and in_state
            if role is Role.FUNCTION or kept or base.works_for((owner, "")):
                yield base.map_keys(owner), head.map_keys(owner)
        for key in base.declarations.keys() & head.declarations.keys():
            for old, new in zip(base.anonymous_functions(key), head.anonymous_functions(key), strict=False):
                yield _of_anonymous(old, key), _of_anonymous(new, key)


def _of_anonymous(function: ProgramCode, around: Key) -> MapKeys | None:
    own = next(owner for owner in function.owners if owner.endswith(f".{ANONYMOUS}"))
    found = function.map_keys(own)
    return None if found is None else MapKeys(found.by_use, found.fields, found.through | {around})


def _differ(before: MapKeys, after: MapKeys) -> bool:
    """Whether entries are no longer looked up, or set, by a key, and are by another one instead.

    A handle that only one revision has may have another name in the other one: such are taken together.
    """
    both = before.by_use.keys() & after.by_use.keys()
    old, new = (
        [*(keys.by_use[place] for place in sorted(both)), _rest(keys, both), keys.fields] for keys in (before, after)
    )
    return any(gone - come and come - gone for gone, come in zip(old, new, strict=True))


def _rest(keys: MapKeys, both: set[tuple[str, str]]) -> frozenset[str]:
    left = ((place[1], texts) for place, texts in keys.by_use.items() if place not in both)
    return frozenset(f"{use} {text}" for use, texts in left for text in texts)
