"""Plain statements of a script: conditions, ``with``, jumps, definitions and declarations."""

from __future__ import annotations

import ast
from typing import Any

from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.assignments import assign
from checker.extract.python.interpreter.classes import declared_class, entered
from checker.extract.python.interpreter.evaluate import block, value
from checker.extract.python.interpreter.functions import declared_function
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import LoopSignal, ReturnSignal, raised
from checker.extract.python.interpreter.values import Instance, Scope, truth, why


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
        decided = choices.choose(run, test, ast.unparse(node.test), at(node.test, scope))
    block(run, node.body if decided else node.orelse, scope)


def with_statement(run: Run, node: Any, scope: Scope) -> None:
    """``with``: what ``__enter__`` gives; objects of libraries give themselves."""
    for item in node.items:
        held = value(run, item.context_expr, scope)
        if isinstance(held, Instance):
            held = entered(run, held, at(item.context_expr, scope))
        if item.optional_vars is not None:
            assign(run, item.optional_vars, held, scope)
    block(run, node.body, scope)


def return_statement(run: Run, node: Any, scope: Scope) -> None:
    """``return``."""
    raise ReturnSignal(None if node.value is None else value(run, node.value, scope))


def jump_statement(run: Run, node: Any, scope: Scope) -> None:
    """``break`` and ``continue``."""
    raise LoopSignal(isinstance(node, ast.Continue))


def assert_statement(run: Run, node: Any, scope: Scope) -> None:
    """``assert``: one that is known to fail raises."""
    if truth(value(run, node.test, scope)) is False:
        raise raised("AssertionError")


def global_statement(run: Run, node: Any, scope: Scope) -> None:
    """``global`` and ``nonlocal``."""
    for name in node.names:
        found = scope.outer.find(name) if isinstance(node, ast.Nonlocal) and scope.outer else scope.module()
        if found is not None:
            scope.elsewhere[name] = found
