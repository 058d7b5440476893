"""Evaluates nodes by tables from their kind to a handler. Nothing below imports this: it is the run's interpreter."""

from __future__ import annotations

from collections.abc import Callable

from checker.extract.java.interpreter import (
    expressions,
    functional_values,
    objects,
    repository_methods,
    resolvers,
    statements,
    texts,
    unknown_loops,
)
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import ThrowSignal
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame, Value
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.tree import Node
from checker.model.unknowns import Cause, Unknown


class JavaInterpreter:
    """The interpreter of one run."""

    __slots__ = ("_run",)

    def __init__(self, run: Run) -> None:
        self._run = run

    def evaluate(self, node: Node | None, frame: Frame) -> Value:
        """The value of an expression, an unknown one where it is missing or not understood."""
        run = self._run
        if node is None:
            return run.opaque("the source does not parse here", Cause.SYNTAX, None)
        run.step(node, frame)
        handler = expressions.HANDLERS.get(node.type)
        if handler is None:
            cause = Cause.SYNTAX if node.is_error or node.is_missing else Cause.UNSUPPORTED
            return run.opaque(f"'{node.type}' is not understood", cause, Site(node, frame))
        return handler(run, node, frame)

    def execute(self, node: Node, frame: Frame) -> None:
        """Run one statement. Raises a Signal where it does not complete normally."""
        run = self._run
        run.step(node, frame)
        handler = statements.HANDLERS.get(node.type)
        if handler is not None:
            try:
                handler(run, node, frame)
            except ThrowSignal as signal:
                signal.location = signal.location or frame.location(node)
                raise
        elif node.type == "ERROR" or node.is_error:
            statements.broken(run, node, frame)
        elif node.type.endswith("_expression") or node.type.endswith("_invocation"):
            self.evaluate(node, frame)

    def invoke(self, receiver: Value, call: Call) -> Value:
        """``receiver.name(...)``."""
        return resolvers.invoke(self._run, receiver, call)

    def call_method(self, method: MethodDecl, this: Value | None, call: Call) -> Value:
        """Run a method of the repository."""
        return repository_methods.call_method(self._run, method, this, call)

    def call_function(self, function: Value, call: Call) -> Value:
        """Call whatever stands for a functional interface."""
        return functional_values.call_function(self._run, function, call)

    def instantiate(self, decl: ClassDecl, call: Call) -> Value:
        """A new object of a class of the repository."""
        return objects.instantiate(self._run, decl, call)

    def ensure_initialized(self, decl: ClassDecl) -> None:
        """Run a class's static initializers, once, its superclass's first."""
        objects.ensure_initialized(self._run, decl)

    def to_string(self, value: Value) -> Value:
        """What ``toString()`` gives, without a call site."""
        return texts.to_string(self._run, value)

    def unknown_loop(self, once: Callable[[Frame], None], unknown: Unknown, site: Site, of: Value | None) -> str | None:
        """A step that runs any number of times; ``of`` is what decides how often. What it leaves is made of that."""
        return unknown_loops.unknown_loop(self._run, once, unknown, site, of)
