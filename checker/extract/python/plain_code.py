"""Syntax trees of Python files: parsed once for each content, shared by all readers, copied before they are changed.

Which statements compute nothing: texts, and calls that print or log.
"""

import ast
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeVar

from checker.extract.python.interpreter.signals import StoppedError, stopped
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
        older = any(text in data for text in (b'print "', b"print '", b"except Exception, "))
        shown = f"{error.msg} (it looks like Python 2)" if older else error.msg
        why = f"{path}:{error.lineno or 1}: does not parse: {shown}"
        raise stopped(why, Cause.SYNTAX, Location(path, error.lineno or 1)) from None
    except ValueError as error:
        raise stopped(f"{path}:1: does not parse: {error}", Cause.SYNTAX, Location(path, 1)) from None
    except (RecursionError, MemoryError):
        why = f"{path}:1: nested too deeply to be parsed"
        raise stopped(why, Cause.LIMIT, Location(path, 1)) from None


def broken_line(data: bytes) -> int | None:
    """The first line that does not parse; None where all does, and for what is too large to be looked at."""
    try:
        parsed(data, "")
    except StoppedError as error:
        place = error.unknown.location if error.unknown.cause is Cause.SYNTAX else None
        return place.line if place is not None else None
    return None


_PLAIN = frozenset({int, str, type(None)})
"""Of what most fields are: places, names, and what is not there."""


def copied(node: Node) -> Node:
    """A copy of a tree that may be changed: ``copy.deepcopy`` keeps a record of all it met, which a tree needs not."""
    made = type(node)()
    fields = vars(node).items()
    vars(made).update({name: value if type(value) in _PLAIN else _copied_field(value) for name, value in fields})
    return made


def _copied_field(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied_field(inner) for inner in value]
    return copied(value) if isinstance(value, ast.AST) and not isinstance(value, ast.expr_context) else value


Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOGGERS = frozenset({"logging", "logger", "log", "LOG", "LOGGER", "_logger"})
_LOGGING = frozenset(
    {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "setLevel", "addHandler"}
)
"""Methods of loggers, and of nothing else that is called so: ``log.append`` is one of a list."""


def logs(node: ast.stmt) -> bool:
    """Whether a statement is a call that prints or logs, under a condition that calls nothing or not."""
    if isinstance(node, ast.If) and not any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(node.test)):
        return not node.orelse and all(map(logs, node.body))
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    called = node.value.func
    if isinstance(called, ast.Name):
        return called.id == "print"
    if not isinstance(called, ast.Attribute):
        return False
    of_module = isinstance(called.value, ast.Name) and called.value.id == "logging"
    if called.attr not in _LOGGING and not of_module:
        return False
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Name) and called.id in _LOGGERS


def bound_in(node: ast.AST) -> Iterator[str]:
    """The variables that code sets itself."""
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            yield part.arg
        elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring or another constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
