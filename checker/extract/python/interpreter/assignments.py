"""Assignments: to names, attributes, elements and the parts of patterns."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from checker.extract.python.interpreter.containers import MAX_ELEMENTS, changed_of
from checker.extract.python.interpreter.descriptions import described, part
from checker.extract.python.interpreter.evaluate import value
from checker.extract.python.interpreter.operations import binary
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import raised
from checker.extract.python.interpreter.told import tell
from checker.extract.python.interpreter.values import Class, Instance, Opaque, Scope, Value, unknown, why
from checker.model.topology import Cause, Location, Unknown


def assignment(run: Run, node: Any, scope: Scope) -> None:
    """``name = value`` and annotated ones; those of classes are kept for dataclasses."""
    if node.value is None:
        if scope.of_class and isinstance(node.target, ast.Name):
            scope.names.setdefault("__annotations__", []).append((node.target.id, None))
        return
    assigned = value(run, node.value, scope)
    if isinstance(node, ast.AnnAssign) and scope.of_class and isinstance(node.target, ast.Name):
        scope.names.setdefault("__annotations__", []).append((node.target.id, node.value))
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        assign(run, target, assigned, scope)


def augmented(run: Run, node: Any, scope: Scope) -> None:
    """``name += value``; lists grow in place."""
    left = value(run, _as_load(node.target), scope)
    right = value(run, node.value, scope)
    if isinstance(left, list) and isinstance(node.op, ast.Add) and isinstance(right, list | tuple):
        if len(left) + len(right) > MAX_ELEMENTS:
            changed_of(run, left, Unknown("a list that is too long", Cause.LIMIT, None, at(node, scope)))
        else:
            left.extend(right)
        return
    made = binary(node.op, left, right, at(node, scope))
    if isinstance(made, Opaque):
        made = replace(made, made_of=described(run, [left, type(node.op).__name__, right]))
    assign(run, node.target, made, scope)


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    assert isinstance(target, ast.Subscript)
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)


def assign(run: Run, target: ast.expr, assigned: Value, scope: Scope) -> None:
    """Give a value to a name, an attribute, an element, or the parts of a pattern."""
    if isinstance(target, ast.Name):
        scope.elsewhere.get(target.id, scope).names[target.id] = assigned
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(run, target, assigned, scope)
    elif isinstance(target, ast.Starred):
        assign(run, target.value, assigned, scope)
    elif isinstance(target, ast.Attribute):
        owner = value(run, target.value, scope)
        if isinstance(owner, Instance):
            owner.attributes[target.attr] = assigned
        elif isinstance(owner, Class):
            owner.members[target.attr] = assigned
        else:
            tell(run, owner, described(run, target.attr, assigned))
    elif isinstance(target, ast.Subscript):
        owner = value(run, target.value, scope)
        _set_element(run, owner, target, assigned, scope)


def _set_element(run: Run, owner: Value, target: ast.Subscript, assigned: Value, scope: Scope) -> None:
    key = value(run, target.slice, scope)
    if isinstance(owner, dict) and isinstance(key, str | int | float | bool | tuple | type(None)):
        try:
            owner[key] = assigned
        except TypeError:
            changed_of(run, owner, unknown("a key that is not known", Cause.OTHER, at(target, scope)).unknown)
    elif isinstance(owner, list) and isinstance(key, int):
        if not -len(owner) <= key < len(owner):
            raise raised("IndexError")
        owner[key] = assigned
    elif isinstance(owner, dict | list):
        changed_of(run, owner, why(key, "an element that is not known is set"))
    else:
        tell(run, owner, described(run, key, assigned))


def _unpack(run: Run, target: ast.Tuple | ast.List, assigned: Value, scope: Scope) -> None:
    place = at(target, scope)
    known_parts = isinstance(assigned, list | tuple | range | dict | str) and len(assigned) <= MAX_ELEMENTS
    parts = list(assigned) if known_parts else None
    starred = next((i for i, one in enumerate(target.elts) if isinstance(one, ast.Starred)), None)
    if parts is not None and starred is not None and len(parts) >= len(target.elts) - 1:
        behind = len(target.elts) - starred - 1
        middle = parts[starred : len(parts) - behind]
        parts = [*parts[:starred], middle, *parts[len(parts) - behind :]]
    known = parts is not None and len(parts) == len(target.elts)
    for number, one in enumerate(target.elts):
        assign(run, one, parts[number] if known and parts else part_of(run, assigned, number, place), scope)


def part_of(run: Run, whole: Value, number: int, place: Location) -> Value:
    """A part of a value that is not known."""
    if isinstance(whole, Opaque):
        return Opaque(whole.unknown, f"{whole.name}[{number}]" if whole.name else "", part(whole.made_of, str(number)))
    held = unknown("a part of a value that is not known", Cause.OTHER, place)
    return replace(held, made_of=part(described(run, whole), str(number)))


def delete(run: Run, node: Any, scope: Scope) -> None:
    """``del``."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            scope.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            owner, key = value(run, target.value, scope), value(run, target.slice, scope)
            if isinstance(owner, dict) and isinstance(key, str | int) and key in owner:
                del owner[key]
            elif isinstance(owner, dict | list):
                changed_of(run, owner, why(key, "an element that is not known is deleted"))
