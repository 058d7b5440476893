"""Applications of the AWS CDK in TypeScript: literals, constants, the context, and what their stack is given.

What another expression computes is not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import tree_sitter
import tree_sitter_typescript

from checker.extract.deployments.managed.application import LATER, applications
from checker.extract.deployments.managed.constructs import CLASS, RUNTIME, properties
from checker.model.deployments import Deployment
from checker.model.foreign_documents import table_in
from checker.model.unknowns import Location

_ASSIGNMENTS = (("variable_declarator", "name", "value"), ("assignment_expression", "left", "right"))
"""Nodes that give a value to a name: their kind, and the fields of both."""
_LITERALS = ("string", "number", "true", "false")
_CONTEXT = "cdk.json"


def deployments_of(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Deployment]:
    """The applications that one file makes, for each place that makes their stack."""
    root = _parsed(text)
    for node in _nodes(root, "new_expression"):
        constructor, arguments = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
        made = CLASS.fullmatch(_text(constructor)) if constructor is not None else None
        given = [] if arguments is None else arguments.named_children
        if made is None or len(given) < 3:
            continue
        props = _assigned(root, given[2])
        location = Location(path, node.start_point.row + 1, node.start_point.column + 1)
        around = {**_context(texts), **_constants(root)}
        stacks = [*_stacks(node, texts)] or [("", {}, path)]
        for label, values, file in stacks:
            known = {**around, **values}
            described = properties(made[1], _value(props, known), _text(props))
            for found in applications(str(_value(given[1], known)), described, location):
                files = tuple(sorted({path, file, *(_CONTEXT for _ in range(_CONTEXT in texts))}))
                yield replace(found, files=files, target=label if len(stacks) > 1 else found.target)


def _parsed(text: str) -> tree_sitter.Node:
    language = tree_sitter.Language(tree_sitter_typescript.language_typescript())
    return tree_sitter.Parser(language).parse(text.encode()).root_node


def _context(texts: Mapping[str, str]) -> dict[str, Any]:
    """What the application's context gives, by the words that ask for it."""
    try:
        given = table_in(table_in(json.loads(texts.get(_CONTEXT, "{}"))).get("context"))
    except (ValueError, RecursionError):
        return {}
    calls = (f"{owner}.node.tryGetContext({quote}%s{quote})" for owner in ("this", "scope", "app") for quote in "'\"")
    return {call % key: value for call in calls for key, value in given.items()}


def _constants(root: tree_sitter.Node) -> dict[str, Any]:
    """Names that a file gives one literal."""
    found: dict[str, list[tree_sitter.Node | None]] = {}
    for kind, name, value in _ASSIGNMENTS:
        for node in _nodes(root, kind):
            target = node.child_by_field_name(name)
            if target is not None and target.type == "identifier":
                found.setdefault(_text(target), []).append(node.child_by_field_name(value))
    literals = ((name, values[0]) for name, values in found.items() if len(values) == 1)
    return {name: _value(node, {}) for name, node in literals if node is not None and node.type in _LITERALS}


def _stacks(node: tree_sitter.Node, texts: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Each place that makes the class around an application: its name, what it gives to the constructor, the file."""
    around: tree_sitter.Node | None = node
    taken = "props"
    while around is not None and around.type != "class_declaration":
        parameters = around.child_by_field_name("parameters") if around.type == "method_definition" else None
        if parameters is not None and len(parameters.named_children) == 3:
            pattern = parameters.named_children[2].child_by_field_name("pattern")
            taken = taken if pattern is None else _text(pattern)
        around = around.parent
    name = around.child_by_field_name("name") if around is not None else None
    if name is None:
        return
    making = re.compile(rf"\bnew\s+(?:\w+\.)*{re.escape(_text(name))}\s*\(")
    for path, text in texts.items():
        if not path.endswith(".ts") or making.search(text) is None:
            continue
        root = _parsed(text)
        known = {**_context(texts), **_constants(root)}
        for made in _nodes(root, "new_expression"):
            arguments = made.child_by_field_name("arguments")
            given = [] if arguments is None else arguments.named_children
            if making.match(_text(made)) and len(given) == 3:
                values = _value(_assigned(root, given[2]), known)
                label = f"{path}:{_value(given[1], known)}"
                yield label, {f"{taken}.{key}": value for key, value in table_in(values).items()}, path


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


def _value(node: tree_sitter.Node, known: Mapping[str, Any]) -> Any:
    """A literal, or what an expression is known to be; ``${…}`` for what is none, ``LATER`` for objects with others."""
    text = " ".join(_text(node).split())
    if text in known:
        return known[text]
    match node.type:
        case "object":
            pairs = [(pair.child_by_field_name("key"), pair.child_by_field_name("value")) for pair in _parts(node)]
            if not all(key is not None and value is not None for key, value in pairs):
                return LATER
            return {_key(key): _value(value, known) for key, value in pairs if key is not None and value is not None}
        case "array":
            return [_value(element, known) for element in _parts(node)]
        case "string" | "template_string":
            return "".join(_fragment(fragment, known) for fragment in node.named_children)
        case "number" | "true" | "false":
            return {"true": True, "false": False}.get(node.type, _text(node))
        case "member_expression" if (runtime := RUNTIME.fullmatch(text)) is not None:
            return f"FLINK-{runtime[1]}"
        case _:
            return "${" + re.sub(r"[{}]", "", text) + "}"


def _fragment(node: tree_sitter.Node, known: Mapping[str, Any]) -> str:
    """A part of a text: plain, or what is put into it."""
    if node.type != "template_substitution":
        return _text(node)
    found = _value(node.named_children[0], known) if node.named_children else LATER
    return str(found).lower() if isinstance(found, bool) else str(found)


def _parts(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [part for part in node.named_children if part.type != "comment"]


def _key(node: tree_sitter.Node) -> str:
    return _text(node) if node.type == "property_identifier" else str(_value(node, {}))


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
