"""What an abstract interpretation of Java computes with.

A value is exact (``Constant``, ``ListValue``, ``Instance``, streams, ...), one of few (``Choice``), a library object
of which only class and calls are known (``ExternalObject``), or not known (``Opaque``). Mutable ones change only
through ``Memory`` so that a speculative step can be taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, Union

from checker.extract.datastream.records import Draft
from checker.extract.interpreting.memory import tick
from checker.extract.java.machine.flink_values import EnvValue, Parameters, StateContext, StreamValue
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node
from checker.extract.java.syntax.type_refs import TypeRef
from checker.model.records import record
from checker.model.unknowns import Cause, Location, Unknown

Primitive: TypeAlias = Union[str, int, float, bool, None]  # noqa: UP007


class Bindings(dict[str, "Value"]):
    """Variables or fields by name, with the moment when they came to be."""

    __slots__ = ("born",)

    def __init__(self, bound: Mapping[str, Value] | None = None) -> None:
        if bound:
            self.update(bound)
        self.born = tick()


@dataclass(eq=False, slots=True)
class Scope:
    """Local variables of one block, inside of another block's."""

    parent: Scope | None = None
    variables: Bindings = field(default_factory=Bindings)
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


@record(kw_only=False)
class Constant:
    """A primitive, a String or null. ``java`` is its type."""

    value: Primitive
    java: str

    @property
    def text(self) -> str:
        """As Java's string concatenation writes it."""
        if self.value is None:
            return "null"
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        if isinstance(self.value, float):
            return repr(self.value)  # as Java writes most of them: see ``operators.as_text``
        return str(self.value)


NULL = Constant(None, "null")
FALSE = Constant(False, "boolean")


def string(value: str) -> Constant:
    """A String constant."""
    return Constant(value, "String")


def integer(value: int) -> Constant:
    """An int constant."""
    return Constant(value, "int")


def boolean(value: bool) -> Constant:
    """A boolean constant."""
    return Constant(value, "boolean")


@record(kw_only=False)
class Opaque:
    """A value that the source does not determine.

    ``symbol`` names it: equal symbols are equal values within one run of the program. ``type`` is its class, where
    known.
    """

    unknown: Unknown
    symbol: str
    type: Resolved = None
    negated: bool = False
    """A condition: the opposite of what ``symbol`` names."""
    origin: Draft | None = None
    """The unknown transformation behind it, should it turn out to be a stream."""
    parts: tuple[Value, ...] = field(default=(), compare=False)
    """Of a text: the known and unknown texts that it is joined of."""


@record(kw_only=False)
class Choice:
    """A finite choice of values, depending on how ``symbol`` turns out: (outcome, value) pairs."""

    symbol: str
    options: tuple[tuple[int | bool, Value], ...]
    unknown: Unknown


@dataclass(eq=False, slots=True)
class Instance:
    """An object of a class of the repository. ``captured`` is the frame around a local or anonymous class."""

    decl: ClassDecl
    fields: Bindings = field(default_factory=Bindings)
    outer: Value | None = None
    captured: Frame | None = None
    base: ExternalObject | None = None
    """What the library superclass was constructed with."""
    name: str | None = None
    """An enum constant's name."""
    ordinal: int = 0


BASE = "super"
"""Where an object keeps the stream or environment that it extends: no field can be called so."""


@dataclass(eq=False, slots=True)
class ExternalObject:
    """An object of a class outside of the repository: where it came from and what was called on it.

    ``side_calls`` are calls on it whose results were discarded.
    """

    type: External
    arguments: tuple[Value, ...] = ()
    calls: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    symbol: str = ""
    unknown: Unknown = field(default_factory=lambda: Unknown("an object of a library", Cause.EXTERNAL))
    side_calls: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    step: int | None = None
    """The recorded call of the Table API that gave it."""
    born: int = field(default_factory=tick)

    @property
    def made_with(self) -> tuple[Value, ...]:
        """All that it was made and built with."""
        calls = (*self.calls, *self.side_calls)
        return (*self.arguments, *(value for _, arguments in calls for value in arguments))


@dataclass(eq=False, slots=True)
class Described(ExternalObject):
    """A state descriptor: where it is made, and its time-to-live so far."""

    node: Node | None = None
    frame: Frame | None = None
    ttl: Value = NULL


@dataclass(eq=False, slots=True)
class Lambda:
    """A lambda expression with the frame that it closes over."""

    node: Node
    frame: Frame
    interface: Resolved = None


@dataclass(eq=False, slots=True)
class MethodRef:
    """A method reference: ``target`` is a value or a ``TypeName``."""

    target: Value
    name: str
    frame: Frame
    interface: Resolved = None
    node: Node | None = None


@record(kw_only=False)
class TypeName:
    """A class used as a name: the receiver of static calls."""

    type: ClassDecl | External


@record(kw_only=False)
class ClassLiteral:
    """``Foo.class``."""

    ref: TypeRef
    type: Resolved


@dataclass(eq=False, slots=True)
class ListValue:
    """A list, set, array or stream of values with known elements; None where its content is not known."""

    elements: tuple[Value, ...] | None
    kind: str = "List"
    """``List``, ``LinkedList``, ``Set`` (in insertion order), ``HashSet``, ``RandomSet`` (``Set.of``), ``array``,
    ``args``, ``Stream``."""
    unknown: Unknown | None = None
    """Why the content is not known."""
    born: int = field(default_factory=tick)
    element: str = ""
    """The type of an array's elements, where it is known."""

    @property
    def contents(self) -> tuple[Value, ...]:
        """What can be reached through it: its elements; for a stream all that it is made of."""
        return self.elements or ()


@dataclass(eq=False, slots=True)
class MapValue:
    """A map with known entries, as they were put; None where they are not known."""

    entries: tuple[tuple[Value, Value], ...] | None
    order: str = "insertion"
    """How it iterates: by ``insertion``, as enum ``constants`` stand, or by ``hash`` codes, which are not computed."""
    unknown: Unknown | None = None
    born: int = field(default_factory=tick)


@dataclass(eq=False, slots=True)
class OptionalValue:
    """An Optional: a value or empty (None)."""

    value: Value | None


@dataclass(eq=False, slots=True)
class EntryValue:
    """A ``Map.Entry`` or another tuple with named parts."""

    parts: tuple[tuple[str, Value], ...]
    source: MapValue | None = None
    """The map that it is an entry of, where it can change it."""


@dataclass(eq=False, slots=True)
class Builder:
    """A StringBuilder: its content so far, or why it is not known."""

    content: Value
    born: int = field(default_factory=tick)


@dataclass(eq=False, slots=True)
class Settings:
    """A Flink ``Configuration``: values by key, and whether other keys may be set too."""

    values: dict[str, Value] = field(default_factory=dict)
    complete: bool = True
    source: str = "a configuration object"
    born: int = field(default_factory=tick)


Value: TypeAlias = (
    Constant
    | Opaque
    | Choice
    | Instance
    | ExternalObject
    | Lambda
    | MethodRef
    | TypeName
    | ClassLiteral
    | ListValue
    | MapValue
    | OptionalValue
    | EntryValue
    | Builder
    | Parameters
    | Settings
    | EnvValue
    | StreamValue
    | StateContext
)


def parts_of(value: Value) -> tuple[Value, ...]:
    """The values that one holds, as far as they are known."""
    if isinstance(value, ListValue):
        return value.contents
    if isinstance(value, MapValue):
        return tuple(part for entry in value.entries or () for part in entry)
    if isinstance(value, OptionalValue):
        return () if value.value is None else (value.value,)
    if isinstance(value, EntryValue):
        return tuple(part for _, part in value.parts)
    if isinstance(value, Choice):
        return tuple(option for _, option in value.options)
    if isinstance(value, Instance):
        return tuple(value.fields.values())
    return (value.target,) if isinstance(value, MethodRef) else ()


def default_value(ref: TypeRef) -> Value:
    """What an unassigned field of a type holds."""
    if ref.dimensions == 0:
        if ref.name in ("int", "long", "short", "byte"):
            return Constant(0, ref.name)
        if ref.name in ("double", "float"):
            return Constant(0.0, ref.name)
        if ref.name == "boolean":
            return FALSE
        if ref.name == "char":
            return Constant("\0", "char")
    return NULL


def is_null(value: Value) -> bool:
    """Whether the value is the literal null."""
    return isinstance(value, Constant) and value.value is None


def unknown_of(value: Value | None) -> Unknown | None:
    """Why a value is not known, None if it is."""
    return value.unknown if isinstance(value, Opaque | Choice | ListValue | MapValue) else None
