"""The four questions to an edit of code: does it register state, choose keys, build graph, decide how state is written?

The last one is about serializers and classes in state. Where the comparison of what was read answers a question, the
edit is compared; where nothing does, it is not understood. What asks none of them only computes, and is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker.compare.account.both_sides import BothSides
from checker.compare.account.data_classes import DataClasses
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import BODY, FOLLOWED, GRAVITY, NOT_TAKEN, READ, SAME_PROGRAM, UNUSED, Verdict
from checker.model.account import Why
from checker.model.program_code import Detail, Part, Role, Statement, method_name, simple_name

_WRITING_NOTHING = frozenset({"isImmutableType()", "createInstance()", "toString()"})
"""Methods of serializers that decide nothing about bytes."""
_GIVING_SERIALIZERS = frozenset(
    {"getWriterStateSerializer", "getCommittableSerializer", "getSplitSerializer", "getEnumeratorCheckpointSerializer"}
)
"""Methods of sources and sinks that say how their state is written."""
_OF_WINDOWS = {
    "getWindowSerializer": "it gives the serializer of windows in state",
    "getDefaultTrigger": "it decides which timers open windows wait for",
    "isEventTime": "it decides which timers open windows wait for",
}
"""Methods of window assigners (``WindowAssigner``) that say how open windows are kept, and why that counts."""
_TRUTHS = frozenset({"true", "false", "True", "False"})


@dataclass(frozen=True, slots=True)
class Edited:
    """A declaration that differs, with the statements of each side that the other does not have."""

    pair: Pair
    before: Detail | None
    after: Detail | None
    old: tuple[Statement, ...]
    new: tuple[Statement, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Those of both sides."""
        return (*self.old, *self.new)


@dataclass(frozen=True)
class Questions:
    """What both revisions answer."""

    sides: BothSides
    data: DataClasses

    def answer(self, edited: Edited) -> Verdict:
        """The most severe explanation of any part of an edit."""
        if edited.pair.any.part in (Part.HEADER, Part.FIELD, Part.CONSTANT):
            return self._member(edited)
        verdicts = [self._statement(edited.pair, s, edited.before) for s in edited.old]
        verdicts += [self._statement(edited.pair, s, edited.after) for s in edited.new]
        verdicts += self._of_followed(edited)
        return max(verdicts, key=lambda verdict: GRAVITY[verdict.explanation])

    # -- statements ----------------------------------------------------------------------------------------------

    def _statement(self, pair: Pair, statement: Statement, detail: Detail | None) -> Verdict:
        if statement.logs:
            return SAME_PROGRAM
        if statement.settings and not statement.registers and self.sides.settings_differ:
            return Verdict(Why.TYPE, "it configures serializers")
        if statement.executed:
            followed = self._followed(statement)
            return self._state(pair) if statement.touches_state and followed is FOLLOWED else followed
        if not statement.deferred and detail is not None and detail.executed:
            return NOT_TAKEN
        return (
            self._decides_types(pair)
            or self._chooses_keys(pair, statement)
            or self._registers_state(pair, statement)
            or self._builds_graph(pair, statement)
            or self._of_element(pair)
            or BODY
        )

    def _of_followed(self, edited: Edited) -> Iterator[Verdict]:
        """What the results of followed statements leave open: keys and types that are not known."""
        facts, old, new = self.sides.facts, edited.old, edited.new
        if any(s.executed for s in edited.statements):
            open_ = facts.keyed and not facts.keys_read and not facts.keys_differ
            if open_ and self.sides.differ("keys", old, new):
                yield Verdict(Why.KEY)
            feeds = any(facts.feeds(s.location.file, s.location.line, s.end_line) for s in edited.statements)
            if feeds and self.sides.differ("typed", old, new):
                yield Verdict(Why.TYPE, "state holds elements of unknown type")

    def _followed(self, statement: Statement) -> Verdict:
        """What following a statement shows of it.

        What a call outside of the repository may have changed is unknown afterwards, and compared by what it is made
        of. Only operators that such code declares, and code that is looked up by name, are not.
        """
        looked_up = statement.gap and (statement.looks_up or self.sides.facts.unknown_operators)
        return Verdict(Why.GRAPH, "it calls code that is not in the repository") if looked_up else FOLLOWED

    def _decides_types(self, pair: Pair) -> Verdict | None:
        owner, name = pair.any.key
        role = self.sides.role(owner)
        if role is Role.SERIALIZER:
            return None if name in _WRITING_NOTHING else Verdict(Why.TYPE, f"{simple_name(owner)} is a serializer")
        if method_name(pair.any.key) in _GIVING_SERIALIZERS:
            return Verdict(Why.TYPE, f"it gives the serializer of what {simple_name(owner)} keeps")
        if role is Role.FUNCTION and method_name(pair.any.key) in _OF_WINDOWS:
            return Verdict(Why.TYPE, _OF_WINDOWS[method_name(pair.any.key)])
        if role is Role.TRANSACTIONS and name.startswith("<init>"):
            return Verdict(Why.TYPE, f"transactions of {simple_name(owner)} lie in state")
        return None

    def _chooses_keys(self, pair: Pair, statement: Statement) -> Verdict | None:
        facts, owner = self.sides.facts, pair.any.key[0]
        if not facts.keyed:
            return None
        if statement.in_key or self.sides.role(owner) is Role.KEY_SELECTOR:
            return READ if facts.keys_read else Verdict(Why.KEY)
        if self.sides.in_key_code(pair):
            return READ if facts.keys_spelled else Verdict(Why.KEY)
        if pair.any.identity and (simple_name(owner) in facts.key_classes or not facts.key_types_read):
            why = f"it decides where keys of class {simple_name(owner)} are looked for"
            return READ if facts.key_types_read else Verdict(Why.KEY, why)
        return None

    def _registers_state(self, pair: Pair, statement: Statement) -> Verdict | None:
        return self._state(pair) if statement.touches_state or self.sides.in_state_code(pair) else None

    def _builds_graph(self, pair: Pair, statement: Statement) -> Verdict | None:
        """Code that was not followed, and that what builds the graph may call."""
        declaration, (owner, _), name = pair.any, pair.any.key, method_name(pair.any.key)
        if statement.deferred:
            return None
        if statement.builds_graph:
            called = not self.sides.not_followed.isdisjoint({name, simple_name(owner)})
            return Verdict(Why.GRAPH) if called or self.sides.facts.graph_open else UNUSED
        if self.sides.role(owner) is Role.FUNCTION or declaration.accessor or declaration.identity:
            return None
        called = name in self.sides.not_followed and owner in self.sides.partly_followed and name != "toString"
        return Verdict(Why.GRAPH) if called else None

    def _of_element(self, pair: Pair) -> Verdict | None:
        owner = pair.any.key[0]
        open_ = pair.any.accessor and self.sides.role(owner) is Role.DATA and not self.sides.facts.elements_read
        return self.data.edited(owner, followed=False) if open_ else None

    def _state(self, pair: Pair) -> Verdict:
        """Code that registers state: compared where all of it was read."""
        owner, facts = simple_name(pair.any.key[0]), self.sides.facts
        own = facts.is_function(frozenset({owner}))
        unread = facts.unread_state(frozenset({owner}) if own else None)
        if unread is not None:
            return Verdict(Why.STATE, unread)
        details = [d for d in self.sides.details(pair) if d is not None]
        lines = {(s.location.file, line) for d in details for s in d.statements for line in s.registers}
        if lines <= facts.registrations:
            return READ
        used = self.sides.base.executed_names | self.sides.head.executed_names
        return Verdict(Why.STATE) if own or owner in used or not used else UNUSED

    # -- headers, fields, constants ------------------------------------------------------------------------------

    def _member(self, edited: Edited) -> Verdict:
        pair, facts = edited.pair, self.sides.facts
        declaration, owner = pair.any, pair.any.key[0]
        role, is_field = self.sides.role(owner), pair.any.part is Part.FIELD
        if role is Role.SERIALIZER:
            return Verdict(Why.TYPE, f"{simple_name(owner)} is a serializer")
        if facts.keyed and not (facts.key_types_read and facts.keys_read) and self.sides.in_key_code(pair):
            return Verdict(Why.KEY)
        if self.sides.in_state_code(pair):
            flag = is_field and _truths(edited.before) != _truths(edited.after) and len(pair.sides) > 1
            return Verdict(Why.STATE, "a flag") if flag and facts.same_states else self._state(pair)
        executed = [s for d in (edited.before, edited.after) if d is not None for s in d.statements if s.executed]
        if is_field and declaration.static:
            return max(map(self._followed, executed), key=lambda v: GRAVITY[v.explanation], default=UNUSED)
        if role is Role.TRANSACTIONS:
            return Verdict(Why.TYPE, f"transactions of {simple_name(owner)} lie in state")
        if role is not Role.DATA:
            if declaration.part is not Part.HEADER:
                return UNUSED
            if len(pair.sides) > 1 and simple_name(owner) in facts.feeding_functions:
                return Verdict(Why.TYPE, "its elements may lie in state of unknown type")
            return self._state(pair)
        if is_field and self._part_of_key(pair):
            return Verdict(Why.KEY)
        return self.data.edited(owner, followed=any(self._followed(s) is FOLLOWED for s in executed))

    def _part_of_key(self, pair: Pair) -> bool:
        """Whether a key that is known by its expression only may take this field."""
        if not self.sides.facts.keyed or self.sides.facts.key_types_read:
            return False
        return any(name in self.sides.facts.key_words for d in pair.sides for name in d.key[1].split(","))


def _truths(detail: Detail | None) -> frozenset[str]:
    """The truth values that a declaration mentions."""
    return frozenset(n for s in (detail.statements if detail is not None else ()) for n in s.names & _TRUTHS)
