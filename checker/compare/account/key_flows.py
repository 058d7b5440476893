"""Edits of code that computes the fields of keys, before the elements are keyed.

A key selector may stay the same while a function upstream of it gives the member that it takes another value: records
get other keys, and what lies in state under the old ones is never found.

Functions are compared along the ways on which elements come to a keyed operator. So it makes no difference where in the
code a function stands, and two functions that change places are seen. Functions that no operator is known to run are
compared declaration by declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.enums_in_keys import in_keys
from checker.compare.account.facts import functions_of, keyed_name, words_of_key
from checker.compare.account.field_values import values_differ
from checker.compare.account.map_keys import OTHER_ENTRIES, MapStateKeys, classes_in_state
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import COMPUTES_KEYS, Verdict, undecided
from checker.compare.account.ways import Side, Texts
from checker.model.account import Edit, Explanation, Thing, Why
from checker.model.gathered import gathered
from checker.model.program_code import ELEMENT, FILE, WHOLE, Flow, Key, Part
from checker.model.topology import Transformation
from checker.model.used_states import method_name

_ROUNDS = 4
"""How often members are looked for that other members are made of."""
_VARIABLE = re.compile(r"\b(?:getenv|environ)\b[\s.()\[]*(?:get\w*[\s.(]*)?[\"'](\w+)[\"']")
"""An environment variable that an expression reads, in Java or Python."""
_GIVEN = undecided(
    Why.KEY_NOT_READ, "keys are made of a value that it is given, and that is another one: their state is not found"
)
_SWAPPED = undecided(
    Why.MAY_LIE_IN_STATE, "the inputs of an operator changed places: what it keeps of one is taken for the other's"
)


@dataclass(frozen=True)
class KeyFlows:
    """The functions of both revisions whose elements are keyed later."""

    sides: BothSides

    def edited(self, pair: Pair, verdict: Verdict) -> Verdict:
        """An edit's explanation, or that it may compute what keys are made of."""
        known = verdict.explanation is Explanation.NOT_UNDERSTOOD or verdict.why is Why.RENAMED_LOCAL
        if known or pair.any.part is Part.HEADER:
            return verdict
        if self.sides.facts.keyed:
            if any(side.key in self._swapped for side in pair.sides):
                return _SWAPPED
            if any(side.key in self._changed for side in pair.sides):
                return COMPUTES_KEYS
        if self._twice and in_keys(self.sides, pair, lambda: (*self._texts, *self.entries.texts)):
            return COMPUTES_KEYS
        return OTHER_ENTRIES if any(side.key in self._changed_entries for side in pair.sides) else verdict

    @property
    def files(self) -> frozenset[str]:
        """Files from which something comes that keys are made of, and which comes otherwise now."""
        return frozenset(owner for owner, name in self._changed | self._changed_entries if name == FILE)

    @property
    def variables(self) -> frozenset[str]:
        """Environment variables that code reads when it computes keys."""
        if self._changed and not self.sides.facts.keyed:
            return frozenset()
        return frozenset(name for text in self._texts for name in _VARIABLE.findall(text))

    @property
    def _texts(self) -> list[str]:
        """The expressions that keys are made of, on all ways."""
        keys = [t.key for t in self.sides.facts.keyed_transformations if isinstance(t.key, str)]
        return [*keys, *(text for side in self._both for flow in side.relevant for text in flow.texts)]

    @cached_property
    def _both(self) -> tuple[Side, Side]:
        keyed = self.sides.facts.keyed_in_all
        return self._before(lambda t: t.keyed and keyed_name(t) in keyed)

    def _before(self, wanted: Callable[[Transformation], bool]) -> tuple[Side, Side]:
        """Both revisions, looked at before some operators."""
        facts = self.sides.facts
        codes, topologies = (self.sides.base, self.sides.head), (facts.topologies[0], facts.topologies[-1])
        base, head = (Side(c, t, wanted) for c, t in zip(codes, topologies, strict=True))
        base.known_sources = head.known_sources = base.source_uids & head.source_uids
        return base, head

    @cached_property
    def _swapped(self) -> frozenset[Key]:
        """The declarations of operators whose two inputs changed places."""
        if not self._twice:
            return frozenset()
        before, after = (side.with_two_inputs() for side in self._both)
        found: set[Key] = set()
        for name in before.keys() & after.keys():
            (left, right), t = before[name]
            if left != right and after[name][0] == (right, left):
                found |= self._both[0].declaring(t) | self._both[1].declaring(after[name][1])
        return frozenset(found)

    @cached_property
    def _changed(self) -> frozenset[Key]:
        """The declarations that have a part in values which are made otherwise."""
        wanted = self.sides.facts.key_words | self._selected()
        return self._made_otherwise(wanted, *self._both, of_keys=True) if wanted and self._twice else frozenset()

    @cached_property
    def entries(self) -> MapStateKeys:
        """By what the functions themselves look entries up."""
        return MapStateKeys(self.sides)

    @cached_property
    def _changed_entries(self) -> frozenset[Key]:
        """The same for what entries of maps in state are looked up by."""
        functions = self.entries.functions
        if not self.entries.words or not self._twice:
            return frozenset()
        both = self._before(lambda t: not functions.isdisjoint(functions_of(t) | classes_in_state(t)))
        return self._made_otherwise(self.entries.words, *both) if all(side.entered for side in both) else frozenset()

    @property
    def _twice(self) -> bool:
        return len(self.sides.facts.topologies) > 1

    def given_otherwise(self) -> Iterator[Edit]:
        """Functions whose code makes the same keys, of other values: wherever these come from, an edit for each."""
        if not self._twice or not values_differ(self.sides.facts.topologies):
            return
        base, head = self._both
        names = base.entered.keys() & head.entered.keys() if self._changed else ()
        found: dict[str, tuple[Transformation, Transformation]] = {}
        for name in sorted(names):
            before = {} if self._same_key(name) else base.made_above(name)
            for key, (t, code, made) in head.made_above(name).items() if before else ():
                if key in before and code == before[key][1] and made != before[key][2]:
                    found[key] = before[key][0], t
        for old, new in found.values():
            yield _GIVEN.edit(Thing.CONFIGURATION, new.display_name, old.location, new.location)
        for old, new in self.entries.given_otherwise():
            yield _GIVEN.edit(Thing.CONFIGURATION, new.display_name, old.location, new.location)

    def _made_otherwise(
        self, wanted: frozenset[str], base: Side, head: Side, *, of_keys: bool = False
    ) -> frozenset[Key]:
        """The declarations behind values of such names that come to operators and are made otherwise."""
        _read(wanted, base, head)
        found: set[Key] = set()
        for name in base.entered.keys() & head.entered.keys():
            before, after = base.ways(name), head.ways(name)
            if before is None or after is None:
                base.unplaced |= base.upstream(name)
                head.unplaced |= head.upstream(name)
            elif not before <= after and not (of_keys and self._same_key(name)):
                texts = [{text for way in ways for text in way} for ways in (before - after, after - before)]
                differing = texts[0] ^ texts[1] or texts[0]
                found |= base.behind(name, differing) | head.behind(name, differing)
        return frozenset(found | self._by_declaration(base, head))

    def _same_key(self, name: str) -> bool:
        """Whether what the key of one operator is made of comes to it in the same ways: keys of others don't count."""
        base, head = self._before(lambda t: t.keyed and keyed_name(t) == name)
        keys = [t.key for side in (base, head) for t in side.entered.get(name, ())]
        words = self._selected().union(*map(words_of_key, keys))
        if ELEMENT in words:  # any part of an element may be taken
            return False
        _read(words, base, head)
        before, after = (side.ways(name) if side.entered else None for side in (base, head))
        return before is not None and after is not None and before <= after

    def _by_declaration(self, base: Side, head: Side) -> set[Key]:
        """The same for functions that no operator is known to run; the lambdas of a class together.

        A function that operators run in one revision only is compared along their ways.
        """
        old, new = _by_root(base.unplaced_flows()), _by_root(head.unplaced_flows())
        if not self.sides.facts.graph_open:
            on_ways = [_by_root(side.flows).keys() - by_root.keys() for side, by_root in ((base, old), (head, new))]
            old = {root: flows for root, flows in old.items() if root not in on_ways[1]}
            new = {root: flows for root, flows in new.items() if root not in on_ways[0]}
        sides = (self.sides.base, self.sides.head)
        both = {r for r in old.keys() | new.keys() if not r[1] or all(r in code.declarations for code in sides)}
        edited = {root for root in both if _all_texts(old.get(root, ())) != _all_texts(new.get(root, ()))}
        gone, came = old.keys() - both, new.keys() - both
        if sorted(_all_texts(old[root]) for root in gone) != sorted(_all_texts(new[root]) for root in came):
            edited |= gone | came
        return {key for side in (old, new) for root in edited for flow in side.get(root, ()) for key in flow.through}

    def _selected(self) -> frozenset[str]:
        """Names in key selectors whose keys are not known as expressions."""
        whole = frozenset({WHOLE}) if self.sides.facts.whole_elements_are_keys else frozenset()
        if self.sides.facts.keys_spelled:
            return whole
        sides = (self.sides.base, self.sides.head)
        used = (
            name
            for code in sides
            for key in code.key_code
            for name in (*code.declarations[key].names, method_name(key))
        )
        return whole.union(used, *(code.names_in_keys for code in sides))


def _read(wanted: frozenset[str], base: Side, head: Side) -> None:
    """Look for what functions of both revisions give to members of such names, and to those that these are made of."""
    for _ in range(_ROUNDS):
        base.read(wanted)
        head.read(wanted)
        names = wanted.union(*(flow.names for side in (base, head) for flow in side.relevant if flow.texts))
        if names == wanted:
            break
        wanted = names


def _by_root(flows: Iterable[Flow]) -> dict[Key, list[Flow]]:
    """The flows of each function; the lambdas of a class together, for a statement may move to another method."""
    return gathered((flow.root if flow.line is None else (flow.root[0], ""), flow) for flow in flows if flow.texts)


def _all_texts(flows: Iterable[Flow]) -> list[Texts]:
    return sorted(tuple(sorted(flow.texts)) for flow in flows)
