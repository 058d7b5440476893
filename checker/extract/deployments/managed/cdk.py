"""Applications of the AWS CDK in TypeScript, as far as their properties are literals.

What an expression computes is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tree_sitter
import tree_sitter_typescript

from checker.extract.deployments.managed.application import LATER, applications
from checker.extract.deployments.managed.constructs import CLASS, RUNTIME, properties
from checker.model.deployments import Deployment
from checker.model.unknowns import Location

_ASSIGNMENTS = (("variable_declarator", "name", "value"), ("assignment_expression", "left", "right"))
"""Nodes that give a value to a name: their kind, and the fields of both."""


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications that one file makes."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_typescript.language_typescript()))
    root = parser.parse(text.encode()).root_node
    for node in _nodes(root, "new_expression"):
        constructor, arguments = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
        made = CLASS.fullmatch(_text(constructor)) if constructor is not None else None
        given = [] if arguments is None else arguments.named_children
        if made is None or len(given) < 3:
            continue
        props = _assigned(root, given[2])
        described = properties(made[1], _value(props), _text(props))
        location = Location(path, node.start_point.row + 1, node.start_point.column + 1)
        yield from applications(str(_value(given[1])), described, location)


def _assigned(root: tree_sitter.Node, node: tree_sitter.Node) -> tree_sitter.Node:
    """The object that a name stands for, where the file assigns it once: ``const p = {…}``, ``this.p = {…}``."""
    if node.type not in ("identifier", "member_expression"):
        return node
    declared = (
        (part.child_by_field_name(name), part.child_by_field_name(value))
        for kind, name, value in _ASSIGNMENTS
        for part in _nodes(root, kind)
    )
    found = [value for name, value in declared if name is not None and value is not None and _text(name) == _text(node)]
    targets = (part.child_by_field_name("left") for part in _nodes(root, "assignment_expression"))
    changed = any(target is not None and _text(target).startswith(f"{_text(node)}.") for target in targets)
    return found[0] if len(found) == 1 and not changed else node


def _nodes(node: tree_sitter.Node, kind: str) -> Iterator[tree_sitter.Node]:
    pending = [node]
    while pending:
        inner = pending.pop()
        if inner.type == kind:
            yield inner
        pending.extend(reversed(inner.named_children))


def _value(node: tree_sitter.Node) -> Any:
    """A literal; ``LATER`` for what is none, and for an object that others are spread into."""
    match node.type:
        case "object":
            pairs = [(pair.child_by_field_name("key"), pair.child_by_field_name("value")) for pair in _parts(node)]
            if not all(key is not None and value is not None for key, value in pairs):
                return LATER
            return {_key(key): _value(value) for key, value in pairs if key is not None and value is not None}
        case "array":
            return [_value(element) for element in _parts(node)]
        case "string" | "template_string":
            fragments = node.named_children
            plain = all(fragment.type == "string_fragment" for fragment in fragments)
            return "".join(_text(fragment) for fragment in fragments) if plain else LATER
        case "number" | "true" | "false":
            return {"true": True, "false": False}.get(node.type, _text(node))
        case "member_expression":
            runtime = RUNTIME.fullmatch(_text(node))
            return LATER if runtime is None else f"FLINK-{runtime[1]}"
        case _:
            return LATER


def _parts(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [part for part in node.named_children if part.type != "comment"]


def _key(node: tree_sitter.Node) -> str:
    return _text(node) if node.type == "property_identifier" else str(_value(node))


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
