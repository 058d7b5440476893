"""Edits of code that computes the fields of keys, before the elements are keyed.

A key selector may stay the same while a function upstream of it gives the member that it takes another value: records
get other keys, and what lies in state under the old ones is never found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import Verdict, undecided
from checker.compare.fit.types import simple_name
from checker.model.account import Why
from checker.model.program_code import WHOLE, Flow, Key, Part, ProgramCode

_ROUNDS = 4
"""How many rounds of members are looked for that other members are computed from."""
_LEFT_OUT = frozenset(
    {Why.PROCESSES_RECORDS, Why.STATIC_FIELD, Why.IN_NO_STATE, Why.NEW_CLASS, Why.FIELD_OF_FUNCTION, Why.MOVED,
     Why.FOLLOWED, Why.CLASS_READ, Why.STATE_READ, Why.KEY_READ, Why.NOT_TAKEN}
)  # fmt: skip
"""Reasons that say nothing of code which computes keys."""
_COMPUTES = undecided(
    Why.KEY_NOT_READ, "it may change how keys are computed: records get other keys, and their state is not found"
)


@dataclass(frozen=True)
class KeyFlows:
    """The functions of both revisions whose elements are keyed later."""

    sides: BothSides

    def edited(self, pair: Pair, verdict: Verdict) -> Verdict:
        """An edit's explanation, or that it may change how keys are computed."""
        if verdict.why not in _LEFT_OUT or not self.sides.facts.keyed or pair.any.part is Part.HEADER:
            return verdict
        return _COMPUTES if any(side.key in self._changed for side in pair.sides) else verdict

    @cached_property
    def _changed(self) -> frozenset[Key]:
        """The declarations behind values that are computed differently."""
        wanted = self.sides.facts.key_words | self._selected()
        if not wanted:
            return frozenset()
        for _ in range(_ROUNDS):
            before, after = self._flows(self.sides.base, wanted), self._flows(self.sides.head, wanted)
            names = wanted.union(*(flow.names for flow in (*before, *after) if flow.texts))
            if names == wanted:
                break
            wanted = names
        old, new = _by_root(before), _by_root(after)
        roots = old.keys() | new.keys()
        sides = (self.sides.base, self.sides.head)
        both = {root for root in roots if not root[1] or all(root in code.declarations for code in sides)}
        edited = {root for root in both if _texts(old.get(root, ())) != _texts(new.get(root, ()))}
        gone, came = old.keys() - both, new.keys() - both
        if {_texts(old[root]) for root in gone} != {_texts(new[root]) for root in came}:
            edited |= gone | came
        flows = (flow for by_root in (old, new) for root in edited for flow in by_root.get(root, ()))
        return frozenset(key for flow in flows for key in flow.through)

    def _selected(self) -> frozenset[str]:
        """Names in key selectors whose keys are not known as expressions."""
        whole = frozenset({WHOLE}) if self.sides.facts.whole_elements_are_keys else frozenset()
        if self.sides.facts.keys_spelled:
            return whole
        return whole | frozenset(
            name
            for code in (self.sides.base, self.sides.head)
            for key in code.key_code
            for name in (*code.declarations[key].names, key[1].partition("(")[0])
        )

    def _flows(self, code: ProgramCode, wanted: frozenset[str]) -> tuple[Flow, ...]:
        return tuple(flow for flow in code.flows(wanted) if not self._after_keys(code, flow))

    def _after_keys(self, code: ProgramCode, flow: Flow) -> bool:
        """Whether the elements of a function reach no keyed operator."""
        after = self.sides.facts.after_keys
        if not after:
            return False
        functions, lines, locations = after[0 if code is self.sides.base else -1]
        if simple_name(flow.root[0]) in functions:
            return True
        if flow.line is None:
            return False
        file = code.declarations[flow.root].location.file
        whole = code.fused_into(file, flow.line)
        return whole in locations if whole is not None else (file, flow.line) in lines


def _by_root(flows: Iterable[Flow]) -> dict[Key, list[Flow]]:
    """The flows of each function; the lambdas of a class together, for a statement may move to another method."""
    found: dict[Key, list[Flow]] = {}
    for flow in flows:
        if flow.texts:
            found.setdefault(flow.root if flow.line is None else (flow.root[0], ""), []).append(flow)
    return found


def _texts(flows: Iterable[Flow]) -> frozenset[str]:
    return frozenset().union(*(flow.texts for flow in flows))
