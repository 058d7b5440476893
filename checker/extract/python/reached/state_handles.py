"""Through which attributes and variables the functions of a script read and write their states."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from checker.extract.python.reached.bindings import attribute_of_self, called, locals_of, parameters, targets
from checker.extract.python.reached.declarations import Function, names_in
from checker.extract.python.reached.kept_shapes import Functions
from checker.model.program_code import READ, WRITE, StateHandle

_USES = {
    **dict.fromkeys(("value", "get", "contains", "items", "keys", "values", "is_empty", "__iter__"), READ),
    **dict.fromkeys(("update", "add", "add_all", "put", "put_all"), WRITE),
    "clear": None,
    "remove": None,
}
"""Methods of states: what each does. ``clear`` and ``remove`` keep nothing and are no sign that a state is used."""
_GETTERS = frozenset(
    {"get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state",
     "get_broadcast_state"}
)  # fmt: skip
_CALLED_BY_FLINK = frozenset(
    {"open", "process_element", "process_element1", "process_element2", "process_broadcast_element", "on_timer", "map",
     "map1", "map2", "flat_map", "flat_map1", "flat_map2", "filter", "reduce", "process", "apply", "clear", "close",
     "on_element", "on_processing_time", "on_event_time", "on_merge", "__init__"}
)  # fmt: skip


Methods = Mapping[str, Function]


def state_handles(methods: Methods, helpers: Mapping[str, Methods], functions: Functions) -> dict[str, StateHandle]:
    """The handles of a function by their names: ``methods`` are those of its class and super classes.

    ``helpers`` are the methods of other classes of the program by the simple names of these, ``functions`` those of
    modules by name: what a function gives its states to, and what asks for states in its place.
    """
    own = list(_running(methods, _CALLED_BY_FLINK))
    readers = [(_Reader(helpers, functions), own)]
    used = helpers_of(own, helpers)
    mentioned = {name for method in (*own, *(m for name in used for m in helpers[name].values()))
                 for name in _attributes(method)}  # fmt: skip
    for name in used:
        called_here = list(_running(helpers[name], mentioned | {"__init__", "__post_init__"}))
        readers.append((_Reader(helpers, functions, f"{name}."), called_here))
    found: dict[str, StateHandle] = {}
    for reader, running in readers:
        for method in running:
            reader.asked(method)
        for method in running:
            reader.used(method)
        found.update(reader.handles)
    return found


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
        if name not in found and name in methods:
            found[name] = methods[name]
            pending += _attributes(methods[name])
    return found.values()


def _attributes(node: ast.AST) -> list[str]:
    return [inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)]


class _Reader:
    def __init__(self, helpers: Mapping[str, Methods], functions: Functions, prefix: str = "") -> None:
        self.handles: dict[str, StateHandle] = {}
        self._helpers = helpers
        self._functions = functions
        self._prefix = prefix

    def asked(self, method: Function) -> None:
        """The states that a method asks for, each with the handle that gets it."""
        values = locals_of(method)
        taken: set[int] = set()
        for node in ast.walk(method):
            for target in targets(node):
                name = self._name(method, target)
                for call in _getters(getattr(node, "value", None)) if name else ():
                    taken.add(id(call))
                    self._handle(name or "").states.add(_asked_for(call, values))
        for call in _getters(method):
            if id(call) not in taken:
                self._handle(f"{_asked_for(call, values)}").states.add(_asked_for(call, values))

    def used(self, method: Function) -> None:
        """What a method does with handles."""
        values = locals_of(method)
        above = {id(child): node for node in ast.walk(method) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(method):
            name = self._name(method, node) if isinstance(node, ast.expr) else None
            if isinstance(node, ast.Call) and called(node) in _GETTERS:
                name = _asked_for(node, values)
            if name not in self.handles or isinstance(getattr(node, "ctx", None), ast.Store):
                continue
            outer = above.get(id(node))
            call = above.get(id(outer)) if isinstance(outer, ast.Attribute) else None
            if isinstance(outer, ast.Attribute) and isinstance(call, ast.Call) and outer.attr in _USES:
                use = _USES[outer.attr]
                self.handles[name].uses.update(() if use is None else (use,))
            elif not _tested(node, outer):
                self.handles[name].uses |= self._used_by_others(node, outer, call)

    def _used_by_others(self, node: ast.AST, outer: ast.AST | None, call: ast.AST | None) -> set[str]:
        """What an object that holds a state, or a function that is given one, does with it; anything if not known."""
        if isinstance(outer, ast.Attribute) and isinstance(call, ast.Call):
            called_here = [methods for methods in self._helpers.values() if outer.attr in methods]
            uses = [_of_members(method) for methods in called_here for method in _running(methods, {outer.attr})]
        elif isinstance(outer, ast.Call) and node in outer.args:
            place = outer.args.index(node)
            makers = [methods["__init__"] for methods in self._held_by(outer) if "__init__" in methods]
            if makers:  # what the object does with it, its own methods say
                return set()
            functions = [function for function in self._functions(called(outer)) if "self" not in parameters(function)]
            uses = [_of_variable(function, parameters(function)[place : place + 1]) for function in functions]
        else:
            uses = []
        return set().union(*uses) if uses else {READ, WRITE}

    def _held_by(self, call: ast.Call) -> list[Methods]:
        return [self._helpers[name] for name in (called(call),) if name in self._helpers]

    def _name(self, method: Function, node: ast.AST) -> str | None:
        """An attribute of ``self``, or a local variable of a method."""
        if isinstance(node, ast.expr) and (attribute := attribute_of_self(node)) is not None:
            return f"{self._prefix}{attribute}"
        return f"{self._prefix}{method.name}#{node.id}" if isinstance(node, ast.Name) else None

    def _handle(self, name: str) -> StateHandle:
        return self.handles.setdefault(name, StateHandle())


def _getters(node: ast.AST | None) -> Iterator[ast.Call]:
    for inner in ast.walk(node) if node is not None else ():
        if isinstance(inner, ast.Call) and called(inner) in _GETTERS:
            yield inner


def _of_members(method: Function) -> set[str]:
    """What a method of another object does with states: with whatever its object has."""
    found: set[str] = set()
    for node in ast.walk(method):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if attribute_of_self(node.func.value) is not None and (use := _USES.get(node.func.attr)) is not None:
                found.add(use)
        elif isinstance(node, ast.For | ast.comprehension) and attribute_of_self(node.iter) is not None:
            found.add(READ)
    return found


def _of_variable(function: Function, names: list[str]) -> set[str]:
    """What a function does with a state that one of its parameters is."""
    found: set[str] = set()
    above = {id(child): node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in names:
            outer = above.get(id(node))
            if isinstance(outer, ast.Attribute) and outer.attr in _USES:
                found |= {use for use in (_USES[outer.attr],) if use is not None}
            elif not _tested(node, outer):
                found |= {READ, WRITE}
    return found


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


def _tested(node: ast.AST, outer: ast.AST | None) -> bool:
    """Whether a handle is only set, or asked for being there."""
    return isinstance(outer, ast.Compare | ast.Assign | ast.AnnAssign) and node is not getattr(outer, "value", None)
