"""What calls of their methods do with the states of a script's function."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Final

from checker.extract.python.reached.bindings import FunctionNode, called
from checker.extract.python.reached.states.kept_objects import KeptObjects
from checker.extract.python.reached.states.values import NOTHING, Value, Way, is_place, place, state_and_path
from checker.model.used_states import READ, WRITE

_READS: Final = frozenset({"value", "get", "contains", "items", "keys", "values", "is_empty", "__iter__"})
_REPLACES: Final = frozenset({"update"})
_ADDS: Final = frozenset({"add", "add_all", "put", "put_all"})
_ERASES: Final = frozenset({"clear", "remove"})
METHODS: Final = _READS | _REPLACES | _ADDS | _ERASES
"""Methods of states."""
MAPS: Final = ("get_map_state", "get_broadcast_state")


@dataclass(slots=True)
class Done:
    """What is done with one state."""

    uses: set[str] = field(default_factory=set)
    accumulates: bool = False
    """Something is written that is made of what it held, added to that, or only written because of it."""
    may_accumulate: bool = False
    folds: bool = False
    """A value is written that is made of what it held."""
    may_fold: bool = False
    changes: bool = False
    """Anything is written but the very object that lay there, or that object is changed."""
    may_change: bool = False


@dataclass(slots=True)
class Walked:
    """What code that was followed came by."""

    entries: set[ast.AST] = field(default_factory=set)
    """The expressions that look up or set an entry of a map state."""
    calls: dict[ast.Call, set[FunctionNode]] = field(default_factory=dict)
    """The functions of the program that calls led to."""

    def on(self, node: ast.AST, receiver: Value) -> None:
        """Note an expression that does something with a value."""
        if any(state.startswith(MAPS) for state in receiver.states):
            self.entries.add(node)


class StateCalls:
    """What is done with the states of one function."""

    def __init__(self) -> None:
        self.done: dict[str, Done] = {}
        self.mentioned: set[str] = set()
        """The states that anything is done with since this was emptied."""
        self.given: set[str] = set()
        """Those of which values come to where something is done with them."""
        self.walked = Walked()
        self.kept = KeptObjects()

    def _of(self, state: str) -> Done:
        self.mentioned.add(state)
        return self.done.setdefault(state, Done())

    def _used(self, states: frozenset[str]) -> None:
        """Values of some states come to where something is done with them."""
        self.kept.read(states)
        plain = {state for state in states if not is_place(state)}
        for state in plain:
            self._of(state).uses.add(READ)
        self.given |= plain

    def _read(self, state: str, way: Way) -> Value:
        self._of(state)
        content = way.content(state)
        own = frozenset({place(state)} if state in content else ())
        return Value(depends_on=content | own, places=own, read_of=state, as_was=frozenset({state}))

    def _may_change(self, value: Value, *, certainly: bool) -> None:
        """An object from a state is given to code that changes it, or may do so."""
        for state in value.as_was:
            self._of(state).changes |= certainly
            self._of(state).may_change = True

    def _written(self, state: str, value: Value, way: Way) -> None:
        done = self._of(state)
        done.uses.add(WRITE)
        done.accumulates |= state in value.depends_on | way.under
        done.may_accumulate |= done.accumulates

    def _written_to(self, receiver: Value, call: str, value: Value, last: Value, way: Way) -> Way:
        """``value`` is all that a call is given, ``last`` what it keeps: beside the key of an entry."""
        put_back = not last.places.isdisjoint(map(place, receiver.states))  # then its members are not made use of
        own = {m for m in value.depends_on if put_back and is_place(m) and state_and_path(m)[0] in receiver.states}
        self._used((value.depends_on - own) | way.under)
        for state in receiver.states:
            self.kept.replaced(state, last)
            self._of(state).folds |= state in last.depends_on
            self._of(state).may_fold |= state in last.depends_on | way.under
            self._of(state).changes |= state not in last.as_was
            if call in _ADDS:
                added = value.and_of(way.content(state))
                self._written(state, added, way)
                way = way.holding(state, added.depends_on)
            else:
                self._written(state, value, way)
                kept = way.content(state) if receiver.several else frozenset()
                way = way.holding(state, kept | value.depends_on)
        return way

    def _called_on_state(self, receiver: Value, node: ast.Call, values: list[Value], way: Way) -> tuple[Value, Way]:
        """A call of a state's method."""
        name = called(node)
        self.walked.on(node, receiver)
        given = NOTHING.joined(*values)
        if name in _REPLACES and len(node.args) == 1 and _empty(node.args[0]):
            name = "clear"
        if name in _READS:
            reads = [self._read(state, way) for state in sorted(receiver.states)]
            if len(reads) == 1 and not receiver.several and not values:
                return reads[0], way
            found = replace(NOTHING.joined(*reads, given), read_of=None, as_was=receiver.states)
            return (replace(found, states=receiver.states, several=True) if receiver.several else found), way
        if name in _ADDS | _REPLACES:
            return NOTHING, self._written_to(receiver, name, given, values[-1] if values else NOTHING, way)
        if name in _ERASES:
            for state in receiver.states:
                self._of(state)
                if name == "clear" and not receiver.several:
                    way = way.holding(state, frozenset())
            return NOTHING, way
        return self._elsewhere(receiver.joined(*values), way)

    def _elsewhere(self, value: Value, way: Way) -> tuple[Value, Way]:
        """What code that is not followed makes of values."""
        for state in value.states:
            done = self._of(state)
            done.uses |= {READ, WRITE}
            done.may_accumulate = done.may_fold = done.may_change = True
            value = value.and_of(way.content(state))
        return Value(depends_on=value.depends_on, states=value.states, several=bool(value.states)), way


def _empty(node: ast.expr) -> bool:
    """Whether an argument leaves nothing in a state."""
    if isinstance(node, ast.Call):
        return called(node) in ("list", "dict", "set") and not node.args and not node.keywords
    nothing = isinstance(node, ast.Constant) and node.value is None
    return nothing or (isinstance(node, ast.List | ast.Tuple) and not node.elts)
