"""``try``, ``except``, ``else``, ``finally`` and ``raise``."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.evaluate import block, call, value
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import RaiseSignal, of_python, stopped
from checker.extract.python.interpreter.values import Arguments, Class, External, Instance, Scope, Value
from checker.model.unknowns import Cause, Unknown


def raise_statement(run: Run, node: Any, scope: Scope) -> None:
    """``raise``: of a class or an object, or again what was caught."""
    if node.exc is None:
        raise RaiseSignal(None)
    thrown = value(run, node.exc, scope)
    if isinstance(thrown, External | Class) and not getattr(thrown, "called", False):
        thrown = call(run, thrown, Arguments([], {}), at(node, scope))
    raise RaiseSignal(_kinds(thrown), thrown)


def _kinds(thrown: Value) -> tuple[str, ...] | None:
    """Names of the class of an exception and of those above it, None where they are not known."""
    if isinstance(thrown, BaseException):
        return of_python(thrown).kinds
    of = thrown.of if isinstance(thrown, Instance) else thrown
    if isinstance(of, Class):
        foreign = of.foreign()
        above = _kinds(foreign) if foreign is not None else ()
        return None if above is None else (*(ancestor.name for ancestor in of.ancestors()), *above)
    if isinstance(of, External):
        known = getattr(builtins, of.simple, None)
        if isinstance(known, type) and issubclass(known, BaseException):
            return tuple(ancestor.__name__ for ancestor in known.__mro__ if ancestor is not object)
        return (of.simple, "Exception", "BaseException")
    return None


def try_statement(run: Run, node: Any, scope: Scope) -> None:
    """Handlers run for exceptions that the script itself is seen to raise; other code is taken to raise none.

    Raises StoppedError where code that is not known may raise one, and a handler would change the topology.
    """
    try:
        _attempt(run, node, scope)
    except BaseException:
        block(run, node.finalbody, scope)
        raise
    block(run, node.finalbody, scope)


def _attempt(run: Run, node: Any, scope: Scope) -> None:
    outside = run.outside
    try:
        with run.may_catch():
            block(run, node.body, scope)
    except RaiseSignal as signal:
        _handle(run, node, signal, scope)
    else:
        if run.outside > outside:
            _could_have_failed(run, node, scope)
        block(run, node.orelse, scope)


def _handle(run: Run, node: Any, signal: RaiseSignal, scope: Scope) -> None:
    for handler in node.handlers:
        matches = _matches(run, handler, signal, scope)
        if matches is None:
            why = "which 'except' catches an exception is not known"
            raise stopped(why, Cause.BRANCH, at(handler, scope))
        if matches:
            if handler.name:
                scope.names[handler.name] = signal.value
            try:
                block(run, handler.body, scope)
            except RaiseSignal as again:
                raise (signal if again.kinds is None and again.value is None else again) from None
            return
    raise signal


def _matches(run: Run, handler: ast.ExceptHandler, signal: RaiseSignal, scope: Scope) -> bool | None:
    if handler.type is None:
        return True
    types = value(run, handler.type, scope)
    names = [type_.name if isinstance(type_, Class) else type_.simple if isinstance(type_, External) else None
             for type_ in (types if isinstance(types, list | tuple) else [types])]  # fmt: skip
    if "BaseException" in names or (signal.kinds is not None and any(name in signal.kinds for name in names)):
        return True
    return None if signal.kinds is None or None in names else False


def _could_have_failed(run: Run, node: Any, scope: Scope) -> None:
    """Code that is not known ran in the body: what its handlers would do must not matter."""
    reason = Unknown("whether an exception is raised", Cause.EXTERNAL)
    for handler in node.handlers:
        last = handler.body[-1]
        ends = isinstance(last, ast.Raise) or (isinstance(last, ast.Expr) and "exit" in ast.unparse(last.value)[:12])
        if ends:
            continue
        if isinstance(last, ast.Return) or not choices.passed_over(run, handler.body, scope, reason, node):
            why = "whether an 'except' block runs is not known: code outside of the repository runs in its 'try'"
            raise stopped(why, Cause.EXTERNAL, at(handler, scope))
