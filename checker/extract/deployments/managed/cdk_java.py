"""Applications of the AWS CDK in Java: builders, as far as their properties are literals or constants of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import tree_sitter
import tree_sitter_java

from checker.extract.deployments.managed.application import LATER, applications
from checker.extract.deployments.managed.constructs import CLASS, RUNTIME, properties
from checker.model.deployments import Deployment
from checker.model.unknowns import Location


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications that one file makes."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_java.language()))
    root = parser.parse(text.encode()).root_node
    constants = _constants(root)
    for node in _nodes(root):
        if node.type != "method_invocation" or _name(node) != "build":
            continue
        steps, start = _chain(node)
        receiver = start.child_by_field_name("object") if start is not None else None
        if start is None or receiver is None or _name(start) != "create" or not _text(receiver).endswith(".Builder"):
            continue
        made = CLASS.fullmatch(_text(receiver).removesuffix(".Builder"))
        if made is None:
            continue
        arguments = _arguments(start)
        given = {name: _value(value, constants) for name, value in steps}
        location = Location(path, start.start_point.row + 1, start.start_point.column + 1)
        named = str(_value(arguments[1], constants)) if len(arguments) > 1 else path
        yield from applications(named, properties(made[1], given, _text(node)), location)


def _chain(node: tree_sitter.Node) -> tuple[list[tuple[str, tree_sitter.Node]], tree_sitter.Node | None]:
    """The steps of a builder with one argument each, and the call that made it."""
    steps: list[tuple[str, tree_sitter.Node]] = []
    inner = node.child_by_field_name("object")
    while inner is not None and inner.type == "method_invocation" and _name(inner) not in ("create", "builder"):
        given = _arguments(inner)
        if len(given) == 1:
            steps.append((_name(inner), given[0]))
        inner = inner.child_by_field_name("object")
    return steps[::-1], inner if inner is not None and inner.type == "method_invocation" else None


def _value(node: tree_sitter.Node, constants: Mapping[str, tree_sitter.Node]) -> Any:
    """A literal, a list, a table, or what a builder of properties holds; ``LATER`` for everything else."""
    text = _text(node)
    match node.type:
        case "string_literal":
            return text[1:-1] if "\\" not in text else LATER
        case "decimal_integer_literal" | "true" | "false":
            return {"true": True, "false": False}.get(text, text)
        case "identifier" if text in constants:
            return _value(constants[text], {name: value for name, value in constants.items() if name != text})
        case "field_access":
            runtime = RUNTIME.fullmatch(text)
            return LATER if runtime is None else f"FLINK-{runtime[1]}"
        case "method_invocation":
            return _made(node, constants)
        case _:
            return LATER


def _made(node: tree_sitter.Node, constants: Mapping[str, tree_sitter.Node]) -> Any:
    owner, given = node.child_by_field_name("object"), _arguments(node)
    called = f"{'' if owner is None else _text(owner)}.{_name(node)}"
    if called in ("List.of", "Arrays.asList", "Collections.singletonList"):
        return [_value(element, constants) for element in given]
    if called in ("Map.of", "Collections.singletonMap") and len(given) % 2 == 0:
        keys = [_value(key, constants) for key in given[::2]]
        return LATER if LATER in keys else dict(zip(keys, (_value(v, constants) for v in given[1::2]), strict=True))
    if called == "Map.ofEntries" and all(e.type == "method_invocation" and _name(e) == "entry" for e in given):
        pairs = [[_value(part, constants) for part in _arguments(entry)] for entry in given]
        return LATER if any(pair[0] == LATER for pair in pairs) else dict(pairs)
    if _name(node) == "build":
        steps, start = _chain(node)
        if start is not None and _name(start) == "builder":
            return {name: _value(value, constants) for name, value in steps}
    return LATER


def _constants(root: tree_sitter.Node) -> dict[str, tree_sitter.Node]:
    """Names that the file gives one value, where they are declared."""
    found: dict[str, list[tree_sitter.Node | None]] = {}
    for node in _nodes(root):
        name = node.child_by_field_name("name") if node.type == "variable_declarator" else None
        if name is not None:
            found.setdefault(_text(name), []).append(node.child_by_field_name("value"))
        elif node.type in ("assignment_expression", "formal_parameter"):
            target = node.child_by_field_name("left") or node.child_by_field_name("name")
            found.setdefault(_text(target) if target is not None else "", []).append(None)
    return {name: values[0] for name, values in found.items() if len(values) == 1 and values[0] is not None}


def _nodes(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.named_children))


def _arguments(call: tree_sitter.Node) -> list[tree_sitter.Node]:
    given = call.child_by_field_name("arguments")
    return [] if given is None else [node for node in given.named_children if "comment" not in node.type]


def _name(call: tree_sitter.Node) -> str:
    name = call.child_by_field_name("name")
    return "" if name is None else _text(name)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
