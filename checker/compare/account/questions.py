"""The four questions to an edit of code: does it register state, choose keys, build graph, decide how state is written?

The last one is about serializers and classes in state. Where the comparison of what was read answers a question, the
edit is compared; where nothing does, it is not understood. What asks none of them only computes, and is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides, Pair, reached_names
from checker.model.account import BODY, FOLLOWED, GRAVITY, NOT_TAKEN, READ, SAME_PROGRAM, UNUSED, Verdict, Why
from checker.model.program_code import Detail, Part, Pickled, ProgramCode, Role, Statement, method_name, simple_name

_WRITING_NOTHING = frozenset({"isImmutableType()", "createInstance()", "toString()"})
"""Methods of serializers that decide nothing about bytes."""
_GIVING_SERIALIZERS = frozenset(
    {"getWriterStateSerializer", "getCommittableSerializer", "getSplitSerializer", "getEnumeratorCheckpointSerializer"}
    | {"getSerializer"}  # of a BucketAssigner
)
"""Methods of sources and sinks that say how their state is written."""
_OF_WINDOWS = {
    "getWindowSerializer": "it gives the serializer of windows in state",
    "getDefaultTrigger": "it decides which timers open windows wait for",
    "isEventTime": "it decides which timers open windows wait for",
}
"""Methods of window assigners (``WindowAssigner``) that say how open windows are kept, and why that counts."""


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
        if statement.logs and not statement.touches_state:
            return SAME_PROGRAM
        if statement.settings and not statement.registers:
            return Verdict(Why.TYPE, "it configures serializers")
        if statement.executed:
            followed = self._followed(statement)
            return self._state(pair) if statement.touches_state and followed is FOLLOWED else followed
        if not statement.deferred and detail is not None and detail.executed:
            return NOT_TAKEN
        found = (
            self._decides_types(pair),
            self._chooses_keys(pair, statement),
            self._state(pair) if self.sides.asks_for_state(pair, statement) or self.sides.in_state_code(pair) else None,
            self._builds_graph(pair, statement),
            self._of_element(pair),
        )
        return max(filter(None, found), key=lambda verdict: GRAVITY[verdict.explanation], default=BODY)

    def _of_followed(self, edited: Edited) -> Iterator[Verdict]:
        """What the results of followed statements leave open: keys and types that are not known."""
        facts = self.sides.facts
        given, gives = ({text for s in side for text in s.given} for side in (edited.old, edited.new))
        if given != gives and any(s.executed for s in edited.statements):
            if facts.keyed and not facts.keys_read and any(s.key_names for s in edited.statements):
                yield Verdict(Why.KEY)
            if any(facts.feeds(s.location.file, s.location.line, s.end_line) for s in edited.statements):
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
        if statement.in_key or self.sides.role(owner) is Role.KEY_SELECTOR or self.sides.in_key_code(pair):
            return READ if facts.keys_read else Verdict(Why.KEY)
        if pair.any.identity and (simple_name(owner) in facts.key_classes or not facts.key_types_read):
            why = f"it decides where keys of class {simple_name(owner)} are looked for"
            return READ if facts.key_types_read else Verdict(Why.KEY, why)
        return None

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
            verdict, of_data = self._state(pair), role is Role.DATA and not declaration.static
            if verdict is not READ or not of_data or declaration.part is Part.CONSTANT:
                return verdict
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
        followed = any(self._followed(s) is FOLLOWED for s in executed)
        verdict = self.data.edited(owner, followed=followed)
        return FOLLOWED if followed and verdict is UNUSED else verdict


@dataclass(frozen=True)
class DataClasses:
    """Which classes of both revisions may lie in state."""

    sides: BothSides

    def written_subclass(self, pair: Pair) -> bool:
        """Whether a class is gone, or has another name, of which there may be objects in state."""
        class_name, facts = pair.any.key[0], self.sides.facts
        if pair.head is not None or self.sides.head.has_class(class_name):
            return False
        if pair.any.part is not Part.HEADER or self.sides.role(class_name) is not Role.DATA:
            return False
        owner = simple_name(class_name)
        above = self.sides.base.reached.ancestors(class_name) - {owner}
        return owner not in facts.shapes and bool(above & (facts.shapes | facts.polymorphic))

    def edited(self, owner: str, *, followed: bool) -> Verdict:
        """A class that may be an element, a key, a configuration. ``followed``: the edit was, and is in no element."""
        name, facts = simple_name(owner), self.sides.facts
        family = self.sides.base.reached.ancestors(owner) | self.sides.head.reached.ancestors(owner) | {name}
        if name in facts.shapes:
            return READ
        unknown = not facts.elements_read and not followed and name in self._elements
        if unknown or family & (facts.polymorphic | facts.shapes):
            return Verdict(Why.TYPE, f"objects of {name} may lie in state")
        return UNUSED

    @cached_property
    def _elements(self) -> frozenset[str]:
        """Names of classes whose objects may lie in state of unknown type: those that followed code mentions."""
        found: set[str] = set()
        for code in self.sides.both:
            mentioned = set(code.executed_names)
            by_owner: dict[str, set[str]] = {}
            for key, declaration in code.reached.declarations.items():
                name = simple_name(key[0])
                if name in self.sides.facts.feeding_functions and declaration.part is Part.HEADER:
                    mentioned |= declaration.names
                elif declaration.part is not Part.METHOD and code.reached.role(key[0]) is Role.DATA:
                    by_owner.setdefault(name, set()).update(declaration.names)
            found |= reached_names(mentioned, by_owner)
        return frozenset(found)


_REDUCING = frozenset({"__reduce__", "__reduce_ex__"})


@dataclass(frozen=True)
class PickledClasses:
    """Which classes of both revisions may be pickled."""

    sides: BothSides

    def changed_by(self, pair: Pair) -> bool:
        """Whether objects may lie in state that Python does not unpickle any more, or as another one."""
        declaration, owner = pair.any, pair.any.key[0]
        if pair.base is not None and pair.base.part is Part.METHOD and pair.base.key[1] in self._rebuilding:
            return True
        made = pair.base.pickled if pair.base is not None and pair.base.part is Part.FIELD else None
        if made is not None:
            kept = pair.head is not None and pair.head.pickled is not None and pair.head.pickled.unpickles(made)
            return not kept and any(name in self._with_records for name in declaration.key[1].split(","))
        if declaration.part is Part.METHOD and not declaration.key[1].startswith("__"):
            return False
        old, new = (_pickled(code, owner) for code in (self.sides.base, self.sides.head))
        if old is None or self.sides.role(owner) is Role.FUNCTION or simple_name(owner) not in self._with_records:
            return False
        return new is None or not new.unpickles(old)

    @cached_property
    def _rebuilding(self) -> frozenset[str]:
        """The functions by which objects that lie in state were pickled: unpickling calls what these name."""
        code = self.sides.base.reached.declarations.values()
        given = frozenset().union(*(d.names for d in code if "copyreg" in d.names))
        reducers = [d for d in code if d.key[1] in _REDUCING or (d.part is Part.METHOD and d.key[1] in given)]
        return frozenset().union(*(d.names for d in reducers)) - _REDUCING

    @cached_property
    def _with_records(self) -> frozenset[str]:
        """Names that functions mention which run with records, or collections of elements, and what these mention."""
        found: set[str] = set()
        for code in (self.sides.base, self.sides.head):
            pending: set[str] = set()
            by_owner: dict[str, set[str]] = {}
            for key, declaration in code.reached.declarations.items():
                if declaration.part is Part.METHOD and not code.detail(key).executed:
                    pending |= declaration.names
                elif declaration.part in (Part.HEADER, Part.FIELD):
                    by_owner.setdefault(simple_name(key[0]), set()).update(declaration.names)
                for statement in code.detail(key).statements:
                    pending |= statement.names if "from_collection" in statement.names else set()
            found |= reached_names(pending, by_owner)
        return frozenset(found)


def _pickled(code: ProgramCode, owner: str) -> Pickled | None:
    header = code.reached.declarations.get((owner, "<header>"))
    return None if header is None else header.pickled
