"""What Flink makes of the type that a state descriptor is given: classes, ``Types.*``, type hints, serializers.

``TypeReader.of(node, scope)`` follows the expression and answers with the type as ``TypeExtractor`` takes it: the text
``GenericType<Map<String, Long>>`` stands for what Kryo writes, ``Map<String, Long>`` for a ``MapSerializer``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.constants import called_method, named_value, returned
from checker.extract.java.state.java_types import Bindings, JavaType, as_tuple, lineage, resolved
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.java_lang import UNBOXED
from checker.extract.java.syntax.nodes import arguments_of, unwrapped
from checker.extract.java.syntax.tree import Node, children, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.declared_state import ClassShape, Serialization
from checker.model.unknowns import Cause, Maybe, Unknown

_DEPTH = 12
_BY_CLASS: Mapping[str, Serialization | None] = {
    "KryoSerializer": Serialization.GENERIC, "PojoSerializer": None, "AvroSerializer": Serialization.AVRO,
}  # fmt: skip
"""Flink's serializers that are made for a class, and how they write it whatever else would."""
BASIC: Mapping[str, str] = {
    "STRING": "String", "BOOLEAN": "Boolean", "BYTE": "Byte", "SHORT": "Short", "INT": "Integer", "LONG": "Long",
    "FLOAT": "Float", "DOUBLE": "Double", "CHAR": "Character", "VOID": "Void", "BIG_DEC": "BigDecimal",
    "BIG_INT": "BigInteger", "INSTANT": "Instant", "LOCAL_DATE": "LocalDate", "LOCAL_TIME": "LocalTime",
    "LOCAL_DATE_TIME": "LocalDateTime", "SQL_DATE": "Date", "SQL_TIME": "Time", "SQL_TIMESTAMP": "Timestamp",
    "BYTE_PRIMITIVE_ARRAY": "byte[]", "INT_PRIMITIVE_ARRAY": "int[]", "LONG_PRIMITIVE_ARRAY": "long[]",
    "DATE": "Date", "TIME": "Time", "TIMESTAMP": "Timestamp",
}  # fmt: skip
"""Names of ``Types`` and of the constants of ``BasicTypeInfo`` and its like."""
BASIC_SERIALIZERS: Mapping[str, str] = {
    "IntSerializer": "Integer", "CharSerializer": "Character", "BigDecSerializer": "BigDecimal",
    "BigIntSerializer": "BigInteger",
    **{f"{name}Serializer": name for name in ("String", "Boolean", "Byte", "Short", "Long", "Float", "Double", "Void",
                                              "Instant", "LocalDate", "LocalTime", "LocalDateTime", "Date")},
}  # fmt: skip
"""Flink's serializers of basic types."""
_OF_CLASS = frozenset({"of", "POJO", "ENUM", "createTypeInfo", "getForClass", "forClass", "createSerializer"})
COMPOSITE = {
    "LIST": "List", "MAP": "Map", "TUPLE": "Tuple", "SET": "Set", "EITHER": "Either", "OPTION": "Option",
    "ListTypeInfo": "List", "MapTypeInfo": "Map", "TupleTypeInfo": "Tuple", "SetTypeInfo": "Set",
    "EitherTypeInfo": "Either", "ROW": "Row", "RowTypeInfo": "Row", "NullableListTypeInfo": "List",
    "NullableMapTypeInfo": "Map",
}  # fmt: skip
"""Methods of ``Types`` and type information classes that are made of other types."""
_CONTAINERS = frozenset({"java.util.List", "java.util.Map", "java.util.Set", "java.util.Collection"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How a value is written: its type as Flink takes it, a serializer that the program names, its own classes."""

    type: str | None = None
    serializer: Maybe[str] | None = None
    classes: tuple[ClassShape, ...] = ()


class Evaluation(Protocol):
    """What is known of expressions in a function's code when a certain object runs it."""

    @property
    def fields(self) -> Mapping[str, str]:
        """What the object's fields hold, as texts that are equal in two revisions that make them alike."""

    def given(self, arguments: Mapping[str, tuple[Node, ClassDecl]]) -> Evaluation:
        """The same inside of a method that is called with these arguments."""

    def constants(self, node: Node, scope: ClassDecl) -> tuple[str, ...] | None:
        """All texts that an expression stands for in turn; None where that is not known."""

    def changing(self, node: Node, scope: ClassDecl) -> str | None:
        """Why a text is different in every run; None where it is not, or that is not known."""

    def truth(self, node: Node, scope: ClassDecl) -> bool | None:
        """Whether a condition holds; None where that is not known."""

    def milliseconds(self, node: Node, scope: ClassDecl) -> Maybe[int] | None:
        """How long a duration is, or the one that a ``StateTtlConfig`` is made with.

        Unknown with the expression that gives it where the program's arguments decide, None where nothing is known.
        """

    def calls(self, node: Node, scope: ClassDecl) -> tuple[tuple[str, str], ...]:
        """The calls that made an object of a library: each with the name of its argument, empty for other values."""

    def type(self, node: Node, scope: ClassDecl) -> JavaType | str | None:
        """The class that a ``Class`` or ``TypeInformation`` stands for: a type, or how Flink writes it."""


def flink_text(shapes: ShapeReader, type_: JavaType) -> str:
    """The type as ``TypeExtractor`` takes it, Kryo marked where the same type has a serializer of its own as well."""
    if type_.dimensions:
        return flink_text(shapes, type_.element) + "[]"
    type_ = as_tuple(shapes.index, type_)
    arguments = ", ".join(flink_text(shapes, argument) for argument in type_.arguments)
    plain = f"{type_.name}<{arguments}>" if arguments else type_.name
    if isinstance(type_.target, External):
        raw = not type_.arguments and type_.target.name in _CONTAINERS
        if raw or shapes.generic(type_):
            return f"GenericType<{type_}>"
    return plain


class TypeReader:
    """Reads types of descriptors in the code of one function, whose type variables are bound."""

    def __init__(
        self, shapes: ShapeReader, evaluation: Evaluation, bindings: Bindings, runtime: ClassDecl | None = None
    ) -> None:
        self._shapes = shapes
        self._index = shapes.index
        self._evaluation = evaluation
        self._bindings = bindings
        self._runtime = runtime

    def of_ref(self, type_: JavaType) -> Written:
        """A type that the program spells as a type argument."""
        boxed = type_.boxed
        if not boxed.known:
            return Written()
        return Written(type=flink_text(self._shapes, boxed), classes=self._shapes.shapes_of((boxed,)))

    def resolved(self, node: Node, scope: ClassDecl) -> JavaType:
        """The type that a type node means."""
        return resolved(self._index, type_ref(node), scope, self._bindings)

    def of(self, node: Node, scope: ClassDecl, depth: int = 0) -> Written:
        """What an expression describes; an empty record where the source does not settle it."""
        node = unwrapped(node)
        if depth > _DEPTH:
            return Written()
        found = self._of(node, scope, depth + 1)
        if found.type is None and found.serializer is None:
            evaluated = self._evaluation.type(node, scope)
            if isinstance(evaluated, JavaType):
                return self.of_ref(evaluated)
            if evaluated is not None:
                return Written(type=evaluated)
        return found

    def _of(self, node: Node, scope: ClassDecl, depth: int) -> Written:
        match node.type:
            case "class_literal":
                return self.of_ref(self.resolved(children(node)[0], scope))
            case "object_creation_expression":
                return self._created(node, scope, depth)
            case "method_invocation":
                return self._called(node, scope, depth)
            case "identifier" | "field_access":
                return self._named(node, scope, depth)
        return Written()

    def _named(self, node: Node, scope: ClassDecl, depth: int) -> Written:
        owner, _, member = "".join(text(node).split()).rpartition(".")
        if owner.endswith("Serializer") and member == "INSTANCE":
            return self._serializer(JavaType(owner.rpartition(".")[2], self._index.resolve(owner, scope)))
        if owner.endswith("Types") and member in BASIC:
            return Written(type=BASIC[member])
        if member.endswith("_TYPE_INFO") and owner.endswith("TypeInfo"):
            found = BASIC.get(member.removesuffix("_TYPE_INFO"))
            return Written(type=found)
        value = named_value(self._index, scope, node)
        return self.of(value[0], value[1], depth) if value is not None else Written()

    def _serializer(self, type_: JavaType) -> Written:
        classes = (self._shapes.serializer_shape(type_.decl),) if type_.decl is not None else ()
        basic = BASIC_SERIALIZERS.get(type_.simple) if type_.decl is None else None
        return Written(type=basic, serializer=str(type_), classes=classes)

    def _created(self, node: Node, scope: ClassDecl, depth: int) -> Written:
        type_ = self.resolved(part(node, "type") or node, scope)
        given = arguments_of(node)
        if type_.simple == "TypeHint" and type_.arguments:
            return self.of_ref(type_.arguments[0])
        if type_.simple in _BY_CLASS and given:
            kept = self.of(given[0], scope, depth)
            if kept.type is not None:
                forced = _BY_CLASS[type_.simple]
                classes = tuple(_forced(shape, forced) for shape in kept.classes)
                return Written(serializer=f"{type_.simple}<{kept.type}>", classes=classes)
        if self._extends(type_, "Serializer"):
            inner = [self.of(argument, scope, depth) for argument in given]
            known = [
                part.type or str(part.serializer) for part in inner if part.type or isinstance(part.serializer, str)
            ]
            own = self._serializer(type_)
            if given and len(known) == len(given):
                composed = f"{type_.name}<{', '.join(known)}>"
                classes = tuple({s.name: s for part in (own, *inner) for s in part.classes}.values())
                return Written(serializer=composed, classes=classes)
            return own if not given else self._computed(node, scope, own.classes)
        if type_.simple in COMPOSITE:
            return self._composed(given, scope, COMPOSITE[type_.simple], depth)
        if type_.simple == "GenericTypeInfo" and given:
            return self._generic(given[0], scope, depth)
        if type_.simple in ("AvroTypeInfo", "EnumTypeInfo") and given:
            return self.of(given[0], scope, depth)
        if self._extends(type_, "TypeInfo") or self._extends(type_, "TypeInformation"):
            own_classes = (self._shapes.serializer_shape(type_.decl),) if type_.decl is not None else ()
            return self._computed(node, scope, own_classes)
        return Written()

    def _extends(self, type_: JavaType, ending: str) -> bool:
        """Whether a class is a serializer or type information: by its name, or by a superclass of Flink's."""
        if type_.simple.endswith(ending):
            return True
        above = lineage(self._index, type_) if type_.decl is not None else ()
        return any(
            ancestor.decl is None and ending in ancestor.simple and ancestor.simple.startswith("Type")
            for ancestor in above
        )

    def _computed(self, node: Node, scope: ClassDecl, classes: tuple[ClassShape, ...] = ()) -> Written:
        """A serializer made with arguments: equal only if it is made alike."""
        digest = self._shapes.closures.of(node, scope, fields=self._evaluation.fields)
        why = Unknown(
            f"what '{text(node)[:60]}' writes depends on what it is made with", Cause.OTHER, derived_from=digest
        )
        return Written(serializer=why, classes=classes)

    def _called(self, node: Node, scope: ClassDecl, depth: int) -> Written:
        name, target = text(part(node, "name")), part(node, "object")
        given = arguments_of(node)
        if name in ("getTypeInfo", "createSerializer") and target is not None:
            return self.of(target, scope, depth)
        if name == "GENERIC" and given:
            return self._generic(given[0], scope, depth)
        method = called_method(self._index, scope, node, self._runtime)
        if method is None and name in _OF_CLASS and given:
            return self.of(given[0], scope, depth)
        if method is None and name in ("PRIMITIVE_ARRAY", "OBJECT_ARRAY") and given:
            found = self.of(given[0], scope, depth)
            element = UNBOXED.get(found.type or "", found.type) if name == "PRIMITIVE_ARRAY" else found.type
            return Written(type=f"{element}[]", classes=found.classes) if element is not None else Written()
        if method is None and name == "ROW_NAMED" and given:
            return self._composed(given[1:], scope, "Row", depth, names=_texts(given[0]))
        if method is None and name in COMPOSITE:
            return self._composed(given, scope, COMPOSITE[name], depth)
        result = returned(method) if method is not None else None
        if method is None or result is None:
            return Written()
        return self.of(result, method.owner, depth)

    def _generic(self, node: Node, scope: ClassDecl, depth: int) -> Written:
        found = self.of(node, scope, depth)
        if found.type is None or found.type.startswith("GenericType<"):
            return found
        if not found.classes and "<" not in found.type and found.type not in BASIC.values():
            return found
        return Written(type=f"GenericType<{found.type}>", classes=found.classes)

    def _composed(
        self, given: Sequence[Node], scope: ClassDecl, name: str, depth: int, names: Sequence[str] = ()
    ) -> Written:
        parts = [self.of(argument, scope, depth) for argument in given]
        if not parts or any(part.type is None for part in parts):
            return Written()
        classes = tuple({shape.name: shape for part in parts for shape in part.classes}.values())
        count = len(parts) if name == "Tuple" else ""
        named = [f"{field}:" for field in names] if len(names) == len(parts) else [""] * len(parts)
        fields = ", ".join(f"{field}{part.type or ''}" for field, part in zip(named, parts, strict=True))
        return Written(type=f"{name}{count}<{fields}>", classes=classes)


def _texts(array: Node) -> list[str]:
    """The texts that an array lists."""
    return [text(node).strip('"') for node in walk(array) if node.type == "string_literal"]


def _forced(shape: ClassShape, by: Serialization | None) -> ClassShape:
    """A class as a serializer writes it that the program names; enums and generated classes as they are to Avro."""
    if by is None or (
        by is Serialization.AVRO and shape.serialization not in (Serialization.POJO, Serialization.GENERIC)
    ):
        return shape
    return replace(shape, serialization=by)
