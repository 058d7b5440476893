"""What an expression of a script can be: a plain Python value, something of Flink, a definition, or not known."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from checker.model.topology import Cause, Location, Unknown

PLAIN = (str, int, float, bool, bytes, type(None), list, tuple, dict, set, range)
"""Types whose values are computed as Python would."""

Value: TypeAlias = Any
"""A plain value, or one of the classes here or in ``streams.py``."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is not known. Two with the same ``name`` are the same value in one run; empty = its own.

    ``made_of`` describes how the program makes it (see ``made_of.py``); empty where nobody can tell, None as long as
    nobody has asked.
    """

    unknown: Unknown
    name: str = ""
    made_of: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(slots=True)
class Scope:
    """Variables by name; reading looks outward past the bodies of classes, writing stays inside."""

    names: dict[str, Value]
    file: str
    outer: Scope | None = None
    of_class: bool = False
    elsewhere: dict[str, Scope] = field(default_factory=dict)
    """Names declared ``global`` or ``nonlocal``, with the scope that they are written to."""

    def find(self, name: str) -> Scope | None:
        """The innermost scope that holds a name."""
        scope: Scope | None = self.elsewhere.get(name, self)
        while scope is not None and (name not in scope.names or (scope.of_class and scope is not self)):
            scope = scope.outer
        return scope

    def module(self) -> Scope:
        """The scope of the file."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


@dataclass(slots=True, eq=False)
class Function:
    """A function or lambda of the repository with the variables it sees."""

    name: str
    arguments: ast.arguments
    body: list[ast.stmt]
    scope: Scope
    defaults: tuple[Value, ...] = ()
    keyword_defaults: tuple[tuple[str, Value], ...] = ()
    bound: Value = None
    binds: str = "instance"
    """What a method is bound to: ``instance``, ``class``, ``nothing``; ``property`` is called when it is read."""
    owner: Class | None = None
    generator: bool = False


@dataclass(slots=True, eq=False)
class Class:
    """A class of the repository: its bases, fields and methods."""

    name: str
    bases: tuple[Value, ...]
    node: ast.ClassDef
    members: dict[str, Value]
    scope: Scope
    fields: tuple[tuple[str, ast.expr | None], ...] | None = None
    """Fields of a dataclass with their defaults, in order; None for other classes."""

    def ancestors(self) -> list[Class]:
        """The class and those of the repository above it, the nearest first."""
        found = [self]
        for base in self.bases:
            if isinstance(base, Class):
                found.extend(one for one in base.ancestors() if one not in found)
        return found

    def foreign(self) -> Value:
        """The first base that the repository does not hold, None without one."""
        for one in self.ancestors():
            for base in one.bases:
                if not isinstance(base, Class):
                    return base
        return None

    def member(self, name: str) -> Value:
        """A member by name, its own or inherited; MISSING without one."""
        for one in self.ancestors():
            if name in one.members:
                return one.members[name]
        return MISSING


@dataclass(frozen=True, slots=True, eq=False)
class Decorated:
    """A function or class behind a decorator that is not known."""

    inner: Value
    unknown: Unknown


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the repository."""

    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    """``super()``: members of the classes above one."""

    this: Value
    above: tuple[Class, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """``functools.partial``."""

    function: Value
    positional: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A method of a Flink object, of a plain value or of a modelled library object, before it is called."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A module or package of the repository: its variables, and the folder of the modules below it."""

    scope: Scope | None
    folder: str


@dataclass(frozen=True, slots=True)
class FilePath:
    """A ``pathlib.Path``, or an opened file of the repository."""

    path: str


class _Missing:
    """No such member."""


MISSING = _Missing()


@dataclass(slots=True)
class Arguments:
    """Positional and keyword arguments of a call."""

    positional: list[Value]
    keywords: dict[str, Value]

    def get(self, place: int, name: str, default: Value = None) -> Value:
        """An argument by place or name."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[place] if place < len(self.positional) else default

    def all(self) -> list[Value]:
        """All values, by place and by name."""
        return [*self.positional, *self.keywords.values()]


def unknown(
    reason: str, cause: Cause = Cause.OTHER, at: Location | None = None, name: str = "", settled_by: str | None = None
) -> Opaque:
    """A value that is not known, for a reason."""
    return Opaque(Unknown(reason, cause, settled_by, at), name)


def looked_up(name: Value, what: str, at: Location) -> Opaque:
    """What code of the repository is found by a name that is not known."""
    why_not = f": {name.unknown.reason}" if isinstance(name, Opaque) else ""
    settled = name.unknown.settled_by if isinstance(name, Opaque) else None
    return Opaque(Unknown(f"{what}{why_not}", Cause.REFLECTION, settled, at), made_of="")


def first_opaque(*values: Value) -> Opaque | None:
    """The first value that is not known."""
    return next((value for value in values if isinstance(value, Opaque)), None)


def reason_of(opaque: Opaque) -> Unknown:
    """Why a value is not known, for a record of it."""
    return replace(opaque.unknown, made_of=opaque.made_of or None)


def why(value: Value, otherwise: str) -> Unknown:
    """Why a value is not known."""
    return value.unknown if isinstance(value, Opaque) else Unknown(otherwise, Cause.OTHER)


def truth(value: Value) -> bool | None:
    """The truth of a value, None where it is not known."""
    if isinstance(value, PLAIN):
        return bool(value)
    return None if isinstance(value, Opaque | External | Bound) else True
