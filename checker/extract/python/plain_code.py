"""Code that is one expression, however it is written: with local variables for parts of it, helpers, log calls.

Syntax trees of Python files: parsed once for each content, shared by all readers, copied before they are changed.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from checker.extract.python.interpreter.signals import stopped
from checker.model.unknowns import Cause, Location

Node = TypeVar("Node", bound=ast.AST)

MAX_SOURCE = 500_000
"""Bytes of a file beyond which it is not a program that somebody wrote."""
KEPT = 256
"""Files whose trees are kept."""


@lru_cache(KEPT)
def parsed(data: bytes, path: str) -> ast.Module:
    """The syntax tree of a file. Raises StoppedError with cause SYNTAX where there is none."""
    if len(data) > MAX_SOURCE:
        raise stopped(f"{path} has {len(data)} bytes", Cause.LIMIT, Location(path, 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data, path)
    except SyntaxError as error:
        why = f"{path}:{error.lineno or 1}: does not parse: {error.msg}{_older(data)}"
        raise stopped(why, Cause.SYNTAX, Location(path, error.lineno or 1)) from None
    except ValueError as error:
        raise stopped(f"{path}:1: does not parse: {error}", Cause.SYNTAX, Location(path, 1)) from None
    except (RecursionError, MemoryError):
        why = f"{path}:1: nested too deeply to be parsed"
        raise stopped(why, Cause.LIMIT, Location(path, 1)) from None


def copied(node: Node) -> Node:
    """A copy of a tree that may be changed: ``copy.deepcopy`` keeps a record of all it met, which a tree needs not."""
    made = type(node)()
    for name, value in vars(node).items():
        setattr(made, name, _copied_field(value))
    return made


def _copied_field(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied_field(inner) for inner in value]
    return copied(value) if isinstance(value, ast.AST) and not isinstance(value, ast.expr_context) else value


def _older(data: bytes) -> str:
    return (
        " (it looks like Python 2)" if b'print "' in data or b"print '" in data or b"except Exception, " in data else ""
    )


Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOGGERS = frozenset({"logging", "logger", "log", "LOG", "LOGGER", "_logger"})
_LOGGING = frozenset(
    {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "setLevel", "addHandler"}
)
"""Methods of loggers, and of nothing else that is called so: ``log.append`` is one of a list."""
_LARGEST = 500
"""How many parts an expression may have that several statements are taken together to."""


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


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring or another constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def expression_of(body: list[ast.stmt]) -> ast.expr | None:
    """What a function with these statements gives, as one expression of its parameters and of names around it.

    None where it does more than naming parts of the expression, choosing between some, and logging.
    """
    try:
        return _expression(body, {})
    except _NotPlainError:
        return None


class _NotPlainError(Exception):
    """Code is not one expression, or a large one."""


def _expression(body: list[ast.stmt], values: dict[str, ast.expr]) -> ast.expr | None:
    """What statements give where variables have some values; these become the ones behind. None where they go on."""
    for place, statement in enumerate(body):
        match statement:
            case ast.Return(value=ast.expr() as value):
                return _filled(value, values)
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                values.update(_named(target, _filled(value, values)))
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                values[name] = _filled(ast.BinOp(ast.Name(name, ast.Load()), op, value), values)
            case ast.If(test=test, body=first, orelse=second):
                rest, decided, ways = body[place + 1 :], _filled(test, values), (dict(values), dict(values))
                given = [_expression(branch, way) for branch, way in zip((first, second), ways, strict=True)]
                if given != [None, None]:
                    found = [value or _expression(rest, way) for value, way in zip(given, ways, strict=True)]
                    if found[0] is None or found[1] is None:
                        raise _NotPlainError
                    return ast.IfExp(decided, found[0], found[1])
                for name in sorted(ways[0].keys() | ways[1].keys()):
                    there, missing = (way.get(name, ast.Name(name, ast.Load())) for way in ways)
                    values[name] = there if there is missing else ast.IfExp(decided, there, missing)
            case _ if not (logs(statement) or is_text(statement)):
                raise _NotPlainError
    return None


def _filled(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    made = replaced(node, values)
    if made is None or sum(1 for _ in ast.walk(made)) > _LARGEST:
        raise _NotPlainError
    return made


def _named(target: ast.expr, value: ast.expr) -> Mapping[str, ast.expr]:
    """The variables that an assignment sets, with their values."""
    match target:
        case ast.Name(id=name):
            return {name: value}
        case ast.Tuple(elts=parts) if all(isinstance(part, ast.Name) for part in parts):
            written = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(parts) else None
            values = written or [ast.Subscript(value, ast.Constant(n), ast.Load()) for n in range(len(parts))]
            return {part.id: v for part, v in zip(parts, values, strict=True) if isinstance(part, ast.Name)}
    raise _NotPlainError


def replaced(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr | None:
    """An expression with the values of some variables in their places; None where it has variables of these names."""
    if any(
        (isinstance(inner, ast.arg) and inner.arg in values)
        or (isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load) and inner.id in values)
        for inner in ast.walk(node)
    ):
        return None
    made: ast.expr = _Replaced(values).visit(copied(node))
    return made


class _Replaced(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copied(self._values[node.id]) if node.id in self._values else node
