"""Evaluates expressions, runs statements and calls values, each by the handler of its kind (see ``language.py``)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from checker.extract.python.run_state import Run, at
from checker.extract.python.values import Arguments, Opaque, Scope, Value, unknown
from checker.model.topology import Cause, Location

EXPRESSIONS: dict[type[ast.expr], Callable[[Run, Any, Scope], Value]] = {}
STATEMENTS: dict[type[ast.stmt], Callable[[Run, Any, Scope], None]] = {}
CALLS: dict[type, Callable[[Run, Any, Arguments, Location], Value]] = {}


def value(run: Run, node: ast.expr, scope: Scope) -> Value:
    """The value of an expression; unknown with the reason where it can't be told."""
    run.step(node, scope)
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        shown = ast.unparse(node)[:60]
        return unknown(f"an expression that is not followed: {shown}", Cause.UNSUPPORTED, at(node, scope))
    return handler(run, node, scope)


def block(run: Run, body: list[ast.stmt], scope: Scope) -> None:
    """Run statements in order."""
    for statement in body:
        run.step(statement, scope)
        handler = STATEMENTS.get(type(statement))
        if handler is not None:
            handler(run, statement, scope)


def call(run: Run, target: Value, arguments: Arguments, place: Location) -> Value:
    """The result of calling a value."""
    handler = CALLS.get(type(target), CALLS[Opaque])
    return handler(run, target, arguments, place)
