"""What the machine's users ask of the interpreter: the one way from a model back to the program's own code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.values import Frame, Value
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.tree import Node
from checker.model.unknowns import Unknown


class Interpreter(Protocol):
    """Evaluates code on one run. Each run has one."""

    def evaluate(self, node: Node | None, frame: Frame) -> Value:
        """The value of an expression, an unknown one where it is missing or not understood."""

    def execute(self, node: Node, frame: Frame) -> None:
        """Run one statement. Raises a Signal where it does not complete normally."""

    def invoke(self, receiver: Value, call: Call) -> Value:
        """``receiver.name(...)``."""

    def call_method(self, method: MethodDecl, this: Value | None, call: Call) -> Value:
        """Run a method of the repository."""

    def call_function(self, function: Value, call: Call) -> Value:
        """Call whatever stands for a functional interface."""

    def instantiate(self, decl: ClassDecl, call: Call) -> Value:
        """A new object of a class of the repository."""

    def ensure_initialized(self, decl: ClassDecl) -> None:
        """Run a class's static initializers, once, its superclass's first."""

    def to_string(self, value: Value) -> Value:
        """What ``toString()`` gives, without a call site."""

    def unknown_loop(self, once: Callable[[Frame], None], unknown: Unknown, site: Site, of: Value | None) -> str | None:
        """A step that runs any number of times; ``of`` is what decides how often. What it leaves is made of that."""
