"""Reading Java's object streams, as checkpoint properties and SQL serializers hold them, without running anything.

Java Object Serialization Specification, section 6. Objects become plain records of names and values, with what a class
writes itself (``writeObject``) beside them. Proxies and classes that are ``Externalizable`` are refused.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TypeAlias

from checker.savepoint.cursor import Cursor

STREAM_HEADER = 0xACED0005

_NULL, _REFERENCE, _CLASS, _OBJECT, _STRING, _ARRAY, _CLASS_OBJECT = 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76
_BLOCK, _END_BLOCK, _LONG_BLOCK, _LONG_STRING, _ENUM = 0x77, 0x78, 0x7A, 0x7C, 0x7E
_BASE_HANDLE = 0x7E0000
_WRITES_ITSELF, _EXTERNALIZABLE = 0x01, 0x04
_MAX_DEPTH = 96
_MAX_FIELDS = 256
_MAX_ELEMENTS = 1 << 20


@dataclass(frozen=True, slots=True)
class ClassDescription:
    """A class as the stream describes it: fields as (type code, name), super classes behind it."""

    name: str
    fields: tuple[tuple[str, str], ...]
    parent: ClassDescription | None
    writes_itself: bool = False


@dataclass(frozen=True, slots=True)
class JavaObject:
    """An object: its class and the values of its fields, inherited ones included."""

    class_name: str
    fields: dict[str, JavaValue]
    written: list[JavaValue]
    """What its classes wrote themselves, in order."""


@dataclass(frozen=True, slots=True)
class JavaArray:
    """An array: the name of its class and its elements."""

    class_name: str
    elements: list[JavaValue]


@dataclass(frozen=True, slots=True)
class JavaEnum:
    """A constant of an enum class."""

    class_name: str
    constant: str


JavaValue: TypeAlias = JavaObject | JavaArray | JavaEnum | ClassDescription | bytes | str | int | float | bool | None


class ObjectStream:
    """One object stream at the cursor's position. Raises SavepointError on anything unexpected."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._handles: list[JavaValue] = []

    def read(self) -> JavaValue:
        """The first object of the stream."""
        position = self._cursor.position
        if self._cursor.i32() & 0xFFFFFFFF != STREAM_HEADER:
            raise self._cursor.damage("no Java object stream where one must be", position)
        return self._value(0)

    def _code(self) -> int:
        return self._cursor.i8() & 0xFF

    def _value(self, depth: int) -> JavaValue:
        if depth > _MAX_DEPTH:
            raise self._cursor.damage("a Java object nested too deeply")
        code = self._code()
        if code == _NULL:
            return None
        if code == _STRING:
            text = self._cursor.utf("a Java string")
            self._handles.append(text)
            return text
        if code == _LONG_STRING:
            text = self._cursor.take(self._cursor.size_field("a Java string")).decode("utf-8", "replace")
            self._handles.append(text)
            return text
        if code == _REFERENCE:
            return self._reference()
        if code == _ARRAY:
            return self._array(depth)
        if code == _CLASS_OBJECT:
            described = self._class(depth + 1)
            self._handles.append(described)
            return described
        if code == _ENUM:
            description = self._class(depth + 1)
            place = len(self._handles)
            self._handles.append(None)
            constant = self._value(depth + 1)
            if description is None or not isinstance(constant, str):
                raise self._cursor.damage("a Java enum without class or name")
            result = JavaEnum(description.name, constant)
            self._handles[place] = result
            return result
        if code == _OBJECT:
            return self._object(depth)
        raise self._cursor.damage(f"an unexpected code 0x{code:02x} in a Java object stream", self._cursor.position - 1)

    def _object(self, depth: int) -> JavaObject:
        description = self._class(depth + 1)
        if description is None:
            raise self._cursor.damage("a Java object without class")
        result = JavaObject(description.name, {}, [])
        self._handles.append(result)
        chain: list[ClassDescription] = []
        part: ClassDescription | None = description
        while part is not None:
            chain.append(part)
            part = part.parent
        for owner in reversed(chain):
            for kind, name in owner.fields:
                result.fields[name] = self._field(kind, depth)
            if owner.writes_itself:
                result.written.extend(self._annotation(depth))
        return result

    def _annotation(self, depth: int) -> list[JavaValue]:
        """What a class wrote beside its fields, up to the mark of its end: objects, and bytes as they are."""
        found: list[JavaValue] = []
        while True:
            code = self._code()
            if code == _END_BLOCK:
                return found
            if code in (_BLOCK, _LONG_BLOCK):
                found.append(self._cursor.take(self._code() if code == _BLOCK else self._cursor.i32(), "block data"))
            else:
                self._cursor.seek(self._cursor.position - 1)
                found.append(self._value(depth + 1))

    def _array(self, depth: int) -> JavaArray:
        description = self._class(depth + 1)
        if description is None:
            raise self._cursor.damage("a Java array without class")
        result = JavaArray(description.name, [])
        self._handles.append(result)
        count = self._cursor.i32()
        if not 0 <= count <= _MAX_ELEMENTS:
            raise self._cursor.damage(f"a Java array of {count} elements")
        for _ in range(count):
            result.elements.append(self._field(description.name[1:2], depth))
        return result

    def _field(self, kind: str, depth: int) -> JavaValue:
        cursor = self._cursor
        if kind == "Z":
            return cursor.i8() != 0
        if kind == "B":
            return cursor.i8()
        if kind in "SC":
            return cursor.i16()
        if kind == "I":
            return cursor.i32()
        if kind == "J":
            return cursor.i64()
        if kind in "FD":
            raw = cursor.take(4 if kind == "F" else 8)
            return float(struct.unpack(">f" if kind == "F" else ">d", raw)[0])
        if kind in "L[":
            return self._value(depth + 1)
        raise cursor.damage(f"a field of unexpected type {kind!r} in a Java object")

    def _class(self, depth: int) -> ClassDescription | None:
        cursor = self._cursor
        if depth > _MAX_DEPTH:
            raise cursor.damage("Java classes nested too deeply")
        code = self._code()
        if code == _NULL:
            return None
        if code == _REFERENCE:
            value = self._reference()
            if not isinstance(value, ClassDescription):
                raise cursor.damage("a Java object where a class must be")
            return value
        if code != _CLASS:
            raise cursor.damage(f"an unexpected code 0x{code:02x} for a Java class", cursor.position - 1)
        name = cursor.utf("a Java class name")
        cursor.i64()
        place = len(self._handles)
        self._handles.append(None)
        flags = self._code()
        count = cursor.i16()
        if flags & _EXTERNALIZABLE or not 0 <= count <= _MAX_FIELDS:
            raise cursor.damage(f"a Java class {name} that writes its own format")
        fields: list[tuple[str, str]] = []
        for _ in range(count):
            kind = chr(self._code())
            field = cursor.utf("a field name")
            if kind in "L[":
                self._value(depth + 1)
            fields.append((kind, field))
        self._annotation(depth)
        description = ClassDescription(
            name, tuple(fields), self._class(depth + 1), writes_itself=bool(flags & _WRITES_ITSELF)
        )
        self._handles[place] = description
        return description

    def _reference(self) -> JavaValue:
        number = self._cursor.i32() - _BASE_HANDLE
        if not 0 <= number < len(self._handles):
            raise self._cursor.damage("a Java reference to nothing")
        return self._handles[number]
