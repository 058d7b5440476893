"""What an expression of a script can be: a plain Python value, something of Flink, a definition, or not known."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from checker.model.topology import Cause, Location, Unknown


class StoppedError(Exception):
    """The topology depends on something that is not known: the whole of it stays undecided, for this reason."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is not known. ``name`` is how the script reaches it: ``uuid.uuid4``, ``args.input``."""

    unknown: Unknown
    name: str = ""


@dataclass(frozen=True, slots=True)
class External:
    """Something imported from outside of the repository, by its dotted path, with the calls made on the way to it."""

    path: str
    arguments: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    called: bool = False
    before: External | None = None
    """The object that a method was called on, for builders."""

    @property
    def simple(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]


@dataclass(slots=True, eq=False)
class Function:
    """A function or lambda of the script with the variables it sees."""

    name: str
    arguments: ast.arguments
    body: list[ast.stmt]
    scope: Scope
    file: str
    bound: Instance | None = None


@dataclass(slots=True, eq=False)
class Class:
    """A class of the script: its bases as dotted names, constants and methods."""

    name: str
    bases: tuple[str, ...]
    node: ast.ClassDef
    members: dict[str, Value]
    file: str


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the script."""

    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Bound:
    """A method of a Flink object or builtin, before it is called."""

    owner: Value
    name: str


Value: TypeAlias = Any
"""A plain value, or one of the classes here or in ``streams.py``."""


@dataclass(slots=True)
class Scope:
    """Variables by name; reading looks outward, writing stays inside."""

    names: dict[str, Value]
    outer: Scope | None = None

    def find(self, name: str) -> Scope | None:
        """The innermost scope that holds a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope


def unknown(reason: str, cause: Cause = Cause.OTHER, at: Location | None = None, name: str = "") -> Opaque:
    """A value that is not known, for a reason."""
    return Opaque(Unknown(reason, cause, None, at), name)
