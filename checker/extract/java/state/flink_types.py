"""Types as Flink takes them (``TypeExtractor``): what Kryo writes is marked, basic types have names of their own."""

from __future__ import annotations

from collections.abc import Mapping

from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.java_types import JavaType, as_tuple
from checker.extract.java.syntax.class_index import External

BASIC: Mapping[str, str] = {
    "STRING": "String", "BOOLEAN": "Boolean", "BYTE": "Byte", "SHORT": "Short", "INT": "Integer", "LONG": "Long",
    "FLOAT": "Float", "DOUBLE": "Double", "CHAR": "Character", "VOID": "Void", "BIG_DEC": "BigDecimal",
    "BIG_INT": "BigInteger", "INSTANT": "Instant", "LOCAL_DATE": "LocalDate", "LOCAL_TIME": "LocalTime",
    "LOCAL_DATE_TIME": "LocalDateTime", "SQL_DATE": "Date", "SQL_TIME": "Time", "SQL_TIMESTAMP": "Timestamp",
    "BYTE_PRIMITIVE_ARRAY": "byte[]", "INT_PRIMITIVE_ARRAY": "int[]", "LONG_PRIMITIVE_ARRAY": "long[]",
    "DATE": "Date", "TIME": "Time", "TIMESTAMP": "Timestamp",
}  # fmt: skip
"""Names of ``Types`` and of the constants of ``BasicTypeInfo`` and its like."""
_CONTAINERS = frozenset({"java.util.List", "java.util.Map", "java.util.Set", "java.util.Collection"})


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
