"""Questions about the syntax of bodies and calls: their own nodes, variables, arguments, and what is around a node."""

from __future__ import annotations

from typing import Final

from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.nodes import arguments_of
from checker.extract.java.syntax.tree import Node, children, text, walk
from checker.extract.java.syntax.tree import field as part

COMMENTS = frozenset({"line_comment", "block_comment"})
_CONDITIONS = frozenset({"if_statement", "switch_expression", "while_statement", "for_statement"})
_BODIES: Final[frozenset[NodeKind]] = frozenset({"lambda_expression", "class_body"})


_KEEPING: Final = frozenset(
    {"stream", "parallelStream", "filter", "sorted", "distinct", "peek", "limit", "skip", "parallel", "sequential",
     "takeWhile", "dropWhile", "toList", "iterator"}
)  # fmt: skip
"""Calls on collections and streams of Java's library that give the same elements."""
_OF_LIBRARY: Final = ("Map.Entry::", "Entry::", "Optional::")


def words(node: Node) -> frozenset[str]:
    """All identifiers below a node."""
    return frozenset(text(n) for n in walk(node) if n.type == "identifier")


def parameters_of(node: Node) -> list[str]:
    """The names of a lambda's parameters."""
    parameters = part(node, "parameters")
    if parameters is None:
        return []
    if parameters.type == "identifier":
        return [text(parameters)]
    return [text(part(p, "name") or p) for p in children(parameters)]


def _source(stream: Node) -> tuple[Node, str]:
    """What the elements of a stream of Java's library are taken of, as in a loop over that, with their accessors."""
    current, accessors = stream, ""
    while current.type == "method_invocation":
        name, receiver, given = text(part(current, "name")), part(current, "object"), arguments_of(current)
        if name == "supplyAsync" and given and part(given[0], "body") is not None:
            return part(given[0], "body") or current, ""
        if receiver is None or not (name in _KEEPING or (name == "map" and given)):
            break
        if name == "map":
            body = part(given[0], "body") if given[0].type == "lambda_expression" else None
            if body is not None and body.type != "block" and not accessors:
                return body, ""
            if given[0].type != "method_reference" or not text(given[0]).startswith(_OF_LIBRARY):
                break
            accessors = f".{text(given[0]).rpartition('::')[2].strip()}(){accessors}"
            current = receiver
        elif text(receiver) in ("Arrays", "StreamSupport", "Stream"):
            iterated = given[0] if given else receiver
            current = (part(iterated, "object") or iterated) if text(receiver) == "StreamSupport" else iterated
        else:
            current = receiver
    return current, accessors


def member_of(name: str, *prefixes: str) -> str:
    """The member that an accessor is for: ``user`` of ``getUser``; else the name itself."""
    for prefix in prefixes:
        rest = name.removeprefix(prefix)
        if rest != name and rest[:1].isupper():
            return rest[:1].lower() + rest[1:]
    return name


def locals_of(body: Node) -> dict[str, tuple[Node, ...]]:
    """What each local variable of a body is set to, wherever that is."""
    found: dict[str, list[Node]] = {}
    for node in walk(body):
        if node.type in ("variable_declarator", "enhanced_for_statement"):
            value = part(node, "value")
            found.setdefault(text(part(node, "name")), []).extend([value] if value is not None else [])
        elif node.type == "instanceof_expression" and part(node, "name") is not None:
            found.setdefault(text(part(node, "name")), []).append(part(node, "left") or node)
    for node in walk(body):
        left = part(node, "left") if node.type == "assignment_expression" else None
        if left is not None and text(left) in found:
            whole = text(part(node, "operator")) == "="
            value = part(node, "right") if whole else node
            if value is not None:
                found[text(left)].append(value)
    return {name: tuple(values) for name, values in found.items()}
