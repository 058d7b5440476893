"""Conditions and keys of a script: what they are as texts, and which of them are settled."""

from __future__ import annotations

import ast


def constant(node: ast.expr) -> bool | None:
    """Whether a condition always holds, or never does; None where that depends."""
    return bool(node.value) if isinstance(node, ast.Constant) else None


def if_(test: ast.expr, *, holds: bool = True) -> str:
    """A condition as a text, alike for both ways to write that it does not hold."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    match test:
        case ast.Compare(left=left, ops=[ast.IsNot() | ast.NotEq()], comparators=[right]):
            test, holds = ast.Compare(left, [ast.Eq()], [right]), not holds
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[right]):
            test = ast.Compare(left, [ast.Eq()], [right])
    return f"{'if' if holds else 'unless'} {ast.unparse(test)}"


def constant_none(node: ast.expr) -> bool:
    """Whether an expression is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def entry(key: ast.expr) -> str:
    """The path to an entry of a collection."""
    return f"[{key.value!r}]" if isinstance(key, ast.Constant) else "[]"
