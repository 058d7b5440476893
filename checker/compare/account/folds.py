"""Edits after which a new value is made of the old one no more: what was summed up, or collected, is overwritten.

That are members of objects in state (``sum += x`` that becomes ``sum = x``), and results of functions that fold values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.pairs import Pair
from checker.compare.account.restored_contents import restores
from checker.compare.account.verdicts import Verdict, undecided
from checker.model.account import Why
from checker.model.program_code import STATE_FIELD, Key, Part, ProgramCode, Role, Runs
from checker.model.reductions import OF_STATE, Fold
from checker.model.used_states import RESTORING, method_name

_FORGETS = undecided(
    Why.MAY_LIE_IN_STATE, "what lies in state is no longer made of what it was: a value that was folded is overwritten"
)


@dataclass(frozen=True)
class Folds:
    """What methods of both revisions fold."""

    sides: BothSides
    _found: dict[tuple[int, Key], Fold] = field(default_factory=dict)

    def edited(self, pair: Pair) -> Verdict | None:
        """An edit of a method that folds less than it did."""
        if pair.base is None or pair.base.part is not Part.METHOD:
            return None
        before = self._fold(self.sides.base, pair.base.key)
        after = self._fold(self.sides.head, pair.head.key) if pair.head is not None else Fold()
        if pair.head is not None and before.results - after.results:
            return _FORGETS
        if (before.taken - after.taken) & (after.emptied - before.emptied):
            return _FORGETS
        lost = before.folded - after.may_fold - (self._members[0] - self._members[1])
        if after.gives_back and not before.gives_back:
            lost -= before.carried - after.written  # they are still there
        gone = [
            name for name in lost if name in after.written or not (OF_STATE in name or self._folded_elsewhere(name))
        ]
        if gone and after.opaque <= before.opaque and after.lambdas >= before.lambdas:
            return _FORGETS
        set_otherwise = self.sides.role(pair.any.key[0]) is Role.DATA and self._flags_differ
        return _FORGETS if self._uncalled and (set_otherwise or pair.base.names & self._uncalled) else None

    def _folded_elsewhere(self, name: str) -> bool:
        """Whether the head folds a member in a method which did not do so, or which is called more often."""
        base, head = self._running
        return any(
            name in self._fold(self.sides.head, key).may_fold
            and (
                key not in self.sides.base.declarations
                or head.mentions(method_name(key)) > base.mentions(method_name(key))
                or name not in self._fold(self.sides.base, key).may_fold
            )
            for key, declaration in self.sides.head.declarations.items()
            if declaration.part is Part.METHOD
        )

    @cached_property
    def _uncalled(self) -> frozenset[str]:
        """The methods of objects in state that fold what nothing else folds, and which no code that runs calls now.

        The methods that alone led to them are among them.
        """
        base, head = self._running
        for owner in {owner for simple in self.sides.facts.shapes for owner in self.sides.base.named(simple)}:
            for key in self.sides.base.by_owner[owner]:
                declared = self.sides.base.declarations[key]
                name = method_name(key)
                if declared.part is not Part.METHOD or key not in self.sides.head.declarations or name == "<init>":
                    continue
                lost = self._fold(self.sides.base, key).folded
                uncalled = lost and base.runs(name) and not head.runs(name)
                if uncalled and not all(self._folded_elsewhere(member) for member in lost):
                    return frozenset(name for name, runs in head.known.items() if not runs)
        return frozenset()

    @cached_property
    def _flags_differ(self) -> bool:
        before, after = (self.sides.facts.flags(side) for side in (0, -1))
        return before != after

    @cached_property
    def _running(self) -> tuple[_Running, _Running]:
        return _Running(self.sides.base), _Running(self.sides.head)

    def _fold(self, code: ProgramCode, key: Key) -> Fold:
        place = (id(code), key)
        if place not in self._found:
            self._found[place] = code.fold(key, frozenset().union(*self._members))
        return self._found[place]

    @cached_property
    def _members(self) -> tuple[frozenset[str], frozenset[str]]:
        """The members of objects in state, of either revision; those of maps also as what their values are."""
        base, head = (frozenset(self._of(code)) for code in (self.sides.base, self.sides.head))
        return base, head

    def _of(self, code: ProgramCode) -> Iterator[str]:
        for simple in self.sides.facts.shapes | self.sides.facts.polymorphic:
            yield from (name for owner in code.named(simple) for name in _fields(code, owner))
        for owner in code.owners:
            if "SourceSplit" in code.ancestors(owner):  # of any serializer
                yield from _fields(code, owner)
            elif self.sides.role(owner) is Role.FUNCTION:
                states = (key[1] for key in code.by_owner[owner] if STATE_FIELD.match(code.declarations[key].tokens))
                yield from (f"{name}{OF_STATE}{mark}" for name in states for mark in ("", "[]"))
            if restores(code, owner):
                methods = (key for key in code.by_owner[owner] if method_name(key) in RESTORING)
                named = frozenset[str]().union(*(code.declarations[key].names for key in methods))
                yield from (name for name in _fields(code, owner) if name.removesuffix("[]") in named)


@dataclass(frozen=True)
class _Running:
    """The methods of one revision that any statement which may run leads to, by their names."""

    code: ProgramCode
    known: dict[str, bool] = field(default_factory=dict)

    def runs(self, name: str) -> bool:
        """Whether any code that may run mentions a name."""
        if name not in self.known:
            self.known[name] = False  # of methods that call themselves
            self.known[name] = any(self._leads(key, name) for key in self._mentioning.get(name, ()))
        return self.known[name]

    def mentions(self, name: str) -> int:
        """How many declarations mention a name."""
        return len(self._mentioning.get(name, ()))

    def _leads(self, key: Key, name: str) -> bool:
        own = method_name(key)
        if own == name:  # it calls one of that name
            return self.code.role(key[0]) is Role.FUNCTION
        running = (s for s in self.code.detail(key).statements[1:] if name in s.names)
        if self.code.declarations[key].part is Part.METHOD and not any(
            self.code.outcome(key, statement).runs is not Runs.NEVER for statement in running
        ):
            return False
        return own not in self._mentioning or self.runs(own)

    @cached_property
    def _mentioning(self) -> dict[str, list[Key]]:
        found: dict[str, list[Key]] = {}
        for key, declaration in self.code.declarations.items():
            own = method_name(key)
            function = self.code.role(key[0]) is Role.FUNCTION
            calls_one = function and any(own in s.names for s in self.code.detail(key).statements[1:])
            for name in declaration.names if calls_one else declaration.names - {own}:
                found.setdefault(name, []).append(key)
        return found


def _fields(code: ProgramCode, owner: str) -> Iterator[str]:
    for key in code.by_owner[owner]:
        declared = code.declarations[key]
        if declared.part is Part.FIELD and not STATE_FIELD.match(declared.tokens):
            yield from (text for name in key[1].split(",") for text in (name, f"{name}[]"))
