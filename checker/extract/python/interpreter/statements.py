"""Plain statements of a script: conditions, ``with``, jumps, definitions and declarations."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from greenlet import GreenletExit

from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.assignments import assign
from checker.extract.python.interpreter.classes import declared_class, entered, left
from checker.extract.python.interpreter.evaluate import block, call, value
from checker.extract.python.interpreter.functions import Managed, declared_function
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import LoopSignal, RaiseSignal, ReturnSignal, of_python, raised, stopped
from checker.extract.python.interpreter.values import Arguments, Class, External, Instance, Scope, Value, truth, why
from checker.model.unknowns import Cause, Location, Unknown


def expression_statement(run: Run, node: Any, scope: Scope) -> None:
    """An expression for its effect."""
    run.statement = node.value
    value(run, node.value, scope)


def function_statement(run: Run, node: Any, scope: Scope) -> None:
    """``def``."""
    scope.elsewhere.get(node.name, scope).names[node.name] = declared_function(run, node, scope)


def class_statement(run: Run, node: Any, scope: Scope) -> None:
    """``class``."""
    scope.names[node.name] = declared_class(run, node, scope)


def if_statement(run: Run, node: Any, scope: Scope) -> None:
    """``if``: both ways, one after the other, where its condition is not known."""
    test = value(run, node.test, scope)
    decided = truth(test)
    if decided is None:
        reason = why(test, f"the condition '{ast.unparse(node.test)[:80]}' is not known")
        if choices.passed_over(run, [*node.body, *node.orelse], scope, reason, node):
            return
        decided = _without_failure(run, node, test, scope)
    block(run, node.body if decided else node.orelse, scope)


def _without_failure(run: Run, node: Any, test: Value, scope: Scope) -> bool:
    """Which way this path goes: never one that submits no job and only raises an exception that is not caught."""
    if not run.catching and node.orelse and choices.only_fails(node.orelse, scope):
        return choices.settle(run, test, True)
    if not run.catching and choices.only_fails(node.body, scope):
        return choices.settle(run, test, False)
    return choices.choose(run, test, ast.unparse(node.test), at(node.test, scope))


def with_statement(run: Run, node: Any, scope: Scope) -> None:
    """``with``: managers of the repository are entered and left; objects of libraries give themselves."""
    _with_items(run, node, list(node.items), scope)


def _with_items(run: Run, node: Any, items: list[ast.withitem], scope: Scope) -> None:
    if not items:
        block(run, node.body, scope)
        return
    item, *rest = items
    place = at(item.context_expr, scope)
    manager = value(run, item.context_expr, scope)
    if isinstance(manager, Managed):
        resource: Value = manager.entered()
    else:
        resource = entered(run, manager, place) if isinstance(manager, Instance) else manager
    if item.optional_vars is not None:
        assign(run, item.optional_vars, resource, scope)
    suppressed = suppresses(manager)
    try:
        with run.may_catch():
            _with_items(run, node, rest, scope)
    except RaiseSignal as signal:
        if isinstance(manager, Managed):
            manager.failed(signal)
        elif isinstance(manager, Instance):
            _leave(run, manager, signal, place)
        elif suppressed is not None:
            _suppress(signal, suppressed, place)
        else:
            raise
    except (ReturnSignal, LoopSignal):
        _finished(run, manager, place)
        raise
    else:
        _finished(run, manager, place)


def _finished(run: Run, manager: Value, place: Location) -> None:
    if isinstance(manager, Managed):
        manager.left()
    elif isinstance(manager, Instance):
        left(run, manager, None, place)


def _leave(run: Run, manager: Instance, signal: RaiseSignal, place: Location) -> None:
    decided = truth(left(run, manager, signal, place))
    if decided is None:
        what = "whether a 'with' block takes an exception is not known"
        raise stopped(what, Cause.BRANCH, place)
    if not decided:
        raise signal


def _suppress(signal: RaiseSignal, names: tuple[str, ...] | None, place: Location) -> None:
    if names is None or signal.kinds is None:
        what = "whether a 'with' block takes an exception is not known"
        raise stopped(what, Cause.BRANCH, place)
    if not any(name in signal.kinds for name in names):
        raise signal


def suppresses(manager: Value) -> tuple[str, ...] | None:
    """The names of the exceptions that ``contextlib.suppress`` takes."""
    if not (isinstance(manager, External) and manager.path == "contextlib.suppress"):
        return None
    return tuple(getattr(argument, "simple", getattr(argument, "name", "")) for argument in manager.arguments)


def return_statement(run: Run, node: Any, scope: Scope) -> None:
    """``return``."""
    raise ReturnSignal(None if node.value is None else value(run, node.value, scope))


def jump_statement(run: Run, node: Any, scope: Scope) -> None:
    """``break`` and ``continue``."""
    raise LoopSignal(isinstance(node, ast.Continue))


def assert_statement(run: Run, node: Any, scope: Scope) -> None:
    """``assert``: one that is known to fail raises."""
    if truth(value(run, node.test, scope)) is False:
        raise raised("AssertionError", *(() if node.msg is None else (value(run, node.msg, scope),)))


def global_statement(run: Run, node: Any, scope: Scope) -> None:
    """``global`` and ``nonlocal``."""
    for name in node.names:
        found = scope.outer.find(name) if isinstance(node, ast.Nonlocal) and scope.outer else scope.module()
        if found is not None:
            scope.elsewhere[name] = found


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
    except GreenletExit:
        raise  # a generator that is no longer used
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
