"""Whether a function still asks for the states that its code names: a call that is never made registers nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from checker.compare.account.both_sides import BothSides
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import Verdict
from checker.model.account import Why
from checker.model.gathered import gathered
from checker.model.program_code import Key, Part, ProgramCode, Role, Statement, by_method, method_name, simple_name
from checker.model.reaching import reached

_CALLED_BY_FLINK = frozenset(
    {"open", "initializeState", "snapshotState", "restoreState", "setup", "processElement", "processElement1",
     "processElement2", "processBroadcastElement", "onTimer", "map", "map1", "map2", "flatMap", "flatMap1", "flatMap2",
     "filter", "reduce", "apply", "process", "join", "coGroup", "invoke", "run", "asyncInvoke", "timeout", "clear",
     "onElement", "onProcessingTime", "onEventTime", "onMerge", "processWatermark", "close", "write", "prepareCommit",
     "beginTransaction", "createWriter", "restoreWriter", "processMatch", "start", "trigger", "evictBefore"}
)  # fmt: skip
_STATES = frozenset({"ValueState", "ListState", "MapState", "ReducingState", "AggregatingState", "BroadcastState"})
_WITHOUT_PARAMETERS = "open()"
"""``open`` of an operator; that of a function has a parameter."""
_CHANGED = Verdict(Why.STATE, "whether the function asks for it")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one revision's function asks for when Flink calls it."""

    registered: Mapping[str, tuple[str, ...]]
    """The statements that ask for a state, with their conditions."""
    named: frozenset[str]
    """All such statements that its classes have."""


def _compared(base: _Asked, head: _Asked) -> Verdict | None:
    """What became of the states that a function asks for."""
    before, after = base.registered, head.registered
    lost = before.keys() - after.keys()
    if any(before[tokens] != after[tokens] for tokens in before.keys() & after.keys()) or lost & head.named:
        return _CHANGED
    if lost and any(after[tokens] for tokens in after.keys() - before.keys()):
        return _CHANGED
    return None


@dataclass(frozen=True)
class Registrations:
    """The statements of both revisions that ask Flink for state."""

    sides: BothSides
    _found: dict[tuple[int, str], _Asked] = field(default_factory=dict)
    _below: dict[int, dict[str, list[str]]] = field(default_factory=dict)

    def edited(self, pair: Pair) -> Verdict | None:
        """An edit after which a state may no longer be asked for, though the code still names it."""
        if pair.any.part in (Part.CONSTANT, Part.INITIALIZER):
            return None
        for owner in self._functions(pair):
            found = _compared(self._asked(self.sides.base, owner), self._asked(self.sides.head, owner))
            if found is not None:
                return found
        return None

    def _functions(self, pair: Pair) -> Iterator[str]:
        """Functions of both revisions that are, or inherit from, the class of a declaration."""
        below = self._descendants(self.sides.head).get(simple_name(pair.any.key[0]), ())
        helped = set(self._helped.get(pair.any.key[0], set()))
        for owner in dict.fromkeys((*below, *sorted(helped & self.sides.head.owners))):
            if owner in self.sides.base.owners and self.sides.role(owner) is Role.FUNCTION and self._in_use(owner):
                yield owner

    @cached_property
    def _helped(self) -> dict[str, set[str]]:
        """The functions that keep states in objects of a class, by the class."""
        found: dict[str, set[str]] = {}
        for code in (self.sides.base, self.sides.head):
            for owner in code.owners:
                if self.sides.role(owner) is Role.FUNCTION:
                    for helper in _helpers(code, _ranked(code, owner)):
                        found.setdefault(helper, set()).add(owner)
        return found

    def _in_use(self, owner: str) -> bool:
        """Whether an operator may run a function, or code that was followed names it."""
        name = simple_name(owner)
        return (
            self.sides.facts.unread
            or self.sides.facts.graph_open
            or self.sides.facts.is_function(frozenset({name}))
            or any(name in code.executed_names for code in (self.sides.base, self.sides.head))
        )

    def _descendants(self, code: ProgramCode) -> dict[str, list[str]]:
        if id(code) not in self._below:
            found = gathered((name, owner) for owner in sorted(code.owners) for name in code.ancestors(owner))
            self._below[id(code)] = found
        return self._below[id(code)]

    def _asked(self, code: ProgramCode, owner: str) -> _Asked:
        place = (id(code), owner)
        if place not in self._found:
            self._found[place] = _asked(code, owner)
        return self._found[place]


def _asked(code: ProgramCode, owner: str) -> _Asked:
    names = code.ancestors(owner)
    rank = _ranked(code, owner)
    helpers = _helpers(code, rank)
    own = [key for o in sorted(rank, key=lambda o: (rank[o], o)) for key in code.by_owner.get(o, ())]
    helping = [key for owner, keys in code.by_owner.items() if owner in helpers for key in keys]
    by_name = by_method((*own, *helping))
    operator = any(name.endswith("Operator") for name in names)
    pending: list[Key] = []
    for name in sorted(_CALLED_BY_FLINK & by_name.keys()):
        mine = [key for key in by_name[name] if key[0] in rank]
        pending += [key for key in mine if operator or key[1] != _WITHOUT_PARAMETERS][:1]
    pending += [
        key for key in (*own, *helping) if code.declarations[key].part is not Part.METHOD or key[1].startswith("<")
    ]
    registered: dict[str, tuple[str, ...]] = {}
    for key in _reached(code, pending, by_name, rank, lambda statement: statement.calls):
        registered.update(_asked_for(code, key))
    named = {tokens for key in (*own, *helping) for tokens in _asked_for(code, key)}
    return _Asked(registered, frozenset(named))


def _helpers(code: ProgramCode, rank: Mapping[str, int]) -> frozenset[str]:
    """The classes of the program that a function, by its class and super classes, keeps states in objects of."""
    data = (owner for owner in sorted(code.owners) if code.role(owner) is Role.DATA)
    keeping = {simple_name(owner): owner for owner in data if any(_keeps(code, key) for key in code.by_owner[owner])}

    def kept_in(owner: str) -> Iterator[str]:
        for key in code.by_owner.get(owner, ()) if keeping else ():
            yield from (keeping[name] for name in code.declarations[key].names & keeping.keys())

    return frozenset(reached(rank, kept_in)) - rank.keys()


def _keeps(code: ProgramCode, key: Key) -> bool:
    """Whether a declaration keeps a state in a field, or registers one."""
    of_state = code.declarations[key].part is Part.FIELD and not code.declarations[key].names.isdisjoint(_STATES)
    return of_state or any(s.asks_for_state for s in code.detail(key).statements)


def _reached(
    code: ProgramCode,
    first: list[Key],
    by_name: dict[str, list[Key]],
    rank: dict[str, int],
    mentioned: Callable[[Statement], frozenset[str]],
) -> list[Key]:
    """Some declarations, and all that their statements lead to."""
    pending = list(first)
    reached: dict[Key, None] = {}
    while pending:
        key = pending.pop()
        if key in reached:
            continue
        reached[key] = None
        own_name = method_name(key)
        for place, statement in enumerate(code.detail(key).statements):
            for name in mentioned(statement) - ({own_name} if place == 0 else set()):  # the first is the signature
                there = [k for k in by_name.get(name, ()) if k != key]
                if name == own_name:
                    above = [k for k in there if k[0] in rank and rank[k[0]] > rank.get(key[0], 0)][
                        :1
                    ]  # ``super.open(…)``
                    there = above + [k for k in there if k[0] not in rank]
                pending.extend(there)
    return list(reached)


def _asked_for(code: ProgramCode, key: Key) -> dict[str, tuple[str, ...]]:
    """The statements of a declaration that register a state."""
    return {s.code: s.guards for s in code.detail(key).statements if s.asks_for_state}


def _ranked(code: ProgramCode, owner: str) -> dict[str, int]:
    """A class and those of its super classes that are the program's, the class itself first."""
    names = code.ancestors(owner)
    found = (o for o in sorted(code.owners) if simple_name(o) in names and code.ancestors(o) <= names)
    return {o: -len(code.ancestors(o)) for o in found}
