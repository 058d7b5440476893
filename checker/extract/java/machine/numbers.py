"""Java's primitive types and their boxes: conversions, overflow, and how numbers are printed."""

import math
import struct
from typing import Final

from checker.extract.java.machine.values import Constant, ExternalObject, Value
from checker.extract.java.syntax.type_refs import BOXES, UNBOXED

_BITS: Final = {"byte": 8, "short": 16, "char": 16, "int": 32, "long": 64}


def _single(value: float) -> float:
    """The nearest ``float``."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


WHOLE: Final = frozenset({"byte", "short", "int", "long"})


def primitive(java: str) -> str:
    """The primitive type of a box, other types as they are."""
    return UNBOXED.get(java, java)


def boxed(value: Value) -> Value:
    """A value as a collection or a variable of a reference type holds it."""
    if isinstance(value, Constant) and value.java in BOXES:
        return Constant(value.value, BOXES[value.java])
    return value


def unboxed(value: Value) -> Value:
    """A value as an operator takes it."""
    if isinstance(value, Constant) and value.java in UNBOXED:
        return Constant(value.value, UNBOXED[value.java])
    return value


def wrap(value: int, java: str) -> int:
    """Two's complement overflow of a whole type."""
    bits = _BITS.get(java, 32)
    value &= (1 << bits) - 1
    return value - (1 << bits) if java != "char" and value >> (bits - 1) else value


def number(value: Value) -> int | float | None:
    """The number that a known primitive or its box is, a char as its code; None for everything else."""
    if not isinstance(value, Constant) or isinstance(value.value, bool) or value.value is None:
        return None
    if isinstance(value.value, str):
        return ord(value.value) if primitive(value.java) == "char" and len(value.value) == 1 else None
    return value.value


def whole(value: Value) -> int | None:
    """The same for whole numbers only."""
    found = number(value)
    return found if isinstance(found, int) else None


def constant(value: float | str | bool, java: str) -> Constant:
    """A constant of a primitive type, wrapped or rounded to it."""
    if java in WHOLE and not isinstance(value, str | float):
        return Constant(wrap(value, java), java)
    if java == "float" and isinstance(value, int | float):
        return Constant(_single(value), java)
    if java == "double" and isinstance(value, int | float):
        return Constant(float(value), java)
    return Constant(value, java)


def convert(value: Constant, java: str) -> Constant:
    """A cast to a primitive type: truncating, saturating, wrapping as Java does."""
    found = number(value)
    if found is None or primitive(value.java) == java:
        return Constant(value.value, java) if primitive(value.java) == java else value
    if java in ("double", "float"):
        return constant(float(found), java)
    if isinstance(found, float):
        target = "long" if java == "long" else "int"
        limit = 1 << (_BITS[target] - 1)
        found = 0 if math.isnan(found) else int(max(-limit, min(limit, found)))
        found = min(found, limit - 1)
    result = wrap(found, java)
    return Constant(chr(result) if java == "char" else result, java)


SECOND: Final = 1_000_000_000
UNITS: Final = {
    "Nanos": 1, "Millis": 1_000_000, "Seconds": SECOND, "Minutes": 60 * SECOND, "Hours": 3_600 * SECOND,
    "Days": 86_400 * SECOND,
}  # fmt: skip
"""Nanoseconds by what follows ``of`` and ``to`` in the names of methods."""
_OF_FLINK: Final = {"milliseconds": 1_000_000, **{name.lower(): n for name, n in UNITS.items() if name != "Millis"}}


def nanoseconds(value: Value) -> int | None:
    """Its length; None for other objects, and where it is not known or computed of another one."""
    if not isinstance(value, ExternalObject) or value.arguments or not value.calls:
        return None
    (made, given), *changes = value.calls
    amount = whole(given[0]) if len(given) == 1 else None
    if value.type.simple == "Time":
        return amount * _OF_FLINK[made] if amount is not None and made in _OF_FLINK and not changes else None
    if value.type.simple != "Duration":
        return None
    nanos: int | None = None
    if made == "ZERO" and not given:
        nanos = 0
    elif amount is not None and made.removeprefix("of") in UNITS:
        nanos = amount * UNITS[made.removeprefix("of")]
    return None if changes else nanos
