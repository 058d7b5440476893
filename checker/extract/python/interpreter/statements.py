"""Plain statements of a script: conditions, ``with``, jumps, definitions and declarations."""

from __future__ import annotations

import ast
from typing import Any

from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.assignments import assign
from checker.extract.python.interpreter.classes import declared_class
from checker.extract.python.interpreter.evaluate import block, value
from checker.extract.python.interpreter.functions import declared_function
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import LoopSignal, ReturnSignal, raised, stopped
from checker.extract.python.interpreter.values import External, Instance, Scope, Value, truth, why
from checker.model.unknowns import Cause


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
    """``with``: objects of libraries give themselves; managers of the repository, and what takes exceptions, end it."""
    for item in node.items:
        place = at(item.context_expr, scope)
        manager = value(run, item.context_expr, scope)
        takes_exceptions = isinstance(manager, External) and manager.path.startswith("contextlib.")
        if isinstance(manager, Instance) or takes_exceptions:
            raise stopped("what this 'with' block does around its statements is not followed", Cause.UNSUPPORTED, place)
        if item.optional_vars is not None:
            assign(run, item.optional_vars, manager, scope)
    block(run, node.body, scope)


def match_statement(run: Run, node: Any, scope: Scope) -> None:
    """``match``: no case is chosen."""
    raise stopped("which case of a 'match' statement fits is not followed", Cause.UNSUPPORTED, at(node, scope))


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
