"""Edits after which entries of a map in state are looked up by other keys: the old ones are never found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.facts import functions_of, keyed_name, words_of_key
from checker.compare.account.field_values import FieldValues
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import Verdict, undecided
from checker.model.account import Explanation, Why
from checker.model.program_code import ANONYMOUS, ELEMENT, Key, ProgramCode, Role, simple_name
from checker.model.topology import Transformation
from checker.model.unknowns import Unknown
from checker.model.used_states import MapKeys

_ELEMENT = re.compile(r"\$0(?:\.\w+|\[[^\[\]]*\]|\(\))*")
"""An element, and what is taken of it."""
_BEHIND = " where "
"""Stands between an expression and the code of functions that it calls."""
OTHER_ENTRIES = undecided(
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
        return OTHER_ENTRIES if any(side.key in self._changed for side in pair.sides) else verdict

    @cached_property
    def _changed(self) -> frozenset[Key]:
        """The declarations that have a part in keys which are made otherwise."""
        found: set[Key] = set()
        for owner, before, after in self._both:
            run = self._operators(owner)
            pairs = [(_with_values(before, old), _with_values(after, new)) for old, new in run] or [(before, after)]
            if any(_differ(old, new) for old, new in pairs):
                found |= before.through | after.through
        return frozenset(found)

    def given_otherwise(self) -> Iterator[tuple[Transformation, Transformation]]:
        """The operators whose function makes the keys by the same code, of other values."""
        for owner, before, after in self._both:
            if not _differ(before, after):
                for old, new in self._operators(owner):
                    if _differ(_with_values(before, old), _with_values(after, new)):
                        yield old, new

    def _operators(self, owner: str) -> list[tuple[Transformation, Transformation]]:
        """The operators of both revisions that run a function."""
        if len(self.sides.facts.topologies) < 2:
            return []
        base, head = (
            {keyed_name(t): t for t in topology.operators() if simple_name(owner) in functions_of(t)}
            for topology in self.sides.facts.topologies
        )
        return [(base[name], head[name]) for name in base.keys() & head.keys()]

    @property
    def texts(self) -> frozenset[str]:
        """All expressions of keys, of either revision."""
        return frozenset(t for _, *both in self._both for keys in both for texts in keys.by_use.values() for t in texts)

    @cached_property
    def words(self) -> frozenset[str]:
        """Names of members of elements that entries are looked up by, before a function with such a state."""
        texts = {text for keys in self._of_elements.values() for text in keys}
        return frozenset(word for text in texts for word in _words(text))

    @cached_property
    def functions(self) -> frozenset[str]:
        """Simple names of the functions that look entries up by members of elements."""
        return frozenset(map(simple_name, self._of_elements))

    @cached_property
    def _of_elements(self) -> Mapping[str, frozenset[str]]:
        found = ((owner, old.of_elements | new.of_elements) for owner, old, new in self._both)
        return {owner: texts for owner, texts in found if any(_ELEMENT.search(text) for text in texts)}

    @cached_property
    def _both(self) -> list[tuple[str, MapKeys, MapKeys]]:
        """The functions with map states in both revisions, by their classes."""
        return [(owner, old, new) for owner, old, new in self._functions() if old is not None and new is not None]

    def _functions(self) -> Iterator[tuple[str, MapKeys | None, MapKeys | None]]:
        """All functions, anonymous ones by their place."""
        base, head = self.sides.base, self.sides.head
        for owner in sorted(base.owners & head.owners):
            in_state = simple_name(owner) in self.sides.facts.shapes | self.sides.facts.polymorphic
            role = self.sides.role(owner)
            kept = role is Role.DATA and in_state
            if role is Role.FUNCTION or kept:
                yield owner, base.map_keys(owner), head.map_keys(owner)
        for key in base.declarations.keys() & head.declarations.keys():
            for old, new in zip(base.anonymous_functions(key), head.anonymous_functions(key), strict=False):
                yield key[0], _of_anonymous(old, key), _of_anonymous(new, key)


def classes_in_state(t: Transformation) -> frozenset[str]:
    """The simple names of the classes whose objects lie in the state of an operator."""
    states = () if isinstance(t.state, Unknown) else t.state
    return frozenset(simple_name(c.name) for s in states for c in s.classes)


def _of_anonymous(function: ProgramCode, around: Key) -> MapKeys | None:
    own = next(owner for owner in function.owners if owner.endswith(f".{ANONYMOUS}"))
    found = function.map_keys(own)
    return None if found is None else MapKeys(found.by_use, found.fields, found.through | {around})


def _words(text: str) -> frozenset[str]:
    """What a key is made of: members of the element, those that called functions read, or the whole element."""
    key, *behind = text.split(_BEHIND)
    own = frozenset(word for found in _ELEMENT.findall(key) for word in words_of_key(found))
    read = frozenset(word for code in behind for word in re.findall(r"\.(\w+)\b(?!\()", code))
    return (own - {ELEMENT}) | read if read else own


def _with_values(keys: MapKeys, t: Transformation) -> MapKeys:
    """The keys with the values that the object of a function holds."""
    values = FieldValues.read_by(keys.fields.union(*keys.by_use.values()), t)
    by_use = {place: values.put_into(texts) for place, texts in keys.by_use.items()}
    return MapKeys(by_use, values.put_into(values.without_settings(keys.fields)), keys.through)


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
