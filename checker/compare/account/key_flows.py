"""Edits of code that computes the fields of keys, before the elements are keyed.

A key selector may stay the same while a function upstream of it gives the member that it takes another value: records
get other keys, and what lies in state under the old ones is never found.

Functions are compared along the ways on which elements come to a keyed operator. So it makes no difference where in the
code a function stands, and two functions that change places are seen. Functions that no operator is known to run are
compared declaration by declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.enums_in_keys import in_keys
from checker.compare.account.facts import functions_of, keyed_name, words_of_key
from checker.compare.account.map_keys import OTHER_ENTRIES, MapStateKeys
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import COMPUTES_KEYS, Verdict, undecided
from checker.model.account import Explanation, Why
from checker.model.gathered import gathered
from checker.model.program_code import ELEMENT, FILE, WHOLE, Flow, Key, Part, ProgramCode, simple_name
from checker.model.reaching import reached
from checker.model.topology import Topology, Transformation
from checker.model.unknowns import Location
from checker.model.used_states import method_name

_ROUNDS = 4
"""How often members are looked for that other members are made of."""
_MOST_WAYS = 500
"""How many ways to one operator are told apart."""
_OF_WINDOWS = frozenset({"process", "apply"})
"""Methods of PyFlink's window functions."""
_CONTENTS = re.compile(r"\$[23]\b")
"""What such a method is given of its window, in either kind of function."""
_PASSING = frozenset({"filter", "timestamps-watermarks"})
"""What operators are called that pass elements on as they are."""
_VARIABLE = re.compile(r"\b(?:getenv|environ)\b[\s.()\[]*(?:get\w*[\s.(]*)?[\"'](\w+)[\"']")
"""An environment variable that an expression reads, in Java or Python."""
_SWAPPED = undecided(
    Why.MAY_LIE_IN_STATE, "the inputs of an operator changed places: what it keeps of one is taken for the other's"
)
_Texts = tuple[str, ...]
"""What one function gives to members: its expressions, sorted."""
_Way = tuple[_Texts, ...]
"""What the functions give to members that an element passes, from its source on."""


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
    def _both(self) -> tuple[_Side, _Side]:
        keyed = self.sides.facts.keyed_in_all
        return self._before(lambda t: t.keyed and keyed_name(t) in keyed)

    def _before(self, wanted: Callable[[Transformation], bool]) -> tuple[_Side, _Side]:
        """Both revisions, looked at before some operators."""
        facts = self.sides.facts
        codes, topologies = (self.sides.base, self.sides.head), (facts.topologies[0], facts.topologies[-1])
        base, head = (_Side(c, t, wanted) for c, t in zip(codes, topologies, strict=True))
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
        both = self._before(lambda t: not functions.isdisjoint(functions_of(t)))
        return self._made_otherwise(self.entries.words, *both) if all(side.entered for side in both) else frozenset()

    @property
    def _twice(self) -> bool:
        return len(self.sides.facts.topologies) > 1

    def _made_otherwise(
        self, wanted: frozenset[str], base: _Side, head: _Side, *, of_keys: bool = False
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

    def _by_declaration(self, base: _Side, head: _Side) -> set[Key]:
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
        return whole | frozenset(
            name
            for code in (self.sides.base, self.sides.head)
            for key in code.key_code
            for name in (*code.declarations[key].names, method_name(key))
        )


def _read(wanted: frozenset[str], base: _Side, head: _Side) -> None:
    """Look for what functions of both revisions give to members of such names, and to those that these are made of."""
    for _ in range(_ROUNDS):
        base.read(wanted)
        head.read(wanted)
        names = wanted.union(*(flow.names for side in (base, head) for flow in side.relevant if flow.texts))
        if names == wanted:
            break
        wanted = names


@dataclass
class _Side:
    """One revision: which operators run which functions, and which of them elements pass before they are keyed."""

    code: ProgramCode
    topology: Topology
    counts: Callable[[Transformation], bool]
    """Whether it counts what comes to an operator."""
    unplaced: set[int] = field(default_factory=set)
    """Functions that are compared by their declarations although operators run them, by their place in ``flows``."""
    flows: tuple[Flow, ...] = ()
    known_sources: frozenset[str] = frozenset()
    """Uids of sources in both revisions: by these alone a way's beginning is known, since a uid may be renamed."""
    _ways: dict[str, frozenset[_Way] | None] = field(default_factory=dict)

    def read(self, wanted: frozenset[str]) -> None:
        """Look for what functions give to members of such names."""
        making = (t for t in self._by_id.values() if t.operator not in _PASSING)
        places = frozenset(place for t in making for place in t.functions_at)
        self.flows = self.code.flows(wanted, places)
        self.__dict__.pop("_run", None)
        self._ways.clear()

    @property
    def relevant(self) -> list[Flow]:
        """The functions that may have a part in keys: not those that run after all keyed operators only."""
        after = {n for t in self._by_id.values() for n in self._run[t.id]} - self._before
        return [flow for n, flow in enumerate(self.flows) if n not in after]

    def unplaced_flows(self) -> list[Flow]:
        """Functions that no operator is known to run, and those whose ways are too many."""
        run = {n for found in self._run.values() for n in found}
        return [flow for n, flow in enumerate(self.flows) if n not in run or n in self.unplaced]

    def ways(self, name: str) -> frozenset[_Way] | None:
        """The ways on which elements come to the keyed operators of a name; None where they are too many."""
        found: set[_Way] = set()
        for t in self.entered[name]:
            for before in t.inputs:
                ways = self._ways_through(before)
                if ways is None:
                    return None
                found |= ways
        return frozenset(found)

    def upstream(self, name: str) -> set[int]:
        """The functions, by their place in ``flows``, that elements may pass before these operators."""
        return {n for t in self._above(name) for n in self._passed(t)}

    def behind(self, name: str, texts: set[_Texts]) -> set[Key]:
        """The declarations behind such functions on the ways, and those that declare the operators that run them."""
        found: set[Key] = set()
        for t in (*self.entered[name], *self._above(name)):
            flows = [flow for flow in self._flows(t) if _made_by(t, flow) in texts]
            found.update(key for flow in flows for key in flow.through)
            found |= self.declaring(t)
        return found

    def with_two_inputs(self) -> dict[str, tuple[tuple[frozenset[str], frozenset[str]], Transformation]]:
        """The keyed operators with two inputs, each with the uids of what comes first before either input."""
        named = {name: ts[0] for name, ts in self.entered.items() if len(ts) == 1 and len(ts[0].inputs) == 2}
        return {name: ((self._first(t.inputs[0]), self._first(t.inputs[1])), t) for name, t in named.items()}

    def _first(self, name: str) -> frozenset[str]:
        t = self._by_id.get(name)
        if t is None or isinstance(t.uid, str):
            return frozenset() if t is None else frozenset({str(t.uid)})
        if isinstance(t.tag, str):
            return frozenset(f"{name} {t.tag}" for before in t.inputs for name in self._first(before))
        return frozenset().union(*(self._first(before) for before in t.inputs))

    # -- what is made once ---------------------------------------------------------------------------------------

    @cached_property
    def source_uids(self) -> frozenset[str]:
        """The uids of operators without inputs."""
        return frozenset(t.uid for t in self._by_id.values() if not t.inputs and isinstance(t.uid, str))

    @cached_property
    def _by_id(self) -> dict[str, Transformation]:
        return {t.id: t for t in self.topology.operators()}

    @cached_property
    def entered(self) -> dict[str, list[Transformation]]:
        """The operators that count by what they are called."""
        return gathered((keyed_name(t), t) for t in filter(self.counts, self._by_id.values()))

    @property
    def _before(self) -> set[int]:
        return {n for name in self.entered for n in self.upstream(name)}

    @cached_property
    def _run(self) -> dict[str, list[int]]:
        """The functions that each operator runs, by their place in ``flows``."""
        owners = {d.location: key[0] for key, d in self.code.declarations.items() if key[1] == "<header>"}
        at: dict[Location, int] = {}
        lines: dict[tuple[str, int] | Location, list[int]] = {}
        methods: dict[str, list[int]] = {}
        for n, flow in enumerate(self.flows):
            if flow.at is not None:
                at[flow.at] = n
            elif flow.line is not None:
                file = self.code.declarations[flow.root].location.file
                lines.setdefault(self.code.fused_into(file, flow.line) or (file, flow.line), []).append(n)
            else:
                methods.setdefault(simple_name(flow.root[0]), []).append(n)
        found: dict[str, list[int]] = {}
        for t in self._by_id.values():
            mine = [at[place] for place in t.functions_at if place in at]
            classes = {name for place in t.functions_at if place in owners for name in self._lineage(owners[place])}
            if not t.functions_at:
                classes = set(functions_of(t))
                if t.location is not None and t.inputs and not t.kind.virtual:
                    mine = lines.get((t.location.file, t.location.line), []) + lines.get(t.location, [])
            found[t.id] = sorted({*mine, *(n for name in classes for n in methods.get(name, ()))})
        return found

    def _flows(self, t: Transformation) -> list[Flow]:
        return [self.flows[n] for n in self._passed(t)]

    def _passed(self, t: Transformation) -> list[int]:
        """The functions of an operator, without those whose results a window function makes nothing of."""
        run = self._run[t.id]
        last = [n for n in run if t.window is not None and self.flows[n].root[1] in _OF_WINDOWS]
        texts = [self.flows[n].texts for n in last]
        if not texts or not all(texts) or any(_CONTENTS.search(text) for found in texts for text in found):
            return run
        return last

    def _lineage(self, owner: str) -> frozenset[str]:
        return self.code.ancestors(owner) | {simple_name(owner)}

    def _ways_through(self, name: str) -> frozenset[_Way] | None:
        if name not in self._ways:
            self._ways[name] = frozenset()  # of a feedback edge
            t = self._by_id.get(name)
            own = sorted(_made_by(t, flow) for flow in self._flows(t) if flow.texts) if t is not None else []
            inputs = t.inputs if t is not None else ()
            source = (str(t.uid),) if t is not None and t.uid in self.known_sources else ()
            found: set[_Way] = set() if inputs else {(source,)}
            for before in inputs:
                ways = self._ways_through(before)
                if ways is None or len(found) > _MOST_WAYS:
                    self._ways[name] = None
                    return None
                found |= ways
            self._ways[name] = frozenset((*way, *own) for way in found)
        return self._ways[name]

    def _above(self, name: str) -> list[Transformation]:
        inputs = (before for t in self.entered[name] for before in t.inputs)
        above = reached(inputs, lambda id_: self._by_id[id_].inputs if id_ in self._by_id else ())
        return [self._by_id[id_] for id_ in above if id_ in self._by_id]

    def declaring(self, t: Transformation) -> set[Key]:
        """The declaration in which an operator is declared: the last that begins before it."""
        if t.location is None:
            return set()
        before = [
            (d.location.line, key)
            for key, d in self.code.declarations.items()
            if d.location.file == t.location.file and d.location.line <= t.location.line and d.part is not Part.HEADER
        ]
        return {max(before)[1]} if before else set()


def _made_by(t: Transformation, flow: Flow) -> _Texts:
    """What a function gives to members where an operator runs it: with the constants that its own object holds."""
    values = dict(value.split("=", 1) for value in t.function_values)
    texts = set(flow.texts)
    for name in flow.fields & {name.partition(".")[0] for name in values}:
        word = re.compile(rf'(?<![\w.$"]){re.escape(name)}(?:\.\w+)?\b')
        made = {text for text in texts if not text.startswith(f"{name} = ")}
        if name in values:
            word = re.compile(rf'(?<![\w.$"]){re.escape(name)}\b')
        if values.keys() >= {found for text in made for found in word.findall(text)}:
            texts = {word.sub(lambda found: values[found[0]], text) for text in made}
    return tuple(sorted(texts))


def _by_root(flows: Iterable[Flow]) -> dict[Key, list[Flow]]:
    """The flows of each function; the lambdas of a class together, for a statement may move to another method."""
    return gathered((flow.root if flow.line is None else (flow.root[0], ""), flow) for flow in flows if flow.texts)


def _all_texts(flows: Iterable[Flow]) -> list[_Texts]:
    return sorted(tuple(sorted(flow.texts)) for flow in flows)
