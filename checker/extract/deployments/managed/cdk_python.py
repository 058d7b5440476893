"""Applications of the AWS CDK in Python, as far as their properties are literals, or names for one literal."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from checker.extract.deployments.managed.application import LATER, applications
from checker.extract.deployments.managed.constructs import CLASS, RUNTIME, properties
from checker.model.deployments import Deployment
from checker.model.unknowns import Location

_OF_THE_USER = ("propertyMap", "propertyGroups")
"""Properties whose keys are the user's; the second one is a table in ``Application`` only."""


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications that one file makes."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    names = _named_literals(tree)
    for node in ast.walk(tree):
        made = CLASS.fullmatch(ast.unparse(node.func)) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or made is None or len(node.args) < 2 or not node.keywords:
            continue
        given = _camel(_keywords(node, names))
        location = Location(path, node.lineno, node.col_offset + 1)
        described = properties(made[1], given, ast.unparse(node))
        yield from applications(str(_value(node.args[1], names)), described, location)


def _named_literals(tree: ast.Module) -> Mapping[str, ast.Constant]:
    """Names that the file binds once, to a literal."""
    bound: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.setdefault(node.id, [])
        elif isinstance(node, ast.arg):
            bound.setdefault(node.arg, []).append(None)
    stores = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return {
        name: values[0]
        for name, values in bound.items()
        if len(values) == 1 == stores.count(name) and isinstance(values[0], ast.Constant)
    }


def _value(node: ast.expr, names: Mapping[str, ast.Constant]) -> Any:
    """A literal; ``LATER`` for what is none, and for a table that others are spread into."""
    match node:
        case ast.Constant(value=bool() | str() | int() | float() as value):
            return value
        case ast.Name(id=name) if name in names:
            return _value(names[name], names)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_value(element, names) for element in elements]
        case ast.Dict(keys=keys, values=values):
            spelled = [None if key is None else _value(key, names) for key in keys]
            if any(key is None or key == LATER for key in spelled):
                return LATER
            return {str(key): _value(value, names) for key, value in zip(spelled, values, strict=True)}
        case ast.Attribute():
            runtime = RUNTIME.fullmatch(ast.unparse(node))
            return LATER if runtime is None else f"FLINK-{runtime[1]}"
        case ast.Call(func=ast.Attribute(attr=attribute), args=[]) if attribute.endswith("Property"):
            return _keywords(node, names)
        case _:
            return LATER


def _keywords(call: ast.Call, names: Mapping[str, ast.Constant]) -> Any:
    if any(keyword.arg is None for keyword in call.keywords):
        return LATER
    return {str(keyword.arg): _value(keyword.value, names) for keyword in call.keywords}


def _camel(value: Any) -> Any:
    """Names of properties as other languages spell them: ``property_groups`` is ``propertyGroups``."""
    if isinstance(value, list):
        return [_camel(part) for part in value]
    if not isinstance(value, dict):
        return value
    spelled = [(_camel_name(name), part) for name, part in value.items()]
    return {name: part if name in _OF_THE_USER and isinstance(part, dict) else _camel(part) for name, part in spelled}


def _camel_name(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)
