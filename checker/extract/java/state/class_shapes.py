"""How Flink would write the repository's own classes that lie in state: as POJO, by Kryo, or as an enum.

The rules are those of ``TypeExtractor.privateGetForClass`` and ``analyzePojo`` (Flink 1.13 to 2.3); records are POJOs
since 1.19. What the source alone does not settle is Unknown with its reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from checker.extract.java.state.closures import Closures
from checker.extract.java.state.code_tokens import tokens
from checker.extract.java.state.java_types import Bindings, JavaType, bindings_of, flink_text, of_class, resolved
from checker.extract.java.state.pojo_members import (
    generates_accessors,
    is_accessible,
    lombok_settings,
    no_argument_constructor,
)
from checker.extract.java.state.serializer_settings import SerializerSettings, serializer_settings
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import arguments_of, factory_type, superclasses
from checker.extract.java.syntax.parse import string_literal
from checker.extract.java.syntax.tree import Node, annotations_of, children, field, text, walk
from checker.extract.java.syntax.type_refs import modifiers, type_ref
from checker.extract.schemas import AvroSchemas, standalone
from checker.model.declared_state import INHERITED, ClassShape, FieldShape, Serialization
from checker.model.flink_releases import ReleasedApi
from checker.model.unknowns import Cause, Maybe, Unknown

_MAX_CLASSES = 60
_OWN_SERIALIZERS = ("org.apache.flink.types.Value", "org.apache.hadoop.io.Writable")
_LIBRARIES = ("java.", "org.apache.flink.")
_HASHING = frozenset({"Data", "Value", "EqualsAndHashCode"})
"""Annotations by which Lombok hashes the fields of a class in their order."""
_IDENTITY = ("hashCode", "equals", "compareTo")
_SCHEMA = "SCHEMA$"
"""The field in which classes that Avro generates hold their schema."""


class ShapeReader:
    """Shapes of the classes of one revision."""

    def __init__(self, index: ClassIndex, api: ReleasedApi) -> None:
        self.index = index
        self.api = api
        self.closures = Closures(index)
        self._implementing: set[str] = set()

    @cached_property
    def settings(self) -> SerializerSettings:
        """What the program's configuration says of serializers."""
        return serializer_settings(self.index, self.closures)

    def shapes_of(self, types: Iterable[JavaType | None], *, keys: bool = False) -> tuple[ClassShape, ...]:
        """The repository's classes that the types name, and those of their fields, by name."""
        shapes: dict[str, ClassShape] = {}
        pending = [named for type_ in types if type_ is not None for named in _named(type_)]
        while pending and len(shapes) < _MAX_CLASSES:
            type_ = pending.pop()
            decl = type_.decl
            if decl is None:
                generated = self._generated(type_)
                if generated is not None:
                    shapes.setdefault(generated.name, generated)
                continue
            if decl.binary_name in shapes:
                continue
            fields = list(self._fields(type_))
            shapes[decl.binary_name] = self._shape(decl, fields, keys=keys)
            for field_ in fields:
                if field_.written:
                    pending.extend(_named(field_.type))
        return tuple(shapes[name] for name in sorted(shapes))

    @cached_property
    def _schemas(self) -> AvroSchemas:
        paths = (path for ending in AvroSchemas.ENDINGS for path in self.index.ask("ending", ending))
        return AvroSchemas(paths, self.index.read)

    def _generated(self, type_: JavaType) -> ClassShape | None:
        """A class that the build generates from a schema of the repository."""
        for name in type_.target.candidates if isinstance(type_.target, External) else ():
            schema = self._schemas.schema(name)
            if schema is not None:
                return ClassShape(name=name, serialization=Serialization.AVRO, schema=schema)
            unread = self._schemas.unread(name)
            if unread is not None:
                why = Unknown(
                    f"{name} is generated from a schema that is not read", Cause.EXTERNAL, derived_from=unread
                )
                return ClassShape(name=name, serialization=why)
        return None

    def serializer_shape(self, decl: ClassDecl) -> ClassShape:
        """A serializer or type information of the repository, known by its code."""
        return ClassShape(name=decl.binary_name, serialization=Serialization.OWN, code=self.closures.of_class(decl))

    def _shape(self, decl: ClassDecl, fields: list[_Field], *, keys: bool) -> ClassShape:
        if _SCHEMA in decl.fields:
            schema = self._schemas.schema(decl.qualified_name) or _own_schema(decl)
            if schema is not None:
                return ClassShape(name=decl.binary_name, serialization=Serialization.AVRO, schema=schema)
            digest = self.closures.of(decl.fields[_SCHEMA].node, decl)
            why = Unknown(f"the schema of {decl.binary_name} is not read", Cause.EXTERNAL, derived_from=digest)
            return ClassShape(name=decl.binary_name, serialization=why)
        written = [f for f in fields if f.written]
        serialization = self._serialization(decl, written)
        code = None
        if serialization is Serialization.OWN:
            code = self._own_code(decl)
        elif serialization is Serialization.GENERIC:
            code = self.settings.kryo.get(decl.binary_name) or self._implementations(decl)
        return ClassShape(
            name=decl.binary_name,
            serialization=serialization,
            fields=self._shapes(decl, written),
            unwritten=self._shapes(decl, (f for f in fields if not f.written)),
            constants=tuple(c.name for c in decl.enum_constants),
            code=code,
            identity=self._identity(decl) if keys else None,
            location=decl.location,
        )

    def _shapes(self, decl: ClassDecl, fields: Iterable[_Field]) -> tuple[FieldShape, ...]:
        shapes = (self._field(decl, field_) for field_ in fields)
        if self.settings.own_kryo:  # which may write them one after the other, as reflection lists them
            return tuple(shapes)
        return tuple(sorted(shapes, key=lambda shape: (shape.name, shape.declared_by or "")))

    def _field(self, decl: ClassDecl, field_: _Field) -> FieldShape:
        declared = field_.owner.fields.get(field_.name)
        factory = None if declared is None else self._named_factory(field_.owner, declared.node)
        given = factory_type(self.index, factory) if isinstance(factory, ClassDecl) else None
        return FieldShape(
            name=field_.name,
            type=given or self.text(field_.type),
            declared_by=_declared_by(field_, decl),
            code=None if given is not None else self._code_of(factory),
        )

    def text(self, type_: JavaType) -> str:
        """The type as Flink takes it; as it is declared below a class that Kryo writes with all it holds."""
        return str(type_) if self._implementing else flink_text(self.api, type_)

    def _fields(self, type_: JavaType) -> Iterator[_Field]:
        """All fields of the class and its superclasses; those that are neither static nor transient are written."""
        decl = type_.decl
        assert decl is not None
        bindings = bindings_of(self.index, type_)
        if decl.kind is ClassKind.RECORD:
            for p in decl.record_components:
                yield _Field(p.name, resolved(self.index, p.type, decl, bindings), decl)
        elif decl.kind is ClassKind.CLASS:
            above = self._of_library(decl, bindings)
            if above is not None:
                yield _Field(INHERITED, above, decl)
            for owner in superclasses(self.index, decl):
                for field_ in owner.fields.values():
                    written = not (field_.static or "transient" in modifiers(field_.node))
                    yield _Field(field_.name, resolved(self.index, field_.type, owner, bindings), owner, written)

    def _of_library(self, decl: ClassDecl, bindings: Bindings) -> JavaType | None:
        """The superclass that is not in the repository."""
        for owner in superclasses(self.index, decl):
            parent = self.index.superclass(owner)
            if owner.superclass is not None and isinstance(parent, External) and parent.simple != "Object":
                return resolved(self.index, owner.superclass, owner, bindings)
        return None

    # -- who writes a class --------------------------------------------------------------------------------------

    def _serialization(self, decl: ClassDecl, fields: list[_Field]) -> Maybe[Serialization]:
        factory = self._named_factory(decl, decl.node)
        given = factory_type(self.index, factory) if isinstance(factory, ClassDecl) else None
        if given is not None and given == f"GenericType<{of_class(decl)}>":
            return Serialization.GENERIC
        if self._own_code(decl) is not None:
            return Serialization.OWN
        if (unsure := self._unsure(decl)) is not None:
            named = None if decl.kind is ClassKind.ANONYMOUS else unsure
            return Unknown(unsure, Cause.EXTERNAL, location=decl.location, derived_from=named)
        if decl.kind is ClassKind.ENUM:
            return Serialization.ENUM
        found = self._analyzed(decl, fields)
        forced = self.settings.forced
        if isinstance(forced, Unknown) or (forced is not None and found is Serialization.POJO):
            return forced
        if found is Serialization.POJO and decl.abstract:
            why = f"{decl.name} is abstract: its subclasses are written"
            return Unknown(why, Cause.EXTERNAL, location=decl.location, derived_from=self._implementations(decl))
        return found

    def _analyzed(self, decl: ClassDecl, fields: list[_Field]) -> Maybe[Serialization]:
        """``TypeExtractor.analyzePojo``."""
        inside = decl.outer is not None and decl.outer.kind in (ClassKind.INTERFACE, ClassKind.ANNOTATION)
        public = "public" in decl.modifiers or inside
        if decl.kind not in (ClassKind.CLASS, ClassKind.RECORD) or not public or not fields:
            return Serialization.GENERIC
        if decl.kind is ClassKind.RECORD:
            return Serialization.POJO if self.api.records_are_pojos else Serialization.GENERIC
        if not decl.static or decl.local or len({f.name for f in fields}) != len(fields):
            return Serialization.GENERIC
        if self._lombok is not None and any(generates_accessors(f.owner.fields[f.name]) for f in fields):
            why = "lombok.config decides what its accessors are called"
            return Unknown(why, Cause.EXTERNAL, location=decl.location, derived_from=self._lombok)
        methods = [m for owner in superclasses(self.index, decl) for m in owner.methods if "public" in m.modifiers]
        accessible = all(is_accessible(f.owner.fields[f.name], methods, decl, self.api) for f in fields)
        return Serialization.POJO if no_argument_constructor(decl) and accessible else Serialization.GENERIC

    @cached_property
    def _lombok(self) -> str | None:
        return lombok_settings(self.index)

    def _own_code(self, decl: ClassDecl) -> str | None:
        """A digest of the code of the program that decides how objects of the class are written."""
        for owner in superclasses(self.index, decl):
            named = self._code_of(self._named_factory(owner, owner.node))
            if named is not None:
                return named
        for parent in self.index.ancestors(decl):
            if isinstance(parent, External) and any(name in _OWN_SERIALIZERS for name in parent.candidates):
                return self.closures.of_class(decl)
        return None

    def _code_of(self, factory: ClassDecl | str | None) -> str | None:
        """A digest of a ``TypeInfoFactory``, the name of one that is not in the repository."""
        return self.closures.of_class(factory) if isinstance(factory, ClassDecl) else factory

    def _named_factory(self, owner: ClassDecl, node: Node) -> ClassDecl | str | None:
        """The ``TypeInfoFactory`` that ``@TypeInfo`` names on a class or field."""
        for name, mark in annotations_of(node):
            if name != "TypeInfo":
                continue
            literal = next((n for n in walk(mark) if n.type == "class_literal"), None)
            named = type_ref(children(literal)[0]) if literal is not None else None
            factory = self.index.resolve_type(named, owner)
            return factory if isinstance(factory, ClassDecl) else f"by {named}"
        return None

    def _implementations(self, decl: ClassDecl) -> str | None:
        """A digest of the fields of all classes below an abstract one: objects of these are what is written."""
        if not decl.abstract or decl.binary_name in self._implementing:
            return None
        self._implementing.add(decl.binary_name)
        try:
            below = sorted(self.index.implementations(decl), key=lambda subclass: subclass.binary_name)
            shapes = self.shapes_of(of_class(subclass) for subclass in below)
        finally:
            self._implementing.discard(decl.binary_name)
        described = [f"{s.name} {s.fields} {s.constants} {s.code}" for s in shapes]
        return f"code {hashlib.sha256(chr(0).join(described).encode()).hexdigest()[:16]}"

    def _identity(self, decl: ClassDecl) -> str | None:
        """What makes two objects equal keys, where the class or a superclass says it; other code by a digest."""
        found: list[MethodDecl] = []
        for owner in superclasses(self.index, decl):
            for name in _IDENTITY:
                found.extend(m for m in owner.methods_named(name) if not m.static)
        marks = [
            f"{owner.qualified_name} {tokens(mark)}"
            for owner in superclasses(self.index, decl)
            for node in (owner.node, *(declared.node for declared in owner.fields.values()))
            for _, mark in annotations_of(node)
            if "EqualsAndHashCode" in text(mark)
        ]
        if not found and any(owner.annotation_names & _HASHING for owner in superclasses(self.index, decl)):
            declared = (f for owner in superclasses(self.index, decl) for f in owner.fields.values() if not f.static)
            marks.extend(f"{field.type} {field.name}" for field in declared)
        code = self.closures.of_methods(found) if found else ""
        return " ".join([code, *marks]).strip() or None

    def _unsure(self, decl: ClassDecl) -> str | None:
        """Why it is not known how objects of the class are written."""
        for owner in superclasses(self.index, decl):
            parent = self.index.superclass(owner) if owner.superclass is not None else None
            if (
                owner.superclass is not None
                and not isinstance(parent, ClassDecl)
                and owner.superclass.simple != "Object"
            ):
                return f"{owner.name} extends {owner.superclass}, which is not in the repository"
        if decl.kind is ClassKind.ANONYMOUS:
            return "it is an anonymous class"
        return None


@dataclass(frozen=True, slots=True)
class _Field:
    """A field or record component, with the class that declares it."""

    name: str
    type: JavaType
    owner: ClassDecl
    written: bool = True


def _own_schema(decl: ClassDecl) -> str | None:
    """The Avro schema that a generated class says itself, which may be cut into several texts."""
    value = decl.fields[_SCHEMA].value
    for node in walk(value) if value is not None else ():
        if node.type == "method_invocation" and text(field(node, "name")) == "parse":
            texts = (n for argument in arguments_of(node) for n in walk(argument) if n.type == "string_literal")
            return standalone("".join(string_literal(text(literal)) for literal in texts))
    return None


def _declared_by(field_: _Field, decl: ClassDecl) -> str | None:
    if field_.name == INHERITED and isinstance(field_.type.target, External):
        return field_.type.target.name
    return None if field_.owner is decl else field_.owner.binary_name


def _named(type_: JavaType) -> Iterator[JavaType]:
    """The classes in a type that are the program's own or may be generated for it, with their arguments."""
    if type_.decl is not None or (isinstance(type_.target, External) and not type_.target.name.startswith(_LIBRARIES)):
        yield type_
    for argument in type_.arguments:
        yield from _named(argument)
