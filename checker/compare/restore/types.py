"""A type as source code spells it, held against the serializer that a state was written with.

Only what is certain is told: a basic type has exactly one serializer, and a class needs a serializer for that class.
The program's own classes are compared field by field where their shapes are known, by the rules of ``class_fit``. Type
variables and generic classes are left open, with the reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from checker.compare.fit.types import classes_in
from checker.model.savepoint import SerializerSnapshot
from checker.model.topology import ClassShape, Serialization, Unknown

_BASIC_PACKAGE = "org.apache.flink.api.common.typeutils.base."
_BASIC = {
    "String": "StringSerializer",
    "Boolean": "BooleanSerializer",
    "Byte": "ByteSerializer",
    "Short": "ShortSerializer",
    "Integer": "IntSerializer",
    "Long": "LongSerializer",
    "Float": "FloatSerializer",
    "Double": "DoubleSerializer",
    "Character": "CharSerializer",
    "BigDecimal": "BigDecSerializer",
    "BigInteger": "BigIntSerializer",
    "Date": "DateSerializer",
    "Instant": "InstantSerializer",
    "LocalDate": "LocalDateSerializer",
    "LocalDateTime": "LocalDateTimeSerializer",
    "LocalTime": "LocalTimeSerializer",
}
"""Simple class names to the serializer that ``BasicTypeInfo`` and ``LocalTimeTypeInfo`` give them."""
_SPELLINGS = {
    "int": "Integer",
    "char": "Character",
    "INT": "Integer",
    "CHAR": "Character",
    "BIG_DEC": "BigDecimal",
    "BIG_INT": "BigInteger",
    "LOCAL_DATE_TIME": "LocalDateTime",
    "LOCAL_DATE": "LocalDate",
    "LOCAL_TIME": "LocalTime",
    **{k.lower(): k for k in ("Boolean", "Byte", "Short", "Long", "Float", "Double")},
    **{k.upper(): k for k in ("String", "Boolean", "Byte", "Short", "Long", "Float", "Double", "Instant")},
}
_CLASS = re.compile(r"(?:[A-Za-z_$][\w$]*\.)*([A-Za-z_$][\w$]*)")
_TYPE_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,4}")
_NAMED_TYPE = ("PojoSerializerSnapshot", "KryoSerializerSnapshot")


class Likeness(StrEnum):
    """Whether the new serializer takes what the old one wrote."""

    SAME = "same"
    DIFFERENT = "different"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class TypeComparison:
    """The answer, with what the state was written as and why it is open or different."""

    likeness: Likeness
    reason: str = ""


def simple_name(spelled: str) -> str | None:
    """The simple class name of a type as programs spell it; None for type variables, generics and arrays."""
    text = spelled.strip().removesuffix("()")
    for wrapper in (r"TypeInformation\.of\((.+)\)", r"Types\.POJO\((.+)\)", r"Types\.GENERIC\((.+)\)"):
        if match := re.fullmatch(wrapper, text):
            text = match[1]
    text = text.removesuffix(".class").removesuffix("_TYPE_INFO")
    match = _CLASS.fullmatch(text)
    if not match:
        return None
    qualified = "." in text
    name = match[1]
    if name in _SPELLINGS and (not qualified or text.startswith(("Types.", "BasicTypeInfo.", "LocalTimeTypeInfo."))):
        return _SPELLINGS[name]
    if not qualified and _TYPE_VARIABLE.fullmatch(name):
        return None
    return name


def compare_type(
    spelled: str | None, snapshot: SerializerSnapshot | None, classes: tuple[ClassShape, ...] = ()
) -> TypeComparison:
    """A declared type against the snapshot of the serializer that wrote the state. ``classes``: the program's own."""
    if snapshot is None or not snapshot.read:
        return TypeComparison(Likeness.OPEN, "the serializer that wrote it could not be read")
    name = simple_name(spelled) if spelled else None
    if spelled is None or name is None:
        return TypeComparison(Likeness.OPEN, f"its new type is not certain ({spelled or 'not given'})")
    own = classes_in(name, classes)
    if own and snapshot.type_name:
        return _compare_class(own[0], snapshot, classes)
    written = written_as(snapshot)
    wanted = _BASIC.get(name)
    short = snapshot.class_name.rsplit(".", 1)[-1].split("$", 1)[0]
    is_basic = snapshot.class_name.startswith(_BASIC_PACKAGE) and short in _BASIC.values()
    if wanted is not None and is_basic:
        return TypeComparison(Likeness.SAME if short == wanted else Likeness.DIFFERENT, f"written as {written}")
    if wanted is not None and short in _NAMED_TYPE:
        return TypeComparison(Likeness.DIFFERENT, f"written as {written}")
    if wanted is None and is_basic:
        return TypeComparison(Likeness.DIFFERENT, f"written as {written}")
    if wanted is None and short in _NAMED_TYPE and snapshot.type_name:
        if snapshot.type_name.rsplit(".", 1)[-1].rsplit("$", 1)[-1] != name:
            return TypeComparison(Likeness.DIFFERENT, f"written as {written}")
        return TypeComparison(Likeness.OPEN, f"same class; whether its fields still fit {written} is not compared")
    return TypeComparison(Likeness.OPEN, f"written by {snapshot.short_name}, which is not compared with {spelled}")


def _compare_class(shape: ClassShape, snapshot: SerializerSnapshot, classes: tuple[ClassShape, ...]) -> TypeComparison:
    now, before = shape.serialization, _serialization(snapshot)
    if isinstance(now, Unknown) or before is None:
        reason = now.reason if isinstance(now, Unknown) else f"{snapshot.short_name} is not compared with classes"
        return TypeComparison(Likeness.OPEN, reason)
    if now is not before or shape.name != snapshot.type_name:
        return TypeComparison(Likeness.DIFFERENT, f"{shape.name} is not what was written as {written_as(snapshot)}")
    if now is Serialization.GENERIC:
        return TypeComparison(Likeness.OPEN, "Kryo wrote it, and does not notice whether the fields still fit")
    gone = [c for c in snapshot.constants if c not in shape.constants]
    if gone:
        return TypeComparison(Likeness.DIFFERENT, f"constant {', '.join(gone)} of {shape.name} is gone")
    found = [_compare_field(shape, name, field, classes) for name, field in snapshot.fields]
    for likeness in (Likeness.DIFFERENT, Likeness.OPEN):
        for one in found:
            if one.likeness is likeness:
                return one
    return TypeComparison(Likeness.SAME)


def _compare_field(
    shape: ClassShape, name: str, written: SerializerSnapshot | None, classes: tuple[ClassShape, ...]
) -> TypeComparison:
    said = f"field {name} of {shape.name}"
    if name in (f.name for f in shape.unwritten):
        return TypeComparison(Likeness.DIFFERENT, f"{said} is transient or static now")
    field = next((f for f in shape.fields if f.name == name), None)
    if field is None:
        return TypeComparison(Likeness.SAME, f"{said} is gone: its values are dropped")
    if written is not None and written.type_name == shape.name and not field.generic:
        return TypeComparison(Likeness.SAME, "itself again")
    found = compare_type(field.type, written, classes)
    if found.likeness is Likeness.SAME:
        return found
    was = written_as(written) if written is not None else "?"
    return TypeComparison(found.likeness, f"{said} was {was} and is {field.type}")


def _serialization(snapshot: SerializerSnapshot) -> Serialization | None:
    short = snapshot.class_name.rsplit(".", 1)[-1].rsplit("$", 1)[-1]
    return {
        "PojoSerializerSnapshot": Serialization.POJO,
        "KryoSerializerSnapshot": Serialization.GENERIC,
        "EnumSerializerSnapshot": Serialization.ENUM,
    }.get(short)


def written_as(snapshot: SerializerSnapshot) -> str:
    """The type that a serializer writes, for people: ``Long``, ``POJO lab.Person {age: Int, name: String}``."""
    if snapshot.fields:
        fields = ", ".join(f"{name}: {field.short_name if field else '?'}" for name, field in snapshot.fields)
        return f"POJO {snapshot.type_name} {{{fields}}}"
    if snapshot.type_name:
        return f"{snapshot.short_name} {snapshot.type_name}"
    if snapshot.nested:
        return f"{snapshot.short_name}<{', '.join(written_as(n) for n in snapshot.nested)}>"
    return snapshot.short_name
