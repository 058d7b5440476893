"""The states that a function of the repository registers, by the descriptors that its class makes.

Source: ``pyflink/datastream/state.py`` and ``RuntimeContext`` of 1.20 and 2.3. Descriptors are looked for in all
methods of the class, for ``open`` often calls others. A name that is no literal makes the states unknown.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from checker.extract.python.interpreter.values import Class, External, Instance, Scope, Value
from checker.model.topology import Cause, Location, Maybe, StateDescriptor, StateKind, Unknown

_KINDS = {
    "ValueStateDescriptor": StateKind.VALUE,
    "ListStateDescriptor": StateKind.LIST,
    "MapStateDescriptor": StateKind.MAP,
    "ReducingStateDescriptor": StateKind.REDUCING,
    "AggregatingStateDescriptor": StateKind.AGGREGATING,
}
_TYPE_AT = {StateKind.REDUCING: 2, StateKind.AGGREGATING: 2}
_TYPE_NAMES = ("value_type_info", "elem_type_info", "type_info", "state_type_info", "value_type")


def states_of(function: Value) -> tuple[StateDescriptor, ...] | Unknown:
    """States of a function, none for plain callables; unknown where its class is not seen."""
    of = function.of if isinstance(function, Instance) else function if isinstance(function, Class) else None
    if of is None:
        return ()
    foreign = of.foreign()
    if isinstance(foreign, External) and not foreign.path.startswith(("pyflink.", "abc.", "typing.", "builtins.")):
        return Unknown(f"{of.name} inherits from {foreign.path}, which may register states", Cause.EXTERNAL)
    found: dict[object, StateDescriptor] = {}
    for one in of.ancestors():
        for node in ast.walk(one.node):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in _KINDS:
                    made = descriptor(node, _KINDS[name], one)
                    found.setdefault((made.name, made.kind), made)
    expires = _uses_ttl(of)
    if expires and len(found) > 1:
        return tuple(found.values())
    return tuple(replace(one, ttl=expires) for one in found.values())


def descriptor(node: ast.Call, kind: StateKind, of: Class) -> StateDescriptor:
    """One descriptor as it is written down."""
    place = Location(of.scope.file, node.lineno, node.col_offset + 1)
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    first = named.get("name", node.args[0] if node.args else None)
    name = _literal(first, of)
    at = _TYPE_AT.get(kind, 1)
    typed = next((named[one] for one in _TYPE_NAMES if one in named), None)
    if kind is StateKind.MAP:
        key = named.get("key_type_info", node.args[1] if len(node.args) > 1 else None)
        held = named.get("value_type_info", node.args[2] if len(node.args) > 2 else None)
        return StateDescriptor(
            name=name if isinstance(name, str) else _no_name(place), kind=kind, key_type=_type(key),
            value_type=_type(held), location=place,
        )  # fmt: skip
    held = typed if typed is not None else node.args[at] if len(node.args) > at else None
    return StateDescriptor(
        name=name if isinstance(name, str) else _no_name(place), kind=kind, value_type=_type(held), location=place
    )


def _no_name(place: Location) -> Unknown:
    return Unknown("the name of a state is no literal", Cause.OTHER, None, place)


def _type(node: ast.expr | None) -> Maybe[str] | None:
    return None if node is None else ast.unparse(node)


def _literal(node: ast.expr | None, of: Class) -> str | None:
    """A text that is written down, or a constant of the class or the module."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    held: Value = None
    if isinstance(node, ast.Name):
        scope: Scope | None = of.scope.find(node.id)
        held = scope.names[node.id] if scope is not None else None
    elif (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls", of.name)
    ):
        held = of.member(node.attr)
    return held if isinstance(held, str) else None


def _uses_ttl(of: Class) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "enable_time_to_live"
        for one in of.ancestors() for node in ast.walk(one.node)
    )  # fmt: skip
