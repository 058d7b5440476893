"""A call: what is called with which arguments, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from checker.extract.java.machine.values import Frame, Scope, Value
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.tree import Node, field, text
from checker.model.unknowns import Unknown


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the source, in one activation of its code. ``node`` is None for calls that are not in the source."""

    node: Node | None
    frame: Frame

    def written(self) -> Node:
        """The node, where there must be one: what declares a transformation is written somewhere."""
        assert self.node is not None
        return self.node


@dataclass(frozen=True, slots=True)
class Call:
    """One call. The receiver is handed on beside it, since the functions that answer know its class."""

    name: str
    """The method's name, ``new`` for a constructor."""
    arguments: Sequence[Value]
    site: Site

    @property
    def node(self) -> Node | None:
        """The node of the call."""
        return self.site.node

    @property
    def frame(self) -> Frame:
        """The activation that calls."""
        return self.site.frame

    @property
    def used(self) -> bool:
        """Whether something is done with what the call returns."""
        node = self.node
        made = node is not None and node.type == "object_creation_expression"
        if node is None or not (made or (node.type == "method_invocation" and text(field(node, "name")) == self.name)):
            return False  # what is called for another call, as a method reference
        around = node.parent
        return around is not None and around.type not in ("expression_statement", "lambda_expression", "for_statement")

    def having(self, *, name: str | None = None, arguments: Sequence[Value] | None = None) -> Call:
        """A call from the same place with another name or other arguments."""
        return replace(
            self, name=self.name if name is None else name, arguments=self.arguments if arguments is None else arguments
        )

    def activation(self, decl: ClassDecl, this: Value | None, name: str, scope: Scope | None = None) -> Frame:
        """The activation of the code that is called; ``name`` says in places inside of it what that is."""
        frame, node = self.frame, self.node
        trail = (*frame.trail, (frame.decl.unit.path, node.start_byte)) if node is not None else frame.trail
        return Frame(decl, this, scope or Scope(), (*frame.path, name), trail, frame.depth + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """Evaluates code on one run. Each run has one."""

    evaluate: Callable[[Node | None, Frame], Value]
    """The value of an expression, an unknown one where it is missing or not understood."""
    execute: Callable[[Node, Frame], None]
    """Run one statement. Raises a Signal where it does not complete normally."""
    invoke: Callable[[Value, Call], Value]
    """``receiver.name(...)``."""
    call_method: Callable[[MethodDecl, Value | None, Call], Value]
    """Run a method of the repository, with its object."""
    call_function: Callable[[Value, Call], Value]
    """Call whatever stands for a functional interface."""
    instantiate: Callable[[ClassDecl, Call], Value]
    """A new object of a class of the repository."""
    ensure_initialized: Callable[[ClassDecl], None]
    """Run a class's static initializers, once, its superclass's first."""
    to_string: Callable[[Value], Value]
    """What ``toString()`` gives, without a call site."""
    unknown_loop: Callable[[Callable[[Frame], None], Unknown, Site, Value | None], str | None]
    """A step that runs any number of times; the last value decides how often. What it leaves is made of that."""
