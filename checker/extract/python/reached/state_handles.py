"""Through which attributes and variables the functions of a script read and write their states."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from checker.extract.python.reached.bindings import attribute_of_self, called, locals_of, targets
from checker.extract.python.reached.declarations import Function
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


def state_handles(methods: Mapping[str, Function]) -> dict[str, StateHandle]:
    """The handles of a function by their names: ``methods`` are those of its class and super classes."""
    reader = _Reader()
    running = list(_running(methods))
    for method in running:
        reader.asked(method)
    for method in running:
        reader.used(method)
    return reader.handles


def _running(methods: Mapping[str, Function]) -> Iterable[Function]:
    """The methods that Flink calls, and those that these mention."""
    found: dict[str, Function] = {}
    pending = [name for name in methods if name in _CALLED_BY_FLINK]
    while pending:
        name = pending.pop()
        if name not in found and name in methods:
            found[name] = methods[name]
            pending += [node.attr for node in ast.walk(methods[name]) if isinstance(node, ast.Attribute)]
    return found.values()


class _Reader:
    def __init__(self) -> None:
        self.handles: dict[str, StateHandle] = {}

    def asked(self, method: Function) -> None:
        """The states that a method asks for, each with the handle that gets it."""
        values = locals_of(method)
        taken: set[int] = set()
        for node in ast.walk(method):
            for target in targets(node):
                name = _name(method, target)
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
            name = _name(method, node) if isinstance(node, ast.expr) else None
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
                self.handles[name].uses |= {READ, WRITE}

    def _handle(self, name: str) -> StateHandle:
        return self.handles.setdefault(name, StateHandle())


def _getters(node: ast.AST | None) -> Iterator[ast.Call]:
    for inner in ast.walk(node) if node is not None else ():
        if isinstance(inner, ast.Call) and called(inner) in _GETTERS:
            yield inner


def _name(method: Function, node: ast.AST) -> str | None:
    """An attribute of ``self``, or a local variable of a method."""
    if isinstance(node, ast.expr) and (attribute := attribute_of_self(node)) is not None:
        return attribute
    return f"{method.name}#{node.id}" if isinstance(node, ast.Name) else None


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
