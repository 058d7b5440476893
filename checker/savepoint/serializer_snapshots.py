"""Serializer snapshots: which serializer wrote a state, read without the class that wrote it.

A snapshot is a class name, a version, and a body whose length is not marked, so its shape has to be known.
Flink's own snapshots are; an unknown one (a custom serializer) is tried as a composite, then as one without a body,
and at last the reader gives up with ``UnknownSnapshot``, so that the header reader can look for the next state.

SQL types in them become the text that Flink's SQL has for them. Two have equal texts exactly where Flink's
``LogicalType.equals`` holds them for equal: nullability, lengths, precisions, names and order of fields count,
whether a timestamp is a time attribute does not.
"""

from collections.abc import Callable, Iterator

from checker.model.state_handles import PojoField, SerializerSnapshot
from checker.savepoint.cursor import Cursor
from checker.savepoint.java_object import ClassDescription, JavaArray, JavaEnum, JavaObject, JavaValue, ObjectStream

_NAMES = {"LocalZonedTimestampType": "TIMESTAMP_LTZ", "ZonedTimestampType": "TIMESTAMP_TZ"}
_UNBOUNDED = {"VARCHAR(2147483647)": "STRING", "VARBINARY(2147483647)": "BYTES"}
_NOT_COMPARED = frozenset({"isNullable", "typeRoot", "kind", "description"})


def type_text(value: JavaValue) -> str:
    """``INT NOT NULL``, ``ROW<a BIGINT, b STRING>``; anything that is no type by its class and fields."""
    if not isinstance(value, JavaObject):
        return _plain(value)
    simple = value.class_name.rpartition(".")[2]
    fields = value.fields
    nullable = "" if fields.get("isNullable", True) is not False else " NOT NULL"
    if simple in ("RawType", "TypeInformationRawType"):  # the serializer inside has a snapshot of its own
        return f"RAW({_plain(fields.get('clazz') or fields.get('typeInfo'))}){nullable}"
    if value.class_name.startswith("java.util."):
        return ", ".join(type_text(element) for element in _elements(value))
    if "$" in simple and {"name", "type"} <= fields.keys():
        return _row_field(value)
    compared = [fields[name] for name in sorted(fields) if name not in _NOT_COMPARED]
    name = _NAMES.get(simple, simple.removesuffix("Type").upper()) if "typeRoot" in fields else simple
    if simple == "StructuredType":
        name, compared = _plain(fields.get("implementationClass")).rpartition(".")[2], [fields.get("attributes")]
    inner = ", ".join(type_text(part) for part in (*compared, *value.written))
    nested = any(isinstance(part, JavaObject) for part in compared)
    text = f"{name}<{inner}>" if nested else f"{name}({inner})" if inner else name
    return _UNBOUNDED.get(text, text) + nullable


def _row_field(field: JavaObject) -> str:
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
        return type_text(value)
    return " ".join(f"{name}={type_text(value.fields[name])}" for name in wanted)


SNAPSHOT_VERSION = 2
"""``TypeSerializerSnapshotSerializationUtil``: what stands in front of a versioned snapshot."""
_COMPOSITE_MAGIC = 911108
_NESTED_MAGIC = 1333245
_NESTED_VERSION = 1
_OPTIONAL_MAP_MAGIC = 0x4F2C69A3D70
_MAX_DEPTH = 32
_MAX_NESTED = 4096
_TABLE_SERIALIZERS = "org.apache.flink.table.runtime.typeutils."
_WRITTEN_TYPES = {
    "RowDataSerializerSnapshot": 0,
    "ArrayDataSerializerSnapshot": 1,
    "MapDataSerializerSnapshot": 2,
    "SortedMapSerializerSnapshot": 1,
}
"""Java objects in front of the nested serializers: SQL types, or a comparator; a row says how many."""
_WITH_SERIALIZERS = ("ArrayDataSerializerSnapshot", "MapDataSerializerSnapshot")

_GENERIC_TYPE = ("ValueSerializerSnapshot", "WritableSerializerSnapshot", "CopyableValueSerializerSnapshot")


class UnknownSnapshot(Exception):  # noqa: N818 - a signal between two readers, not an error of the user
    """A snapshot whose body can't be understood; carries what is known: its class and version."""

    def __init__(self, snapshot: SerializerSnapshot) -> None:
        super().__init__(snapshot.class_name)
        self.snapshot = snapshot


class SnapshotReader:
    """Reads snapshots at the cursor. ``continues`` tells whether what follows could be the end of a body."""

    def __init__(self, cursor: Cursor, continues: Callable[[int], bool]) -> None:
        self._cursor = cursor
        self._continues = continues

    def versioned(self) -> SerializerSnapshot:
        """A snapshot behind its i32 2. Raises SavepointError or UnknownSnapshot."""
        position = self._cursor.position
        if self._cursor.i32() != SNAPSHOT_VERSION:
            raise self._cursor.damage("no serializer snapshot where one must be", position)
        return self.snapshot(0)

    def snapshot(self, depth: int) -> SerializerSnapshot:
        """A snapshot without that prefix, as composites nest them."""
        cursor = self._cursor
        position = cursor.position
        if depth > _MAX_DEPTH:
            raise cursor.damage("serializers nested too deeply")
        name, version = cursor.utf("a serializer snapshot's class"), cursor.i32()
        if not _plausible_class(name) or not 0 <= version < 1000:
            raise cursor.damage("no serializer snapshot where one must be", position)
        short = name.rsplit(".", 1)[-1]
        if short == "PojoSerializerSnapshot":
            return self._pojo(name, version, depth)
        if short == "KryoSerializerSnapshot":
            return self._kryo(name, version)
        if short.endswith("EnumSerializerSnapshot") and name.startswith("org.apache.flink."):
            return self._enum(name, version)
        if short == "AvroSerializerSnapshot":
            return self._avro(name, version)
        if name.startswith(_TABLE_SERIALIZERS):
            found = self._table(name, version, short.rsplit("$", 1)[-1], depth)
            if found is not None:
                return found
        if short.rsplit("$", 1)[-1] in _GENERIC_TYPE:
            return SerializerSnapshot(class_name=name, version=version, type_name=cursor.utf("a class name"))
        if self._peek_i32() == _COMPOSITE_MAGIC:
            return self._composite(name, version, short, depth)
        return self._without_body(name, version)

    def _peek_i32(self) -> int | None:
        cursor = self._cursor
        if cursor.remaining < 4:
            return None
        value = cursor.i32()
        cursor.seek(cursor.position - 4)
        return value

    def _without_body(self, name: str, version: int) -> SerializerSnapshot:
        """``SimpleTypeSerializerSnapshot`` (2: the serializer's class, 3: nothing) and whatever looks like one."""
        cursor = self._cursor
        known = SerializerSnapshot(class_name=name, version=version)
        if self._continues(cursor.position):
            return known
        position = cursor.position
        if version == 2 and cursor.remaining >= 2:
            length = cursor.i16()
            if 0 < length <= cursor.remaining and _plausible_class(cursor.take(length).decode("latin-1")):
                return known
            cursor.seek(position)
        raise UnknownSnapshot(SerializerSnapshot(class_name=name, version=version, read=False))

    def _composite(self, name: str, version: int, short: str, depth: int) -> SerializerSnapshot:
        cursor = self._cursor
        cursor.i32()
        outer = cursor.i32()
        type_name = None
        if short == "TupleSerializerSnapshot" or short.endswith("CaseClassSerializerSnapshot"):
            type_name = cursor.utf("a tuple class")
        elif short == "GenericArraySerializerSnapshot":
            type_name = cursor.utf("a component class")
        elif short == "NullableSerializerSnapshot" or short.endswith("$NullableSerializerSnapshot"):
            cursor.i32()
        elif short == "RowSerializerSnapshot" or short.endswith("$RowSerializerSnapshot"):
            cursor.skip(1 if outer >= 4 else 0)
        if self._peek_i32() != _NESTED_MAGIC:
            self._find_nested(SerializerSnapshot(class_name=name, version=version, read=False), 1 << 16)
        return SerializerSnapshot(class_name=name, version=version, nested=self._nested(depth), type_name=type_name)

    def _table(self, name: str, version: int, short: str, depth: int) -> SerializerSnapshot | None:
        """A serializer of Flink's SQL runtime that tells its types; None for those that are like any other."""
        cursor = self._cursor
        if short == "DecimalSerializerSnapshot":
            decimal = f"DECIMAL({cursor.i32()}, {cursor.i32()})"
            return SerializerSnapshot(class_name=name, version=version, types=(decimal,))
        if short == "TimestampDataSerializerSnapshot":
            return SerializerSnapshot(class_name=name, version=version, types=(f"TIMESTAMP({cursor.i32()})",))
        count = _WRITTEN_TYPES.get(short)
        if count is None:
            return None
        if short == "RowDataSerializerSnapshot":
            count = cursor.count("types", each=2)
        text = comparator_text if short == "SortedMapSerializerSnapshot" else type_text
        types = tuple(text(ObjectStream(cursor).read()) for _ in range(count))
        if short in _WITH_SERIALIZERS:  # as Java objects, which follow from the types
            for _ in range(count):
                ObjectStream(cursor).read()
            return SerializerSnapshot(class_name=name, version=version, types=types)
        return SerializerSnapshot(class_name=name, version=version, types=types, nested=self._nested(depth))

    def _find_nested(self, unknown: SerializerSnapshot, limit: int) -> None:
        cursor = self._cursor
        start = cursor.position
        found = cursor.take(min(limit, cursor.remaining)).find(
            _NESTED_MAGIC.to_bytes(4, "big") + _NESTED_VERSION.to_bytes(4, "big")
        )
        if found < 0:
            cursor.seek(start)
            raise UnknownSnapshot(unknown)
        cursor.seek(start + found)

    def _nested(self, depth: int) -> tuple[SerializerSnapshot, ...]:
        cursor = self._cursor
        position = cursor.position
        if cursor.i32() != _NESTED_MAGIC or cursor.i32() != _NESTED_VERSION:
            raise cursor.damage("no nested serializers where they must be", position)
        count = cursor.count("nested serializers", each=6)
        if count > _MAX_NESTED:
            raise cursor.damage(f"{count} nested serializers", position)
        return tuple(self.snapshot(depth + 1) for _ in range(count))

    def _pojo(self, name: str, version: int, depth: int) -> SerializerSnapshot:
        type_name = self._cursor.utf("a POJO class")
        fields = []
        for field, owner, frame in self._optional_map():
            written = None if frame is None else self._framed(frame, depth)
            fields.append(PojoField(field, written, self._declaring_class(owner)))
        for _ in range(2):
            for _entry in self._optional_map():
                pass
        return SerializerSnapshot(class_name=name, version=version, type_name=type_name, fields=tuple(fields))

    def _declaring_class(self, frame: tuple[int, int] | None) -> str | None:
        """What ``PojoFieldUtils.writeField`` writes first."""
        if frame is None or frame[1] < 2:
            return None
        cursor = self._cursor
        back = cursor.position
        cursor.seek(frame[0])
        try:
            return cursor.utf("a declaring class") or None
        finally:
            cursor.seek(back)

    def _framed(self, frame: tuple[int, int], depth: int) -> SerializerSnapshot | None:
        """A snapshot inside a frame of known length: unknown makes are only noted."""
        cursor = self._cursor
        start, length = frame
        back = cursor.position
        cursor.seek(start)
        reader = SnapshotReader(cursor, lambda position: position == start + length or self._continues(position))
        try:
            return reader.snapshot(depth + 1)
        except UnknownSnapshot as unknown:
            return unknown.snapshot
        finally:
            cursor.seek(back)

    def _optional_map(self) -> list[tuple[str, tuple[int, int] | None, tuple[int, int] | None]]:
        """Keys of an ``OptionalMap`` and where their two values lie (position, length); None where absent."""
        cursor = self._cursor
        position = cursor.position
        if cursor.i64() != _OPTIONAL_MAP_MAGIC:
            raise cursor.damage("no optional map where one must be", position)
        entries: list[tuple[str, tuple[int, int] | None, tuple[int, int] | None]] = []
        for _ in range(cursor.count("map entries", each=4)):
            key = cursor.utf("a map key")
            frames: list[tuple[int, int] | None] = []
            for _value in range(2):
                if not cursor.flag("the presence of a value"):
                    frames.append(None)
                    continue
                length = cursor.i32()
                frames.append((cursor.skip(length, "a map value"), length))
            entries.append((key, frames[0], frames[1]))
        return entries

    def _kryo(self, name: str, version: int) -> SerializerSnapshot:
        type_name = self._cursor.utf("a class name")
        for _ in range(3):
            self._optional_map()
        return SerializerSnapshot(class_name=name, version=version, type_name=type_name)

    def _enum(self, name: str, version: int) -> SerializerSnapshot:
        cursor = self._cursor
        type_name = cursor.utf("an enum class")
        constants = tuple(cursor.utf("a constant") for _ in range(cursor.count("constants", each=2)))
        return SerializerSnapshot(class_name=name, version=version, type_name=type_name, constants=constants)

    def _avro(self, name: str, version: int) -> SerializerSnapshot:
        cursor = self._cursor
        type_name = cursor.utf("a class name") if version >= 2 else None
        if version >= 3:
            size = cursor.i32()
            schema = cursor.take(size, "an Avro schema").decode("utf-8", "replace")
        else:
            schema = cursor.utf("an Avro schema")
        return SerializerSnapshot(class_name=name, version=version, type_name=type_name, schema=schema)


def _plausible_class(name: str) -> bool:
    """Whether a string can be a Java class name in a package (a class without one has no dot)."""
    return 0 < len(name) < 1024 and all(c.isalnum() or c in "._$-" for c in name)
