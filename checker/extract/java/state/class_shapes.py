"""How Flink would write the repository's own classes that lie in state: as POJO, by Kryo, or as an enum.

The rules are those of ``TypeExtractor.privateGetForClass`` and ``analyzePojo`` (Flink 1.13 to 2.3); records are POJOs
since 1.19. What the source alone does not settle is Unknown with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checker.extract.java.state.lombok import generated_constructors, generated_setter, generates_getter
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, FieldDecl, MethodDecl, TypeRef, modifiers
from checker.extract.java.syntax.parse import text
from checker.model.topology import Cause, ClassShape, FieldShape, Maybe, Serialization, Unknown

_MAX_CLASSES = 60
_CLASS_NAME = re.compile(r"[A-Za-z_$][\w$.]*")
_OWN_SERIALIZERS = ("org.apache.flink.types.Value", "org.apache.hadoop.io.Writable")
_FORCED = re.compile(rb"enableForceKryo|enableForceAvro|pipeline\.force-(?:kryo|avro)|registerTypeWith|addDefaultKryo")
_COLLECTIONS = frozenset({"java.util.List", "java.util.Map", "java.util.Set", "java.util.Collection"})
"""Types that Flink writes itself since 2.0."""
_BOXED = {
    "int": "Integer", "long": "Long", "boolean": "Boolean", "double": "Double", "float": "Float", "byte": "Byte",
    "short": "Short", "char": "Character",
}  # fmt: skip


def shapes_of(index: ClassIndex, scope: ClassDecl, types: Iterable[object], flink: str) -> tuple[ClassShape, ...]:
    """The repository's classes that the types name as ``scope`` spells them, and those of their fields, by name."""
    shapes: dict[str, ClassShape] = {}
    pending = [d for spelled in types if isinstance(spelled, str) for d in _named(index, scope, spelled)]
    while pending and len(shapes) < _MAX_CLASSES:
        decl = pending.pop()
        if decl.binary_name in shapes:
            continue
        fields = list(_fields(index, decl))
        written = [f for f in fields if f.written]
        shapes[decl.binary_name] = ClassShape(
            name=decl.binary_name,
            serialization=_serialization(index, decl, written, flink),
            fields=_shapes(index, decl, written, flink),
            unwritten=_shapes(index, decl, (f for f in fields if not f.written), flink),
            constants=tuple(c.name for c in decl.enum_constants),
        )
        for one in written:
            pending.extend(_referenced(index, one.owner, one.type))
    return tuple(shapes[name] for name in sorted(shapes))


@dataclass(frozen=True, slots=True)
class _Field:
    """A field or record component, with the class that declares it."""

    name: str
    type: TypeRef
    owner: ClassDecl
    written: bool = True


def _shapes(index: ClassIndex, decl: ClassDecl, fields: Iterable[_Field], flink: str) -> tuple[FieldShape, ...]:
    shapes = (
        FieldShape(
            name=one.name,
            type=str(one.type),
            declared_by=None if one.owner is decl else one.owner.binary_name,
            generic=_generic(index, one, flink),
        )
        for one in fields
    )
    return tuple(sorted(shapes, key=lambda shape: (shape.name, shape.declared_by or "")))


def _generic(index: ClassIndex, one: _Field, flink: str) -> bool:
    """Whether Kryo writes the field because its type is a library's with type arguments, Flink's own left out."""
    found = index.resolve_type(one.type, one.owner)
    if not one.type.arguments or not isinstance(found, External) or found.name.startswith("org.apache.flink."):
        return False
    return not (_at_least(flink, (2, 0)) and found.name in _COLLECTIONS)


def _named(index: ClassIndex, scope: ClassDecl, spelled: str) -> Iterator[ClassDecl]:
    for name in _CLASS_NAME.findall(spelled):
        found = index.resolve(name, scope)
        if isinstance(found, ClassDecl):
            yield found


def _referenced(index: ClassIndex, scope: ClassDecl, ref: TypeRef) -> Iterator[ClassDecl]:
    found = index.resolve_type(ref, scope)
    if isinstance(found, ClassDecl):
        yield found
    for argument in ref.arguments:
        yield from _referenced(index, scope, argument)


def _lineage(index: ClassIndex, decl: ClassDecl) -> Iterator[ClassDecl]:
    """The class and its superclasses in the repository, nearest first."""
    seen: set[int] = set()
    current: object = decl
    while isinstance(current, ClassDecl) and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = index.superclass(current) if current.superclass is not None else None


def _fields(index: ClassIndex, decl: ClassDecl) -> Iterator[_Field]:
    """All fields of the class and its superclasses; those that are neither static nor transient are written."""
    if decl.kind is ClassKind.RECORD:
        yield from (_Field(p.name, p.type, decl) for p in decl.record_components)
    elif decl.kind is ClassKind.CLASS:
        for owner in _lineage(index, decl):
            for one in owner.fields.values():
                written = not one.static and "transient" not in modifiers(one.node)
                yield _Field(one.name, one.type, owner, written)


def _serialization(index: ClassIndex, decl: ClassDecl, fields: list[_Field], flink: str) -> Maybe[Serialization]:
    if any(_FORCED.search(index.read(path)) for path in sorted(index.used_paths)):
        return Unknown("the program sets serializers of its own", Cause.OTHER, location=decl.location)
    if (unsure := _unsure(index, decl)) is not None:
        return Unknown(unsure, Cause.EXTERNAL, location=decl.location)
    if decl.kind is ClassKind.ENUM:
        return Serialization.ENUM
    if decl.kind not in (ClassKind.CLASS, ClassKind.RECORD) or not _public(decl) or not fields:
        return Serialization.GENERIC
    if decl.kind is ClassKind.RECORD:
        return Serialization.POJO if _at_least(flink, (1, 19)) else Serialization.GENERIC
    if not decl.static or decl.local or len({f.name for f in fields}) != len(fields):
        return Serialization.GENERIC
    constructor = _no_argument_constructor(decl)
    if isinstance(constructor, Unknown):
        return constructor
    methods = [m for owner in _lineage(index, decl) for m in owner.methods if "public" in m.modifiers]
    accessible = all(_accessible(f.owner.fields[f.name], methods, decl, flink) for f in fields)
    return Serialization.POJO if constructor and accessible else Serialization.GENERIC


def _unsure(index: ClassIndex, decl: ClassDecl) -> str | None:
    """Why nobody can tell how objects of the class are written."""
    lineage = list(_lineage(index, decl))
    for owner in lineage:
        if "TypeInfo" in owner.annotation_names or any("@TypeInfo" in text(f.node) for f in owner.fields.values()):
            return f"{owner.name} brings its own type information"
        parent = index.superclass(owner) if owner.superclass is not None else None
        if owner.superclass is not None and not isinstance(parent, ClassDecl) and owner.superclass.simple != "Object":
            return f"{owner.name} extends {owner.superclass}, which is not in the repository"
    for parent in index.ancestors(decl):
        if isinstance(parent, External) and any(name in _OWN_SERIALIZERS for name in parent.candidates):
            return f"{decl.name} writes itself ({parent.simple})"
    if decl.kind is ClassKind.ANONYMOUS:
        return "it is an anonymous class"
    if decl.kind is ClassKind.CLASS and decl.abstract:
        return f"{decl.name} is abstract: its subclasses are written"
    return None


def _public(decl: ClassDecl) -> bool:
    inside = decl.outer is not None and decl.outer.kind in (ClassKind.INTERFACE, ClassKind.ANNOTATION)
    return "public" in decl.modifiers or inside


def _no_argument_constructor(decl: ClassDecl) -> Maybe[bool]:
    """Whether there is a public constructor without arguments."""
    written = [c for c in decl.constructors if not c.parameters]
    if written:
        return "public" in written[0].modifiers
    generated = generated_constructors(decl)
    if generated.without_arguments is not None:
        return generated.without_arguments
    return not decl.constructors and not generated.any


def _accessible(declared: FieldDecl, methods: list[MethodDecl], decl: ClassDecl, flink: str) -> bool:
    """``TypeExtractor.isValidPojoField``: public, or with a getter and a setter of its own type.

    Since 2.0 ``setDone`` is a setter of ``isDone``.
    """
    if "public" in modifiers(declared.node):
        return True
    name = declared.name.lower().replace("_", "")
    kinds = {str(declared.type), _BOXED.get(str(declared.type), str(declared.type))}
    getter = generates_getter(declared)
    setters = {f"set{name}"}
    if _at_least(flink, (2, 0)) and re.match(r"is[A-Z]", declared.name):
        setters.add(f"set{name.removeprefix('is')}")
    setter = generated_setter(declared) in setters
    for method in methods:
        called = method.name.lower().replace("_", "")
        if not method.parameters and called in (f"get{name}", f"is{name}", name):
            getter = getter or str(method.return_type) in kinds
        elif len(method.parameters) == 1 and called in setters:
            taken = method.parameters[0].type
            returns = str(method.return_type).split("<")[0].rpartition(".")[2]
            setter = setter or (str(taken) in kinds and returns in ("void", decl.name))
    return getter and setter


def _at_least(flink: str, minor: tuple[int, int]) -> bool:
    numbers = re.findall(r"\d+", flink)[:2]
    return tuple(map(int, numbers)) >= minor if len(numbers) == 2 else True
