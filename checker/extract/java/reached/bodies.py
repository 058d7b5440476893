"""Questions about the syntax of bodies: their own nodes, and what is around a node."""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.java.reached.value_texts import COMMENTS
from checker.extract.java.syntax.declarations import MethodDecl
from checker.extract.java.syntax.tree import Node, children, text, walk
from checker.extract.java.syntax.tree import field as part

_CONDITIONS = frozenset({"if_statement", "switch_expression", "while_statement", "for_statement"})
_BODIES = frozenset({"lambda_expression", "class_body"})


def words(node: Node) -> frozenset[str]:
    """All identifiers below a node."""
    return frozenset(text(n) for n in walk(node) if n.type == "identifier")


def own_nodes(body: Node) -> Iterator[Node]:
    """The nodes of a body, without those of classes inside of it."""
    pending = [body]
    while pending:
        node = pending.pop()
        yield node
        inner = [n for n in node.children if n.type not in COMMENTS]
        pending.extend(n for n in reversed(inner) if n.type != "class_body")


def in_lambda(node: Node, body: Node) -> bool:
    """Whether a node of a body is inside of a lambda in it."""
    current = node.parent
    while current is not None and current != body:
        if current.type == "lambda_expression":
            return True
        current = current.parent
    return False


def sets_field(method: MethodDecl) -> bool:
    """Whether a method does nothing but set a field to its argument, and may return the object."""
    statements = [s for s in children(method.body) if s.type != "return_statement"] if method.body is not None else []
    assignment = next(iter(children(statements[0])), None) if len(statements) == 1 else None
    return (
        assignment is not None
        and assignment.type == "assignment_expression"
        and text(part(assignment, "right")) == method.parameters[0].name
    )


def conditions_around(node: Node) -> Iterator[Node]:
    """The conditions around a node, up to its function."""
    current = node.parent
    while current is not None and current.type not in ("method_declaration", "constructor_declaration", *_BODIES):
        if current.type in _CONDITIONS:
            condition = part(current, "condition")
            if condition is not None:
                yield condition
        current = current.parent
