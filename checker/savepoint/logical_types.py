"""SQL types inside of serializer snapshots: Java objects that become the text that Flink's SQL has for them.

Two types have equal texts exactly where Flink's ``LogicalType.equals`` holds them for equal: nullability, lengths,
precisions, names and order of fields count, whether a timestamp is a time attribute does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from checker.savepoint.java_object import ClassDescription, JavaArray, JavaEnum, JavaObject, JavaValue

_UNBOUNDED = 2147483647
_NAMES = {
    "BooleanType": "BOOLEAN", "TinyIntType": "TINYINT", "SmallIntType": "SMALLINT", "IntType": "INT",
    "BigIntType": "BIGINT", "FloatType": "FLOAT", "DoubleType": "DOUBLE", "DateType": "DATE", "NullType": "NULL",
    "VarCharType": "VARCHAR", "CharType": "CHAR", "BinaryType": "BINARY", "VarBinaryType": "BYTES",
    "DecimalType": "DECIMAL", "TimeType": "TIME", "TimestampType": "TIMESTAMP",
    "LocalZonedTimestampType": "TIMESTAMP_LTZ", "ZonedTimestampType": "TIMESTAMP_TZ", "ArrayType": "ARRAY",
    "MultisetType": "MULTISET", "MapType": "MAP", "RowType": "ROW", "VariantType": "VARIANT",
}  # fmt: skip
_NOT_COMPARED = frozenset({"isNullable", "typeRoot", "kind", "description"})


def type_text(value: JavaValue) -> str:
    """``INT NOT NULL``, ``ROW<a BIGINT, b STRING>``; a type without a name of its own by its class and fields."""
    if not isinstance(value, JavaObject):
        return _plain(value)
    simple = value.class_name.rpartition(".")[2]
    fields = value.fields
    nullable = "" if fields.get("isNullable", True) is not False else " NOT NULL"
    name = _NAMES.get(simple)
    if simple in ("RawType", "TypeInformationRawType"):  # the serializer inside has a snapshot of its own
        return f"RAW({_plain(fields.get('clazz') or fields.get('typeInfo'))}){nullable}"
    if simple == "StructuredType":
        attributes = ", ".join(_row_field(field) for field in _elements(fields.get("attributes")))
        return f"{_plain(fields.get('implementationClass')).rpartition('.')[2]}<{attributes}>{nullable}"
    if value.class_name.startswith("java.util."):
        return f"[{', '.join(type_text(element) for element in _elements(value))}]"
    if name is None or "typeRoot" not in fields:
        return _object(value) + nullable
    if "length" in fields:
        length = fields["length"]
        if length == _UNBOUNDED:
            name = {"VARCHAR": "STRING"}.get(name, name)
        else:
            name = f"{'VARBINARY' if name == 'BYTES' else name}({_plain(length)})"
    elif "scale" in fields:
        name = f"{name}({_plain(fields['precision'])}, {_plain(fields['scale'])})"
    elif "precision" in fields:
        name = f"{name}({_plain(fields['precision'])})"
    elif "elementType" in fields:
        name = f"{name}<{type_text(fields['elementType'])}>"
    elif "keyType" in fields:
        name = f"{name}<{type_text(fields['keyType'])}, {type_text(fields['valueType'])}>"
    elif simple == "RowType":
        name = f"ROW<{', '.join(_row_field(field) for field in _elements(fields.get('fields')))}>"
    return name + nullable


def _row_field(field: JavaValue) -> str:
    if not isinstance(field, JavaObject):
        return _plain(field)
    comment = field.fields.get("description")
    suffix = f" '{comment}'" if isinstance(comment, str) else ""
    return f"{_plain(field.fields.get('name'))} {type_text(field.fields.get('type'))}{suffix}"


def _elements(value: JavaValue) -> Iterator[JavaValue]:
    """The elements of a list, whatever list it is."""
    if isinstance(value, JavaArray):
        yield from value.elements
    elif isinstance(value, JavaObject):
        for inner in ("list", "c", "a"):
            if inner in value.fields:
                yield from _elements(value.fields[inner])
                return
        yield from (value for value in value.written if not isinstance(value, bytes))


def _object(value: JavaObject) -> str:
    parts = [f"{name}: {type_text(value)}" for name, value in sorted(value.fields.items()) if name not in _NOT_COMPARED]
    parts += [type_text(value) for value in value.written]
    return f"{value.class_name.rpartition('.')[2]}({', '.join(parts)})"


def _plain(value: JavaValue) -> str:
    if isinstance(value, JavaEnum):
        return value.constant
    if isinstance(value, ClassDescription):
        return value.name
    if isinstance(value, JavaArray):
        return f"[{', '.join(type_text(element) for element in value.elements)}]"
    return value.hex() if isinstance(value, bytes) else str(value)


def comparator_text(value: JavaValue) -> str:
    """What the comparator of a sorted map orders by: ``ComparableRecordComparator.equals`` compares just this."""
    if not isinstance(value, JavaObject):
        return _plain(value)
    wanted = ("compareKeyPositions", "compareKeyTypes", "compareOrders", "nullsIsLast")
    if not all(name in value.fields for name in wanted):
        return _object(value)
    return " ".join(f"{name}={type_text(value.fields[name])}" for name in wanted)
