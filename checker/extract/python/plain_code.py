"""Code that is one expression, however it is written: with local variables for parts of it, helpers, log calls."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOGGERS = frozenset({"logging", "logger", "log", "LOG", "LOGGER", "_logger"})
_LOGGING = frozenset(
    {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "setLevel", "addHandler"}
)
"""Methods of loggers, and of nothing else that is called so: ``log.append`` is one of a list."""


def logs(node: ast.stmt) -> bool:
    """Whether a statement is a call that prints or logs."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    called = node.value.func
    if isinstance(called, ast.Name):
        return called.id == "print"
    if not isinstance(called, ast.Attribute) or (called.attr not in _LOGGING and not _is_named(called, "logging")):
        return False
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Name) and called.id in _LOGGERS


def _is_named(called: ast.Attribute, name: str) -> bool:
    return isinstance(called.value, ast.Name) and called.value.id == name


def without_logs(node: ast.AST) -> ast.AST:
    """Code without the statements that only log."""
    found: ast.AST = _WithoutLogs().visit(copy.deepcopy(node))
    return found


class _WithoutLogs(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A log call, a docstring or another expression."""
        return None if logs(node) or is_text(node) else node


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring or another constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def expression_of(body: list[ast.stmt]) -> ast.expr | None:
    """What a function with these statements gives, as one expression of its parameters and of names around it.

    None where it does more than naming parts of the expression and logging.
    """
    values: dict[str, ast.expr] = {}
    for statement in body:
        match statement:
            case ast.Return(value=ast.expr() as value):
                return replaced(value, values)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                made = replaced(value, values)
                if made is None:
                    return None
                values[name] = made
            case _ if not (logs(statement) or is_text(statement)):
                return None
    return None


def arguments_of(declared: ast.arguments, call: ast.Call) -> dict[str, ast.expr] | None:
    """The value of each parameter in a call; None where the call does not say it in a plain way."""
    by_place = [argument.arg for argument in (*declared.posonlyargs, *declared.args)]
    plain = not any(isinstance(argument, ast.Starred) for argument in call.args)
    if not plain or declared.vararg or declared.kwarg or len(call.args) > len(by_place):
        return None
    defaults = declared.defaults
    found = dict(zip(by_place[len(by_place) - len(defaults) :], defaults, strict=True))
    found.update({a.arg: d for a, d in zip(declared.kwonlyargs, declared.kw_defaults, strict=True) if d is not None})
    constant = all(isinstance(default, ast.Constant) for default in found.values())
    found.update(zip(by_place, call.args, strict=False))
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    names = {*by_place, *(argument.arg for argument in declared.kwonlyargs)}
    found.update(named)
    complete = len(named) == len(call.keywords) and found.keys() == names
    return found if constant and complete else None


def replaced(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr | None:
    """An expression with the values of some variables in their places; None where it has variables of these names."""
    if any(
        (isinstance(inner, ast.arg) and inner.arg in values)
        or (isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load) and inner.id in values)
        for inner in ast.walk(node)
    ):
        return None
    made: ast.expr = _Replaced(values).visit(copy.deepcopy(node))
    return made


class _Replaced(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._values[node.id]) if node.id in self._values else node
