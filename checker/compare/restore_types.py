"""A type as source code spells it, held against the serializer that a state was written with.

Only what is certain is told: a basic type has exactly one serializer, and a class needs a serializer for that class.
Type variables, generic classes and fields of the same class are left open, with the reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from checker.model.savepoint import SerializerSnapshot

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


def compare_type(spelled: str | None, snapshot: SerializerSnapshot | None) -> TypeComparison:
    """A declared type against the snapshot of the serializer that wrote the state."""
    if snapshot is None or not snapshot.read:
        return TypeComparison(Likeness.OPEN, "the serializer that wrote it could not be read")
    name = simple_name(spelled) if spelled else None
    if spelled is None or name is None:
        return TypeComparison(Likeness.OPEN, f"its new type is not certain ({spelled or 'not given'})")
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
