"""Conditions whose truth the source alone settles: constants, what is never null, and what contradicts itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from checker.extract.java.syntax.nodes import unwrapped
from checker.extract.java.syntax.tree import Node, text, walk
from checker.extract.java.syntax.tree import field as part

_NUMBERS: Final = frozenset({"decimal_integer_literal", "decimal_floating_point_literal"})
_ACCESSOR: Final = re.compile(
    r"(?:get|is|has)[A-Z]|(?:length|size|isEmpty|equals|value|name|ordinal|startsWith|contains)$"
)
_DEPTH: Final = 6
_SWAPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_EXCLUDING: Final = frozenset(
    frozenset(pair) for pair in (("<", ">"), ("<", ">="), (">", "<="), ("==", "!="), ("==", "<"), ("==", ">"))
)
"""Comparisons of the same two values that never hold both."""
_EXHAUSTING: Final = frozenset(frozenset(pair) for pair in (("<", ">="), (">", "<="), ("<=", ">="), ("==", "!=")))
"""Comparisons of the same two values of which one always holds."""

Values = Callable[[str], Node | bool | None]
"""What the name of a constant, or a call without arguments, stands for: an expression, or a truth value."""
_EVEN: Final = frozenset({"==", "<=", ">="})
"""Comparisons that hold for two equal values; the others never do."""
_COUNTS: Final = re.compile(r"\.(?:length|size)\(\)$|\bMath\.abs\([^()]*\)$")
"""Values that are never negative."""


def truth(condition: Node | None, values: Values, never_null: frozenset[str], depth: int = 0) -> bool | None:
    """Whether a condition always or never holds; None where that depends on values."""
    if condition is None or depth > _DEPTH:
        return None
    node = unwrapped(condition)
    if node.type in ("true", "false"):
        return node.type == "true"
    if node.type in ("identifier", "field_access") or text(part(node, "arguments")) == "()":
        value = values(text(node))
        return value if isinstance(value, bool) else truth(value, values, never_null, depth + 1)
    if node.type == "unary_expression" and text(part(node, "operator")) == "!":
        found = truth(part(node, "operand"), values, never_null, depth + 1)
        return None if found is None else not found
    if node.type == "method_invocation" and text(part(node, "name")) == "equals" and not _calls(node):
        given = part(node, "arguments")
        return True if given is not None and text(given) == f"({text(part(node, 'object'))})" else None
    if node.type != "binary_expression":
        return None
    left, right, operator = part(node, "left"), part(node, "right"), text(part(node, "operator"))
    if left is None or right is None:
        return None
    if operator in ("&&", "||"):
        sides = [truth(side, values, never_null, depth + 1) for side in (left, right)]
        deciding = operator == "||"
        if deciding in sides:
            return deciding
        if not deciding and _contradicts(node):
            return False
        if deciding and _exhausts(node):
            return True
        return None if None in sides else not deciding
    return _compared(left, operator, right, values, never_null)


def _compared(left: Node, operator: str, right: Node, values: Values, never_null: frozenset[str]) -> bool | None:
    if operator in ("==", "!=") and "null_literal" in (left.type, right.type):
        named = right if left.type == "null_literal" else left
        return operator == "!=" if text(named) in never_null else None
    if operator in _SWAPPED and text(left) == text(right) and left.type in ("identifier", "field_access"):
        return operator in _EVEN
    numbers = [_number(side, values) for side in (left, right)]
    if numbers[1] == 0 and operator in ("<", ">=") and _COUNTS.search(text(left)) is not None:
        return operator == ">="
    if numbers[0] is not None and numbers[1] is not None and operator in _SWAPPED:
        return _holds(numbers[0], operator, numbers[1])
    return None


def _holds(left: float, operator: str, right: float) -> bool:
    match operator:
        case "<":
            return left < right
        case ">":
            return left > right
        case "<=":
            return left <= right
        case ">=":
            return left >= right
        case "==":
            return left == right
    return left != right


def _number(node: Node, values: Values, depth: int = 0) -> float | None:
    node = unwrapped(node)
    sign = 1
    if node.type == "unary_expression" and text(part(node, "operator")) == "-":
        inside = part(node, "operand")
        if inside is None:
            return None
        node, sign = inside, -1
    if node.type in _NUMBERS:
        try:
            return sign * float(text(node).replace("_", "").rstrip("lLfFdD"))
        except ValueError:
            return None
    if node.type in ("identifier", "field_access") and depth < _DEPTH:
        value = values(text(node))
        found = _number(value, values, depth + 1) if isinstance(value, Node) else None
        return None if found is None else sign * found
    return None


def _contradicts(node: Node) -> bool:
    """Whether some parts of a conjunction exclude each other; a call may give another value each time."""
    parts = [_spelled(unwrapped(conjunct)) for conjunct in _conjuncts(node) if not _calls(conjunct)]
    return any(
        first[0] == second[0]
        and ((first[2] == second[2] and frozenset((first[1], second[1])) in _EXCLUDING) or _apart(first, second))
        for first in parts
        for second in parts
    )


def _apart(low: tuple[str, str, str], high: tuple[str, str, str]) -> bool:
    """Whether one value would be above and below two numbers that leave nothing between them."""
    if low[0] != high[0] or low[1] not in ("<", "<=") or high[1] not in (">", ">="):
        return False
    try:
        return float(low[2].rstrip("lL")) < float(high[2].rstrip("lL"))
    except ValueError:
        return False


def _exhausts(node: Node) -> bool:
    """Whether one of two parts of a disjunction holds where the other one does not."""
    parts = [_spelled(unwrapped(side)) for side in _conjuncts(node, "||") if not _calls(side)]
    return any(
        (first[0], first[2]) == (second[0], second[2]) and frozenset((first[1], second[1])) in _EXHAUSTING
        for first in parts
        for second in parts
    )


def _conjuncts(node: Node, operator: str = "&&") -> Iterator[Node]:
    inner = unwrapped(node)
    if inner.type == "binary_expression" and text(part(inner, "operator")) == operator:
        for side in (part(inner, "left"), part(inner, "right")):
            if side is not None:
                yield from _conjuncts(side, operator)
    else:
        yield inner


def _spelled(node: Node) -> tuple[str, str, str]:
    """A condition as a comparison: a plain one, or its negation, compares with ``true``."""
    operator = text(part(node, "operator"))
    if node.type == "binary_expression" and operator in _SWAPPED:
        return " ".join(text(part(node, "left")).split()), operator, " ".join(text(part(node, "right")).split())
    if node.type == "unary_expression" and operator == "!":
        operand = part(node, "operand")
        return (text(unwrapped(operand)) if operand is not None else "", "!=", "true")
    return text(node), "==", "true"


def _calls(node: Node) -> bool:
    """Whether evaluating it twice may give two values: accessors give one."""
    return any(
        n.type in ("update_expression", "assignment_expression")
        or (n.type == "method_invocation" and _ACCESSOR.match(text(part(n, "name"))) is None)
        for n in walk(node)
    )
