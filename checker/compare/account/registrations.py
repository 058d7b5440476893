"""Whether a function still asks for the states that its code names: a call that is never made registers nothing.

States are read from the text of a class and its super classes. Here it is decided whether an edit changed which of
those statements run at all: by the conditions around them, and by whether Flink's calls still lead to them. State that
is no longer read, or no longer written, is lost as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from checker.compare.account.both_sides import BothSides
from checker.compare.account.given_values import no_longer_used
from checker.compare.account.handle_uses import handles
from checker.compare.account.pairs import Pair
from checker.compare.account.restored_contents import changed_in, members_of, ranked, restores, restoring
from checker.compare.account.state_handles import Handles, left
from checker.compare.account.timers import timers_of
from checker.compare.account.verdicts import Verdict, undecided
from checker.model.account import Why
from checker.model.gathered import gathered
from checker.model.program_code import (
    ANONYMOUS,
    Declaration,
    Key,
    Part,
    ProgramCode,
    Role,
    Runs,
    Statement,
    simple_name,
)
from checker.model.reaching import reached
from checker.model.used_states import Timers, by_method, method_name

_CALLED_BY_FLINK = frozenset(
    {"open", "initializeState", "snapshotState", "restoreState", "setup", "processElement", "processElement1",
     "processElement2", "processBroadcastElement", "onTimer", "map", "map1", "map2", "flatMap", "flatMap1", "flatMap2",
     "filter", "reduce", "apply", "process", "join", "coGroup", "invoke", "run", "asyncInvoke", "timeout", "clear",
     "onElement", "onProcessingTime", "onEventTime", "onMerge", "processWatermark", "close", "write", "prepareCommit",
     "beginTransaction", "createWriter", "restoreWriter", "processMatch", "start", "trigger", "evictBefore"}
)  # fmt: skip
_CONTEXT = re.compile(r"\w*Context (\$\d+)")
_WITHOUT_PARAMETERS = "open()"
"""``open`` of an operator; that of a function has a parameter."""
_NOT_USED = undecided(
    Why.STATE_NOT_READ, "what a function is given of its state, or to write, is no longer used: it would be lost"
)
_TIMERS = undecided(
    Why.STATE_NOT_READ, "timers are no longer registered, and what they do is still there: state that waits is left"
)
_FIRE_IN_VAIN = undecided(
    Why.STATE_NOT_READ, "nothing happens any more when a timer fires: timers of the savepoint fire in vain"
)
_CHANGED = undecided(Why.STATE_NOT_READ, "whether the function asks for its state may depend on it")
_LEFT = undecided(Why.STATE_NOT_READ, "the function no longer reads, or no longer writes, a state that it registers")
_NOT_FOLLOWED = undecided(Why.STATE_NOT_READ, "the function is too large to see what it does with its state")
_RESTORED = undecided(
    Why.STATE_NOT_READ, "code that restores or snapshots state changed: what was restored may be dropped"
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one revision's function does with states when Flink calls it."""

    registered: Mapping[str, tuple[str, ...]]
    """The statements that ask for one, with their conditions."""
    named: frozenset[str]
    """All such statements that its classes have."""
    handles: Handles
    """Through what it reads and writes them."""
    timers: Timers


@dataclass(frozen=True, slots=True, eq=False)
class _Unnamed:
    """A function that only one revision has by its name."""

    place: Key | str
    """The declaration that it is written in, or its class."""
    owner: str
    asked: _Asked

    @property
    def states(self) -> set[str]:
        """The states that it works with."""
        return self.asked.handles.states()

    def within(self, declaration: Declaration | None) -> bool:
        """Whether a declaration is part of it, or has it in itself."""
        return declaration is not None and self.place in (declaration.key, declaration.key[0])


def _compared(base: _Asked, head: _Asked, adds_state: Callable[[], bool]) -> Verdict | None:
    """What became of the states that a function asks for."""
    before, after = base.registered, head.registered
    lost = before.keys() - after.keys()
    if any(before[tokens] != after[tokens] for tokens in before.keys() & after.keys()) or lost & head.named:
        return _CHANGED
    if lost and any(after[tokens] for tokens in after.keys() - before.keys()):
        return _CHANGED
    if base.timers.registers and head.timers.fires and not head.timers.may_register():
        return _TIMERS
    if base.timers.registers and base.timers.fires and not head.timers.fires:
        return _FIRE_IN_VAIN
    if not (base.handles.followed and head.handles.followed):
        return _NOT_FOLLOWED
    return _LEFT if left(base.handles, head.handles, adds_state) else None


@dataclass(frozen=True)
class Registrations:
    """The statements of both revisions that ask Flink for state."""

    sides: BothSides
    _found: dict[tuple[int, str], _Asked] = field(default_factory=dict)
    _below: dict[int, dict[str, list[str]]] = field(default_factory=dict)

    def edited(self, pair: Pair) -> Verdict | None:
        """An edit after which a state may no longer be asked for, though the code still names it."""
        if pair.any.part is Part.CONSTANT:
            return None
        if pair.any.part is not Part.INITIALIZER:
            for owner in self._functions(pair):
                base, head = self._asked(self.sides.base, owner), self._asked(self.sides.head, owner)
                found = _compared(base, head, partial(self.sides.facts.adds_state, simple_name(owner)))
                if found is not None:
                    return found
        for old, new in self._renamed:
            if old.within(pair.base) or new.within(pair.head):
                found = _compared(old.asked, new.asked, lambda: True)
                if found is not None:
                    return found
        if any(side.key in self._forgotten for side in pair.sides):
            return _LEFT
        if any(side.key in self._dropping for side in pair.sides):
            return _NOT_USED
        return _RESTORED if self._restores_otherwise(pair) else None

    def _restores_otherwise(self, pair: Pair) -> bool:
        """Whether a declaration is part of code that does something else with what was restored."""
        if pair.any.part is Part.METHOD and any(side.key in self._restored for side in pair.sides):
            return True
        if pair.base is None or pair.head is None:
            return False
        before, after = (c.anonymous_functions(pair.any.key) for c in (self.sides.base, self.sides.head))
        return any(_restored_otherwise(old, new, _anonymous(old)) for old, new in zip(before, after, strict=False))

    @cached_property
    def _dropping(self) -> frozenset[Key]:
        return no_longer_used(self.sides.base, self.sides.head)

    @cached_property
    def _restored(self) -> frozenset[Key]:
        """The declarations of either revision that do something else with what was restored."""
        base, head = self.sides.base, self.sides.head
        return frozenset().union(*(_restored_otherwise(base, head, owner) for owner in base.owners & head.owners))

    @cached_property
    def _forgotten(self) -> frozenset[Key]:
        """The declarations of functions that give nothing any more which is made of what was reduced before.

        Those of functions of which that is not known are among them.
        """
        codes = self.sides.base, self.sides.head
        unknown = frozenset[Key]().union(*(r.through for c in codes for r in c.reductions if r.forgets is None))
        before, after = (Counter(r.forgets for r in code.reductions) for code in codes)
        if after[True] <= before[True] or after[False] >= before[False]:
            return unknown
        return unknown.union(*(found.through for found in self.sides.head.reductions if found.forgets))

    @cached_property
    def _renamed(self) -> list[tuple[_Unnamed, _Unnamed]]:
        """Functions without a name, or with another one in each revision, as they belong together by their states."""
        before = list(self._only_in(self.sides.base, self.sides.head))
        after = list(self._only_in(self.sides.head, self.sides.base))
        found: list[tuple[_Unnamed, _Unnamed]] = []
        for same in (
            lambda old, new: old.states == new.states and old.place == new.place,
            lambda old, new: old.states == new.states,
            lambda old, new: not old.states.isdisjoint(new.states),
        ):
            for old in list(before):
                new = next((candidate for candidate in after if same(old, candidate)), None)
                if new is not None:
                    before.remove(old)
                    after.remove(new)
                    found.append((old, new))
        return found

    def _only_in(self, code: ProgramCode, opposite: ProgramCode) -> Iterator[_Unnamed]:
        """Functions with state of one revision that the other does not have by name."""
        for owner in sorted(code.owners - opposite.owners):
            if code.role(owner) is Role.FUNCTION:
                asked = self._asked(code, owner)
                if asked.handles.states():
                    renamed = asked.handles.renamed(frozenset({owner}))
                    yield _Unnamed(owner, owner, replace(asked, handles=renamed))
        for key in code.declarations:
            for function in code.anonymous_functions(key):
                own = _anonymous(function)
                asked = _asked(function, own)
                if asked.handles.states():
                    yield _Unnamed(key, key[0], replace(asked, handles=asked.handles.renamed(frozenset({own}))))

    def _functions(self, pair: Pair) -> Iterator[str]:
        """Functions of both revisions that are, or inherit from, the class of a declaration."""
        below = self._descendants(self.sides.head).get(simple_name(pair.any.key[0]), ())
        helped = set(self._helped.get(pair.any.key[0], set()))
        helped.update(*(code.works_for(pair.any.key) for code in (self.sides.base, self.sides.head)))
        if self.sides.role(pair.any.key[0]) is Role.DATA:
            helped |= self._set_otherwise
        for owner in dict.fromkeys((*below, *sorted(helped & self.sides.head.owners))):
            if owner in self.sides.base.owners and self.sides.role(owner) is Role.FUNCTION and self._in_use(owner):
                yield owner

    @cached_property
    def _set_otherwise(self) -> frozenset[str]:
        """The functions whose objects the program gives other truth values."""
        before, after = (
            {(name.replace("$", "."), frozenset(flags.items())) for name, flags in self.sides.facts.flags(side)}
            for side in (0, -1)
        )
        return frozenset(name for name, _ in before ^ after)

    @cached_property
    def _helped(self) -> dict[str, set[str]]:
        """The functions that keep states in objects of a class, by the class."""
        found: dict[str, set[str]] = {}
        for code in (self.sides.base, self.sides.head):
            for owner in code.owners:
                if self.sides.role(owner) is Role.FUNCTION:
                    for helper in _helpers(code, ranked(code, owner)):
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


def _anonymous(function: ProgramCode) -> str:
    return next(owner for owner in function.owners if owner.endswith(f".{ANONYMOUS}"))


def _restored_otherwise(base: ProgramCode, head: ProgramCode, owner: str) -> frozenset[Key]:
    if not all(restores(code, owner) for code in (base, head)):
        return frozenset()
    return changed_in(*(restoring(code, ranked(code, owner)) for code in (base, head)))


def _asked(code: ProgramCode, owner: str) -> _Asked:
    known = code.states_of(owner)
    if known is not None:
        found = Handles({("", name): handle for name, handle in known.handles.items()})
        return _Asked(known.registered, known.named, found, known.timers)
    names = code.ancestors(owner)
    rank = ranked(code, owner)
    helpers = _helpers(code, rank)
    own = members_of(code, rank)
    helping = [key for owner, keys in code.by_owner.items() if owner in helpers for key in keys]
    by_name = by_method((*own, *helping))
    operator = any(name.endswith("Operator") for name in names)
    pending: list[Key] = []
    for name in sorted(_CALLED_BY_FLINK & by_name.keys()):
        mine = [key for key in by_name[name] if key[0] in rank]
        pending += [key for key in mine if operator or key[1] != _WITHOUT_PARAMETERS][:1]
    called = list(pending)
    pending += [
        key for key in (*own, *helping) if code.declarations[key].part is not Part.METHOD or key[1].startswith("<")
    ]
    registered: dict[str, tuple[str, ...]] = {}
    for key in _reached(code, pending, by_name, rank, lambda statement: statement.calls):
        registered.update(_asked_for(code, key))
    named = {tokens for key in (*own, *helping) for tokens in _asked_for(code, key)}
    running = _reached(code, pending, by_name, rank, lambda statement: statement.names)  # by lambdas as well
    timers = timers_of(code, {*rank, *helpers}, running, called)
    return _Asked(registered, frozenset(named), handles(code, rank, helpers, running, called), timers)


def _helpers(code: ProgramCode, rank: Mapping[str, int]) -> frozenset[str]:
    """The classes of the program that a function, by its class and super classes, keeps states in objects of."""
    keeping = code.state_holders

    def kept_in(owner: str) -> Iterator[str]:
        for key in code.by_owner.get(owner, ()) if keeping else ():
            yield from (keeping[name] for name in code.declarations[key].names & keeping.keys())

    return frozenset(reached(rank, kept_in)) - rank.keys()


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
            if code.outcome(key, statement).runs is Runs.NEVER:
                continue
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
    """The statements of a declaration that register a state; operators register the broadcast ones of contexts."""
    statements = code.detail(key).statements
    given = {f"{name} . getBroadcastState (" for first in statements[:1] for name in _CONTEXT.findall(first.tokens)}
    return {s.tokens: s.guards for s in statements if s.asks_for_state and not any(text in s.tokens for text in given)}
