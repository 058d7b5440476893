"""The ways on which elements come to an operator, and the functions that they pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from functools import cached_property

from checker.compare.account.facts import functions_of, keyed_name
from checker.compare.account.field_values import made_by
from checker.model.gathered import gathered
from checker.model.program_code import Flow, Key, Part, ProgramCode, Role, simple_name
from checker.model.reaching import reached
from checker.model.topology import Topology, Transformation
from checker.model.unknowns import Location

_MOST_WAYS = 500
"""How many ways to one operator are told apart."""
_OF_WINDOWS = frozenset({"process", "apply"})
"""Methods of PyFlink's window functions."""
_CONTENTS = re.compile(r"\$[23]\b")
"""What such a method is given of its window, in either kind of function."""
_PASSING = frozenset({"filter", "timestamps-watermarks"})
"""What operators are called that pass elements on as they are."""
Texts = tuple[str, ...]
"""What one function gives to members: its expressions, sorted."""
Way = tuple[Texts, ...]
"""What the functions give to members that an element passes, from its source on."""


@dataclass
class Side:
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
    _ways: dict[str, frozenset[Way] | None] = field(default_factory=dict)

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

    def ways(self, name: str) -> frozenset[Way] | None:
        """The ways on which elements come to the keyed operators of a name; None where they are too many."""
        found: set[Way] = set()
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

    def behind(self, name: str, texts: set[Texts]) -> set[Key]:
        """The declarations behind such functions on the ways, and those that declare the operators that run them."""
        found: set[Key] = set()
        for t in (*self.entered[name], *self._above(name)):
            flows = [flow for flow in self._flows(t) if made_by(t, flow) in texts]
            found.update(key for flow in flows for key in flow.through)
            found |= self.declaring(t)
        return found

    def made_above(self, name: str) -> dict[str, tuple[Transformation, list[Texts], list[Texts]]]:
        """The operators before these, each with what its functions make: as the code has it, and with its values."""
        found = ((t, self._flows(t)) for t in self._above(name))
        return {
            keyed_name(t): (t, sorted(tuple(sorted(f.texts)) for f in flows), sorted(made_by(t, f) for f in flows))
            for t, flows in found
        }

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
        given = self._given_to_states(methods.keys())
        for t in self._by_id.values():
            mine = [at[place] for place in t.functions_at if place in at]
            classes = {name for place in t.functions_at if place in owners for name in self._lineage(owners[place])}
            if not t.functions_at:
                classes = set(functions_of(t))
                if t.location is not None and t.inputs and not t.kind.virtual:
                    mine = lines.get((t.location.file, t.location.line), []) + lines.get(t.location, [])
            classes |= {name for owner in classes for name in given.get(owner, ())}
            found[t.id] = sorted({*mine, *(n for name in classes for n in methods.get(name, ()))})
        return found

    def _given_to_states(self, names: Set[str]) -> dict[str, list[str]]:
        """Functions that only code of one other function makes, for a state, by the class of that."""
        made: dict[str, set[str]] = {}
        for (owner, _), declaration in self.code.declarations.items():
            for name in declaration.names & names - {simple_name(owner)}:
                made.setdefault(name, set()).add(owner)
        alone = ((name, *owners) for name, owners in made.items() if len(owners) == 1)
        return gathered((simple_name(owner), name) for name, owner in alone if self.code.role(owner) is Role.FUNCTION)

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

    def _ways_through(self, name: str) -> frozenset[Way] | None:
        if name not in self._ways:
            self._ways[name] = frozenset()  # of a feedback edge
            t = self._by_id.get(name)
            own = sorted(made_by(t, flow) for flow in self._flows(t) if flow.texts) if t is not None else []
            inputs = t.inputs if t is not None else ()
            source = (str(t.uid),) if t is not None and t.uid in self.known_sources else ()
            found: set[Way] = set() if inputs else {(source,)}
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
