"""Through which attributes and variables the functions of a script read and write their states."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from checker.extract.effort import EffortError
from checker.extract.python.plain_code import is_text, logs
from checker.extract.python.reached.bindings import attribute_of_self, called, locals_of, targets
from checker.extract.python.reached.declarations import Function, names_in
from checker.extract.python.reached.kept_shapes import Functions
from checker.extract.python.reached.states.calls import MAPS, METHODS, Done, Walked
from checker.extract.python.reached.states.flow import MERGED, OPENING, StateFlow
from checker.extract.python.reached.states.program_calls import GETTERS, SUPER, Methods
from checker.extract.python.reached.states.values import Way
from checker.model.used_states import WRITE, FunctionStates, StateHandle, Timers

_PER_RECORD: Final = frozenset(
    {"process_element", "process_element1", "process_element2", "process_broadcast_element", "map", "map1", "map2",
     "flat_map", "flat_map1", "flat_map2", "filter", "reduce", "add", "process", "apply", "on_element"}
)  # fmt: skip
"""Methods that Flink calls with each record, or with each window."""
_TIMER: Final = "on_timer"
_ENDS: Final = _PER_RECORD | {_TIMER}
"""Those, and what Flink calls for timers: states that hold nothing behind them are erased."""
CALLED_BY_FLINK: Final = _PER_RECORD | {
    "__init__", "open", _TIMER, "get_result", "clear", "close", "on_processing_time", "on_event_time", "on_merge",
}  # fmt: skip


def function_states(
    methods: Methods, helpers: Mapping[str, Methods], functions: Functions
) -> tuple[FunctionStates, Walked]:
    """What a function does with its states, and what was followed.

    ``methods`` are those of its class and super classes.

    ``helpers`` are the methods of other classes of the program by the simple names of these, ``functions`` those of
    modules by name: what a function gives its states to, and what asks for states in its place.
    """
    own = list(_running(methods, CALLED_BY_FLINK))
    used = {name: helpers[name] for name in helpers_of(own, helpers)}
    mentioned = {name for method in (*own, *(m for each in used.values() for m in each.values()))
                 for name in _attributes(method)}  # fmt: skip
    asked = _Asked()
    for method in own:
        asked.read(method, "")
    asked.set_by_name(own)
    for name, each in used.items():
        for method in _running(each, mentioned | {"__init__", "__post_init__"}):
            asked.read(method, name)
    flow = StateFlow(methods, used, functions, asked.state, asked.attributes)
    entries = sorted(CALLED_BY_FLINK & methods.keys(), key=lambda name: (name not in OPENING, name))
    try:
        for _ in range(2):  # what one method keeps in an attribute another one takes
            ends: dict[str, tuple[Way | None, frozenset[str], frozenset[str]]] = {}
            flow.forget()
            for name in entries:
                flow.mentioned.clear()
                flow.given.clear()
                ends[name] = flow.run(name), frozenset(flow.mentioned), frozenset(flow.given)
        if {"merge", "create_accumulator"} <= methods.keys():
            merges = flow.merges()
            flow.done[MERGED] = Done({WRITE}, merges, merges)
    except (EffortError, RecursionError):
        asked.add(flow.done.keys() | flow.registered.keys())
        for handle in asked.handles.values():
            handle.followed = False
        return FunctionStates(asked.handles), flow.walked
    asked.add(flow.done.keys())
    for handle in asked.handles.values():
        for done in (flow.done[state] for state in handle.states if state in flow.done):
            handle.uses |= done.uses
            handle.accumulates |= done.accumulates
            handle.may_accumulate |= done.may_accumulate
            handle.folds |= done.folds
            handle.may_fold |= done.may_fold
            handle.changes |= done.changes
            handle.may_change |= done.changes or done.may_change
        handle.places = flow.kept.of(handle.states)
        for name, (end, states, given) in ends.items():
            if name in _ENDS and not handle.states.isdisjoint(states):
                handle.used_in.add(name)
                if not handle.states.isdisjoint(given):
                    handle.given_in.add(name)
                if end is not None and all(state not in end.content(state) for state in handle.states):
                    handle.erased_in.add(name)
        if flow.registers_timers and handle.uses and _TIMER in methods:
            handle.used_in.add(_TIMER)  # timers of a savepoint fire behind a restore, whatever they did before
    registered = {
        state: () if frozenset() in tests else tuple(sorted(" and ".join(sorted(each)) for each in tests))
        for state, tests in flow.registered.items()
    }
    named = frozenset(asked.state(call, method) for method in methods.values() for call in _getters(method))
    may_register = flow.registers_timers or flow.may_register_timers
    fires = _TIMER in methods and _does_something(methods[_TIMER])
    timers = Timers(flow.registers_timers, lambda: may_register, fires)
    return FunctionStates(asked.handles, registered, named, timers), flow.walked


def _does_something(method: Function) -> bool:
    """Whether a method has statements beside those that only log."""
    return not all(
        isinstance(node, ast.Pass) or is_text(node) or logs(node) or (isinstance(node, ast.Return) and not node.value)
        for node in method.body
    )


def helpers_of(running: Iterable[Function], helpers: Mapping[str, Methods]) -> list[str]:
    """The classes among some that methods mention, at any distance."""
    found: dict[str, None] = {}
    pending = [names_in(method) for method in running]
    while pending:
        for name in sorted({part.rpartition(".")[2] for part in pending.pop()} & helpers.keys() - found.keys()):
            found[name] = None
            pending += [names_in(method) for method in helpers[name].values()]
    return list(found)


def _running(methods: Methods, first: AbstractSet[str]) -> Iterable[Function]:
    """The methods of some names, and those that these mention."""
    found: dict[str, Function] = {}
    pending = [name for name in methods if name in first]
    while pending:
        name = pending.pop()
        while name in methods and name not in found:
            found[name] = methods[name]
            pending += _attributes(methods[name])
            name = f"{SUPER}{name}"
    return found.values()


def _attributes(node: ast.AST) -> list[str]:
    return [inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)]


class _Asked:
    """The states that methods ask for."""

    def __init__(self) -> None:
        self.handles: dict[str, StateHandle] = {}
        """By the attribute or variable that holds them, or by the call that asks where nothing does."""
        self.attributes: dict[tuple[str, str], frozenset[str]] = {}
        """By the class of an object, empty for the function's own, and the attribute."""
        self._locals: dict[Function, Mapping[str, tuple[ast.expr, ...]]] = {}

    def read(self, method: Function, owner: str) -> None:
        """Note the states that a method asks for, each with the handle that gets it."""
        prefix = f"{owner}." if owner else ""
        taken: set[int] = set()
        for node in ast.walk(method):
            for target in targets(node):
                attribute = attribute_of_self(target)
                variable = f"{method.name}#{target.id}" if isinstance(target, ast.Name) else None
                for call in _getters(getattr(node, "value", None)) if attribute or variable else ():
                    taken.add(id(call))
                    state = self.state(call, method)
                    self._handle(f"{prefix}{attribute or variable}").states.add(state)
                    if attribute:
                        known = self.attributes.get((owner, attribute), frozenset())
                        self.attributes[owner, attribute] = known | {state}
        for call in _getters(method):
            if id(call) not in taken:
                state = self.state(call, method)
                self._handle(state).states.add(state)

    def set_by_name(self, methods: Iterable[Function]) -> None:
        """Attributes that only ``setattr`` gives states: each of them holds one of its own."""
        nodes = [node for method in methods for node in ast.walk(method)]
        setting = [n for n in nodes if isinstance(n, ast.Call) and called(n) == "setattr" and len(n.args) == 3]
        getters = {called(call) for n in setting if ast.unparse(n.args[0]) == "self" for call in _getters(n.args[2])}
        kinds = ", ".join(sorted(getters, key=lambda name: (name not in MAPS, name)))
        known = {attribute_of_self(target) for node in nodes for target in targets(node)}
        for node in nodes if kinds else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) in METHODS:
                attribute = attribute_of_self(node.func.value)
                if attribute is not None and attribute not in known:
                    states = frozenset({f"{kinds} of self.{attribute}"})
                    self._handle(attribute).states |= states
                    self.attributes["", attribute] = states

    def state(self, call: ast.Call, method: Function | None) -> str:
        """The state that a call in a method asks for."""
        if method is not None and method not in self._locals:
            self._locals[method] = locals_of(method)
        return _asked_for(call, {} if method is None else self._locals[method])

    def add(self, states: AbstractSet[str]) -> None:
        """Note states that functions outside of all classes ask for."""
        for state in states - {state for handle in self.handles.values() for state in handle.states}:
            self._handle(state).states.add(state)

    def _handle(self, name: str) -> StateHandle:
        return self.handles.setdefault(name, StateHandle())


def _getters(node: ast.AST | None) -> Iterator[ast.Call]:
    for inner in ast.walk(node) if node is not None else ():
        if isinstance(inner, ast.Call) and called(inner) in GETTERS:
            yield inner


def _asked_for(call: ast.Call, values: Mapping[str, tuple[ast.expr, ...]]) -> str:
    """The state that a call asks for, without what it is called on, local variables by what they are set to."""
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    texts = [
        " | ".join(ast.unparse(value) for value in values[part.id])
        if isinstance(part, ast.Name) and part.id in values
        else ast.unparse(part)
        for part in parts
    ]
    return f"{called(call)}({', '.join(texts)})"
