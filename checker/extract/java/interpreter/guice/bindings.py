"""Bindings of Guice: their keys, and the records that binders and injectors keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from checker.extract.java.machine.signals import UnreadError
from checker.extract.java.machine.values import ClassLiteral, Constant, ExternalObject, Instance, Value
from checker.extract.java.syntax.annotations import elements
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.java_lang import BOXES
from checker.extract.java.syntax.tree import Node, text
from checker.extract.java.syntax.type_refs import TypeRef

PACKAGE: Final = "com.google.inject"
_QUALIFIERS_KNOWN: Final = frozenset(
    {"Named", "Inject", "Singleton", "Provides", "Override", "Nullable", "SuppressWarnings"}
)
Key = tuple[object, str | None]
"""A class of the repository or the name of another one, and the name that it is bound under."""


@dataclass(frozen=True, slots=True)
class Provided:
    """A ``@Provides`` method of a module."""

    method: MethodDecl
    module: Instance


@dataclass(frozen=True, slots=True)
class ByProvider:
    """What ``toProvider`` was given: a class of providers, or one that is made."""

    provider: Value


class Binding(ExternalObject):
    """The result of ``bind``: a key and its target."""

    __slots__ = ("eager", "key", "singleton", "target")

    def __init__(self, key: Key) -> None:
        ExternalObject.__init__(self, External((f"{PACKAGE}.binder.LinkedBindingBuilder",)))
        self.key = key
        self.target: Value | Provided | ByProvider | None = None
        self.singleton = self.eager = False


class Binder(ExternalObject):
    """Collects the bindings of all modules; ``open`` if there may be more than the known ones."""

    __slots__ = ("bindings", "open")

    def __init__(self) -> None:
        ExternalObject.__init__(self, External((f"{PACKAGE}.Binder",)))
        self.bindings: tuple[Binding, ...] = ()
        self.open = False


class Injector(ExternalObject):
    """An injector: its bindings by key, and the singletons that were made."""

    __slots__ = ("bindings", "made")

    def __init__(self, bindings: dict[Key, Binding]) -> None:
        ExternalObject.__init__(self, External((f"{PACKAGE}.Injector",)))
        self.bindings = bindings
        self.made: dict[Key, Value] = {}


def annotation_key(value: Value) -> str:
    """The name of ``Names.named("x")``, or of an annotation of the program."""
    if isinstance(value, ClassLiteral):
        return f"@{value.ref.simple}"
    if isinstance(value, ExternalObject) and value.calls and value.calls[0][0] == "named":
        named = value.calls[0][1][0]
        if isinstance(named, Constant):
            return named.text
    raise UnreadError


def type_key(kind: Resolved, ref: TypeRef) -> object:
    """The key of a type. Raises UnreadError for generic types and arrays."""
    if ref.arguments or ref.dimensions:
        raise UnreadError
    return kind if isinstance(kind, ClassDecl) else BOXES.get(ref.simple, ref.simple)


def qualifier(marks: dict[str, Node]) -> str | None:
    """The name or annotation that distinguishes bindings of one type. Raises UnreadError."""
    if "Named" in marks:
        given = elements(marks["Named"]).get("value")
        if given is None or given.type != "string_literal":
            raise UnreadError
        return text(given).strip('"')
    others = sorted(mark for mark in marks if mark not in _QUALIFIERS_KNOWN)
    return f"@{others[0]}" if others else None
