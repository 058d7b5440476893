"""Applications of the AWS CDK in TypeScript, as far as their properties are literals.

What an expression computes is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tree_sitter
import tree_sitter_typescript

from checker.extract.deployments.managed.application import LATER, application
from checker.extract.deployments.managed.constructs import CLASS, RUNTIME, properties
from checker.model.deployments import Deployment
from checker.model.unknowns import Location


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications that one file makes."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_typescript.language_typescript()))
    for node in _constructions(parser.parse(text.encode()).root_node):
        constructor, arguments = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
        made = CLASS.fullmatch(_text(constructor)) if constructor is not None else None
        given = [] if arguments is None else arguments.named_children
        if made is None or len(given) < 3:
            continue
        described = properties(made[1], _value(given[2]), _text(given[2]))
        location = Location(path, node.start_point.row + 1, node.start_point.column + 1)
        yield application(str(_value(given[1])), described, location)


def _constructions(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    pending = [node]
    while pending:
        inner = pending.pop()
        if inner.type == "new_expression":
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
