"""A call: what is called with which arguments, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from checker.extract.java.machine.values import Frame, Scope, Value
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node


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
