"""What Flink makes of the type that a descriptor is given: classes, ``Types.*``, type hints, serializers.

``GenericType<Map<String, Long>>`` stands for what Kryo writes, ``Map<String, Long>`` for a ``MapSerializer``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from checker.extract.datastream.table import BASIC_TYPES as BASIC
from checker.extract.datastream.table import table
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import ClassLiteral, Constant, ExternalObject, Instance, ListValue, Value
from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.java_types import Bindings, JavaType, bindings_of, lineage, named, of_class, resolved
from checker.extract.java.syntax.type_refs import UNBOXED
from checker.model.declared_state import ClassShape, Serialization
from checker.model.unknowns import Cause, Maybe, Unknown

_DEPTH = 12
_BY_CLASS: Mapping[str, Serialization | None] = {
    "KryoSerializer": Serialization.GENERIC, "PojoSerializer": None, "AvroSerializer": Serialization.AVRO,
}  # fmt: skip
"""Flink's serializers that are made for a class, and how they write it whatever else would."""
_BASIC_SERIALIZERS = table("basic_serializers")
_OF_CLASS = frozenset({"of", "POJO", "ENUM", "createTypeInfo", "getForClass", "forClass"})
_COMPOSITE = table("composite_types")
"""Methods of ``Types`` and type information classes that are made of other types."""
_ROW = "ROW_NAMED"
_TUPLES = "org.apache.flink.api.java.tuple"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How a value is written: its type as Flink takes it, a serializer that the program names, its own classes."""

    type: str | None = None
    serializer: Maybe[str] | None = None
    classes: tuple[ClassShape, ...] = ()
    java: JavaType | None = None
    """The type as Java has it, where Flink takes it as that."""


def joined(*several: tuple[ClassShape, ...]) -> tuple[ClassShape, ...]:
    """Shapes of several types together."""
    found = {shape.name: shape for classes in several for shape in classes}
    return tuple(found[name] for name in sorted(found))


def shapes_of(run: Run) -> ShapeReader:
    """The reader of classes in state, one for all paths of a program."""
    found = run.limits.function_states.get("shapes")
    if not isinstance(found, ShapeReader):
        found = ShapeReader(run.index, run.api)
        run.limits.function_states["shapes"] = found
    return found


class TypeReader:
    """Reads what values say of types, with what type variables stand for."""

    def __init__(self, run: Run, bindings: Bindings, *, keys: bool = False) -> None:
        self.bindings = bindings
        self._keys = keys
        self._run = run
        self._shapes = shapes_of(run)

    def of_type(self, type_: JavaType) -> Written:
        """A type that the program spells."""
        boxed = type_.boxed
        if not boxed.known:
            return Written()
        classes = self._shapes.shapes_of((boxed,), keys=self._keys)
        return Written(type=self._shapes.text(boxed), classes=classes, java=boxed)

    def of(self, value: Value, depth: int = 0) -> Written:
        """What a value describes; an empty record where that is not known."""
        value = self._run.soften(value)
        if depth > _DEPTH:
            return Written()
        if isinstance(value, ClassLiteral):
            return self.of_type(type_of_literal(value))
        if isinstance(value, Instance):
            return self._of_object(value)
        if isinstance(value, ExternalObject):
            return self._of_library(value, depth + 1)
        return Written()

    def _of_object(self, value: Instance) -> Written:
        """A type hint, or a serializer or type information of the program."""
        hinted = hinted_type(self._run, value)
        if hinted is not None:
            return self.of_type(hinted)
        if not any(named_so in above.simple for above in lineage(self._run.index, of_class(value.decl))
                   for named_so in ("Serializer", "TypeInfo")):  # fmt: skip
            return Written()
        shapes = (self._shapes.serializer_shape(value.decl),)
        is_serializer = any("Serializer" in above.simple for above in lineage(self._run.index, of_class(value.decl)))
        if is_serializer and not value.fields:
            return Written(serializer=value.decl.name, classes=shapes)
        return self._computed(value, shapes)

    def _computed(self, value: Value, classes: tuple[ClassShape, ...] = ()) -> Written:
        """A serializer made with arguments: equal only if it is made alike."""
        return Written(serializer=_by_arguments(value), classes=classes)

    def _of_library(self, value: ExternalObject, depth: int) -> Written:
        calls = [call for call in value.calls if call[0] not in ("createSerializer", "getTypeInfo")]
        simple = value.type.simple
        if len(calls) > 1:
            return Written()
        if not calls:
            return self._created(value, depth)
        name, given = calls[0]
        if not given:
            if simple.endswith("Serializer") and name == "INSTANCE":
                return Written(type=_BASIC_SERIALIZERS.get(simple), serializer=simple)
            if simple == "Types" or simple.endswith("TypeInfo"):
                constant = BASIC.get(name.removesuffix("_TYPE_INFO"))
                plain = constant is not None and "[" not in constant
                return Written(type=constant, java=named(constant) if constant is not None and plain else None)
            return Written()
        if name == "POJO" and len(given) == 2:
            why = _by_arguments(value)
            classes = self.of(given[0], depth).classes
            return Written(serializer=why, classes=tuple(replace(shape, serialization=why) for shape in classes))
        if name in _OF_CLASS:
            return self.of(given[0], depth)
        if name == "GENERIC":
            return self._generic(given[0], depth)
        if name in ("PRIMITIVE_ARRAY", "OBJECT_ARRAY"):
            found = self.of(given[0], depth)
            element = UNBOXED.get(found.type or "", found.type) if name == "PRIMITIVE_ARRAY" else found.type
            return Written(type=f"{element}[]", classes=found.classes) if element is not None else Written()
        if name == _ROW:
            return self._composed(given[1:], "Row", depth, row_names(value))
        return self._composed(given, _COMPOSITE[name], depth) if name in _COMPOSITE else Written()

    def of_raw(self, found: Written, spelled: Sequence[JavaType]) -> Written:
        """``Types.GENERIC(List.class)`` where the program says of what: Kryo writes with each content its class."""
        declared = spelled[0] if spelled else None
        if declared is None or not declared.arguments or found.type != f"GenericType<{declared.simple}>":
            return found
        contents = self.of_type(declared)
        inside = ", ".join(self.of_type(argument).type or str(argument) for argument in declared.arguments)
        return Written(
            type=f"GenericType<{declared.simple}<{inside}>>", classes=joined(found.classes, contents.classes)
        )

    def _created(self, value: ExternalObject, depth: int) -> Written:
        """``new`` of a type information or serializer of a library."""
        simple, given = value.type.simple, value.arguments
        if simple in _BY_CLASS and given:
            kept = self.of(given[0], depth)
            if kept.type is not None:
                classes = tuple(_forced(shape, _BY_CLASS[simple]) for shape in kept.classes)
                return Written(serializer=f"{simple}<{kept.type}>", classes=classes)
        if simple.endswith("Serializer"):
            inner = [self.of(argument, depth) for argument in given]
            known = [part.type or str(part.serializer) for part in inner
                     if part.type or isinstance(part.serializer, str)]  # fmt: skip
            if not given:
                return Written(type=_BASIC_SERIALIZERS.get(simple), serializer=simple)
            if len(known) == len(given):
                composed = f"{simple}<{', '.join(known)}>"
                return Written(serializer=composed, classes=joined(*(part.classes for part in inner)))
            return self._computed(value)
        if simple in _COMPOSITE:
            return self._composed(given, _COMPOSITE[simple], depth)
        if simple == "GenericTypeInfo" and given:
            return self._generic(given[0], depth)
        if simple in ("AvroTypeInfo", "EnumTypeInfo") and given:
            return self.of(given[0], depth)
        return self._computed(value) if simple.endswith(("TypeInfo", "TypeInformation")) else Written()

    def _generic(self, value: Value, depth: int) -> Written:
        found = self.of(value, depth)
        if found.type is None or found.type.startswith("GenericType<"):
            return found
        if not found.classes and "<" not in found.type and found.type not in BASIC.values():
            return found
        return Written(type=f"GenericType<{found.type}>", classes=found.classes)

    def _composed(self, given: Sequence[Value], name: str, depth: int, names: Sequence[str] = ()) -> Written:
        parts = [self.of(argument, depth) for argument in _parts(given)]
        if not parts or any(part.type is None for part in parts):
            return Written()
        classes = joined(*(part.classes for part in parts))
        count = len(parts) if name == "Tuple" else ""
        named_so = [f"{field}:" for field in names] if len(names) == len(parts) else [""] * len(parts)
        fields = ", ".join(f"{field}{part.type or ''}" for field, part in zip(named_so, parts, strict=True))
        types = [part.java for part in parts if part.java is not None]
        java = named(f"Tuple{count}", *types, package=_TUPLES) if count == len(types) else None
        return Written(type=f"{name}{count}<{fields}>", classes=classes, java=java)


def _by_arguments(value: Value) -> Unknown:
    made = expression_of(value, Cause.EXTERNAL)
    return Unknown("what a serializer writes depends on what it is made with", Cause.OTHER, derived_from=made)


def _forced(shape: ClassShape, by: Serialization | None) -> ClassShape:
    """A class as a serializer writes it that the program names; enums and generated classes as they are to Avro."""
    if by is None or (
        by is Serialization.AVRO and shape.serialization not in (Serialization.POJO, Serialization.GENERIC)
    ):
        return shape
    return replace(shape, serialization=by)


def type_of_literal(value: ClassLiteral) -> JavaType:
    """The type that ``Foo.class`` names."""
    return JavaType(value.ref.name, value.type, (), value.ref.dimensions).boxed


def hinted_type(run: Run, value: Instance) -> JavaType | None:
    """The type argument of a ``TypeHint``; None for other objects."""
    hint = next((above for above in lineage(run.index, of_class(value.decl)) if above.simple == "TypeHint"), None)
    if hint is not None and hint.arguments and hint.arguments[0].known:
        return hint.arguments[0]
    written = value.decl.superclass
    if written is None or written.simple != "TypeHint" or not written.arguments:
        return None
    this = value.captured.this if value.captured is not None else None
    bindings = bindings_of(run.index, of_class(this.decl)) if isinstance(this, Instance) else {}
    return resolved(run.index, written.arguments[0], value.decl.outer or value.decl, bindings)


def row_names(value: Value) -> tuple[str, ...]:
    """The names of a row's fields, where its type information gives them."""
    if not isinstance(value, ExternalObject) or len(value.calls) != 1:
        return ()
    name, given = value.calls[0]
    if name != _ROW or not given or not isinstance(given[0], ListValue):
        return ()
    names = given[0].elements or ()
    return tuple(name.text for name in names if isinstance(name, Constant))


def _parts(given: Sequence[Value]) -> Sequence[Value]:
    """Arguments of a method of any number of them, which may come as an array."""
    first = given[0] if len(given) == 1 else None
    return first.elements or () if isinstance(first, ListValue) else given
