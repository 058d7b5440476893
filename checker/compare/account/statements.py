"""Explains the edit of some statements of a method or an initializer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.data_classes import DataClasses
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import (
    FOLLOWED,
    GRAVITY,
    KEY_READ,
    NOT_TAKEN,
    RECORDS,
    RUN,
    Verdict,
    harmless,
    undecided,
)
from checker.model.account import Why
from checker.model.program_code import Declaration, Detail, Key, ProgramCode, Role, Statement, method_name, simple_name

_LOCAL = re.compile(r"\$\d+|\b_\d+\b")
"""A local variable of Java or Python by its number."""
_WRITING_NOTHING = frozenset({"isImmutableType()", "createInstance()", "toString()"})
"""Methods of serializers that decide nothing about bytes."""
_GIVING_SERIALIZERS = frozenset(
    {"getWriterStateSerializer", "getCommittableSerializer", "getSplitSerializer", "getEnumeratorCheckpointSerializer"}
)
"""Methods of sources and sinks that say how their state is written."""
_RECEIVER = re.compile(r".*?(?=\b(?:register|add|set|enable|disable)\w* \()", re.DOTALL)
"""What comes before a call that configures something."""
_IN_ORDER = "addDefault"
"""How calls begin whose order counts where there are several."""


@dataclass(frozen=True)
class Statements:
    """Statements of both revisions."""

    sides: BothSides
    data: DataClasses
    _arguments: dict[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    """What ``_all`` found, by the revision's identity and what was asked."""

    def edited(
        self,
        pair: Pair,
        before: Detail | None,
        after: Detail | None,
        old: tuple[Statement, ...],
        new: tuple[Statement, ...],
    ) -> Verdict:
        """Some statements that became some others: the most severe explanation of any."""
        verdicts = [self._statement(pair, s, before) for s in old] + [self._statement(pair, s, after) for s in new]
        both = (*old, *new)
        if any(s.executed for s in both):
            facts = self.sides.facts
            open_ = facts.keyed and not facts.keys_read and not facts.keys_differ
            if open_ and self._differ("keys", old, new):
                verdicts.append(undecided(Why.KEY_NOT_READ, "it chooses keys, and how these are computed was not read"))
            if any(self._feeds(s) for s in both) and self._differ("typed", old, new):
                verdicts.append(
                    undecided(
                        Why.MAY_LIE_IN_STATE, "it may change the type of elements, and state holds some of unknown type"
                    )
                )
        if sum("enableAsyncState" in s.calls for s in old) != sum("enableAsyncState" in s.calls for s in new):
            verdicts.append(
                undecided(Why.STATE_NOT_READ, "Flink refuses state of the API v2 where it is not asynchronous")
            )
        return max(verdicts, key=lambda v: GRAVITY[v.explanation])

    @cached_property
    def _settings_differ(self) -> bool:
        """Whether calls that configure serializers differ, wherever they stand."""
        before, after = (_settings(code) for code in (self.sides.base, self.sides.head))
        return before != after or sum(n for (call, _), n in before.items() if call.startswith(_IN_ORDER)) > 1

    def _differ(self, what: str, old: tuple[Statement, ...], new: tuple[Statement, ...]) -> bool:
        """Whether statements have such arguments that the other revision has nowhere."""
        return not (
            _texts(new, what) <= self._all(self.sides.base, what)
            and _texts(old, what) <= self._all(self.sides.head, what)
        )

    def _all(self, code: ProgramCode, what: str) -> frozenset[str]:
        place = (id(code), what)
        if place not in self._arguments:
            self._arguments[place] = _texts((s for key in code.declarations for s in code.detail(key).statements), what)
        return self._arguments[place]

    def _statement(self, pair: Pair, statement: Statement, detail: Detail | None) -> Verdict:
        declaration = pair.any
        if statement.logs:
            return harmless(Why.LOGS, "it only writes to a log")
        if statement.serializes and not statement.registers and self._settings_differ:
            return undecided(Why.SERIALIZER, "it configures by which serializers state is written")
        if statement.executed:
            followed = self.sides.gap(statement) or FOLLOWED
            return (
                self.sides.state(pair, *self.sides.details(pair))
                if statement.touches_state and followed is FOLLOWED
                else followed
            )
        if not statement.deferred and detail is not None and detail.executed:
            return NOT_TAKEN
        owner = declaration.key[0]
        role = self.sides.role(owner)
        if role is Role.SERIALIZER and declaration.key[1] in _WRITING_NOTHING:
            return harmless(Why.PROCESSES_RECORDS, "it does not decide how state is written")
        if role is Role.SERIALIZER:
            return undecided(Why.SERIALIZER, f"{simple_name(owner)} decides how state is written")
        if method_name(declaration.key) in _GIVING_SERIALIZERS:
            return undecided(Why.SERIALIZER, f"it gives the serializer of what {simple_name(owner)} keeps")
        if role is Role.TRANSACTIONS and declaration.key[1].startswith("<init>"):
            return undecided(Why.STATE_NOT_READ, f"transactions of {simple_name(owner)} lie in state")
        spelled = self.sides.facts.keys_spelled or not self.sides.facts.keyed
        if not spelled and not statement.in_key and self.sides.in_key_code(pair):
            return undecided(Why.KEY_NOT_READ, "keys are computed with it, and how was not read")
        if self.sides.facts.keyed and (statement.in_key or role is Role.KEY_SELECTOR):
            if not self.sides.facts.keys_read:
                return undecided(Why.KEY_NOT_READ, "it chooses keys, and how these are computed was not read")
            return KEY_READ
        if declaration.identity and self.sides.facts.keyed and self.sides.facts.key_types_read:
            if simple_name(owner) in self.sides.facts.key_classes:
                return KEY_READ
        elif declaration.identity and self.sides.facts.keyed and self.sides.may_be_key(owner):
            return undecided(Why.KEY_NOT_READ, f"it decides where keys of class {simple_name(owner)} are looked for")
        if statement.touches_state or self.sides.in_state_code(pair):
            return self.sides.state(pair, *self.sides.details(pair))
        if statement.builds_graph and not statement.deferred:
            return self._graph(declaration)
        if not statement.deferred and role is not Role.FUNCTION and self._called(declaration):
            return undecided(Why.CALL_NOT_FOLLOWED, "code that builds the graph calls it, and it was not followed", RUN)
        if declaration.accessor and role is Role.DATA and not self.sides.facts.elements_read:
            return self.data.edited(owner, None)
        return KEY_READ if self.sides.facts.keyed and self.sides.in_key_code(pair) else RECORDS

    def _called(self, declaration: Declaration) -> bool:
        """Whether followed code seems to call a method that was not followed, on a class whose other code was."""
        owner, name = declaration.key[0], method_name(declaration.key)
        if declaration.accessor or declaration.identity or name == "toString":
            return False
        for code in (self.sides.base, self.sides.head):
            if name in code.executed_calls:
                followed = {key for key in code.declarations if code.detail(key).executed}
                named = {key[0] for key in followed if method_name(key) == name}
                of_class = (owner, "<header>") in code.declarations
                overridden = of_class and any(simple_name(owner) in code.ancestors(below) for below in named)
                reached = owner not in named and any(key[0] == owner for key in followed)
                if not overridden and reached and not _calls_its_own(code, followed, named, owner, name):
                    return True
        return False

    def _graph(self, declaration: Declaration) -> Verdict:
        """Code that would build a part of a graph and was not followed."""
        name = method_name(declaration.key)
        called = {name, simple_name(declaration.key[0])} & (self.sides.base.gaps | self.sides.head.gaps)
        if called or self.sides.facts.graph_open:
            return undecided(Why.GRAPH_NOT_FOLLOWED, "it may build a part of the graph, and was not followed", RUN)
        return harmless(Why.NOT_CALLED, "the program does not call it")

    def _feeds(self, statement: Statement) -> bool:
        return self.sides.facts.feeds(statement.location.file, statement.location.line, statement.end_line)


def _calls_its_own(code: ProgramCode, followed: Iterable[Key], named: Set[str], owner: str, name: str) -> bool:
    """Whether each call of a name stands in a class or script that has a followed one itself, and is no other's."""
    bare = re.compile(rf"(?<![\w.]){re.escape(name)}\s*\(")
    of_objects = re.compile(rf"\.\s*{re.escape(name)}\s*\(")
    for key in followed:
        calls = [s.tokens for s in code.detail(key).statements if s.executed and name in s.calls - s.of_libraries]
        own = key[0] in named and simple_name(owner) not in code.ancestors(key[0]) - {simple_name(key[0])}
        if calls and not (own and all(bare.search(text) and not of_objects.search(text) for text in calls)):
            return False
    return True


def _settings(code: ProgramCode) -> Counter[tuple[str, bool]]:
    """The calls that configure serializers, without what they are made on, and whether they are followed."""
    found = (s for key in code.declarations for s in code.detail(key).statements if s.serializes)
    return Counter((_RECEIVER.sub("", s.tokens, count=1), s.executed) for s in found)


def _texts(statements: Iterable[Statement], what: str) -> frozenset[str]:
    """Arguments of some statements, with the local variables of each numbered on its own."""
    return frozenset(_renumbered(text) for s in statements for text in getattr(s, what))


def _renumbered(text: str) -> str:
    numbers: dict[str, str] = {}
    return _LOCAL.sub(lambda found: numbers.setdefault(found.group(), f"${len(numbers)}"), text)
