"""Where code runs: the class around it, ``this``, local variables, and the way that led there."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from checker.extract.java.machine.values import Value
from checker.extract.java.syntax.declarations import ClassDecl, TypeRef
from checker.model.topology import Location


@dataclass(eq=False, slots=True)
class Scope:
    """Local variables of one block, inside of another block's."""

    parent: Scope | None = None
    variables: dict[str, Value] = field(default_factory=dict)
    types: dict[str, TypeRef] = field(default_factory=dict)

    def holder(self, name: str) -> Scope | None:
        """The scope that declares a variable."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope
            scope = scope.parent
        return None


@dataclass(eq=False, slots=True)
class Frame:
    """One activation of a method, lambda or initializer."""

    decl: ClassDecl
    this: Value | None
    scope: Scope
    path: tuple[str, ...] = ()
    """Names of the repository's methods that were called on the way."""
    trail: tuple[tuple[str, int], ...] = ()
    """The places of those calls."""
    depth: int = 0
    assigned: str | None = None
    """The variable that the expression being evaluated is going to be kept in."""

    def inner(self) -> Frame:
        """The same activation with a scope for one more block."""
        return Frame(self.decl, self.this, Scope(self.scope), self.path, self.trail, self.depth, self.assigned)

    def location(self, node: Node) -> Location:
        """Where a node of the frame's file is."""
        return self.decl.unit.location(node)


class Signal(Exception):  # noqa: N818 - control flow of the interpreted program
    """A statement that did not complete normally."""


class ReturnSignal(Signal):
    """``return`` and an expression lambda's result."""

    def __init__(self, value: Value) -> None:
        self.value = value


class BreakSignal(Signal):
    """``break`` with its label."""

    def __init__(self, label: str = "") -> None:
        self.label = label


class ContinueSignal(Signal):
    """``continue`` with its label."""

    def __init__(self, label: str = "") -> None:
        self.label = label


class YieldSignal(Signal):
    """``yield`` of a switch expression."""

    def __init__(self, value: Value) -> None:
        self.value = value


class ThrowSignal(Signal):
    """An exception of the interpreted program."""

    def __init__(self, value: Value) -> None:
        self.value = value


class ExitSignal(Signal):
    """``System.exit``: the program ends."""


class ImpureSignal(Signal):
    """A speculative step met a choice after it had touched the topology: it has to be a choice of the program."""


class LimitSignal(Signal):
    """A bound on steps or depth was reached."""

    def __init__(self, what: str) -> None:
        self.what = what
