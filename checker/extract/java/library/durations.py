"""``java.time.Duration``: computed wherever all that it is made of is known."""

from __future__ import annotations

from checker.extract.java.library.contents import NotKnown, sure
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.numbers import SECOND, UNITS, nanoseconds
from checker.extract.java.machine.values import ExternalObject, Value, boolean, depends_of, integer, string


def call(receiver: Value, request: Call) -> Value | None:
    """What a duration answers; None where that is not known, and for calls that give another duration."""
    if not isinstance(receiver, ExternalObject) or receiver.type.simple != "Duration":
        return None
    name, given = request.name, request.arguments
    try:
        nanos = _nanos(receiver)
        if name in ("compareTo", "equals") and len(given) == 1:
            operand = _nanos(given[0])
            order = (nanos > operand) - (nanos < operand)
            return boolean(order == 0) if name == "equals" else integer(order)
    except NotKnown:
        return None
    unit = "Seconds" if name == "getSeconds" else name.removeprefix("to")
    if given:
        return None
    match name:
        case "isZero":
            return boolean(nanos == 0, depends_of(receiver))
        case "isNegative":
            return boolean(nanos < 0, depends_of(receiver))
        case "toString":
            return text(receiver)
    if unit not in UNITS or nanos < 0:  # versions of Java round negative ones differently
        return None
    return numbers.constant(nanos // UNITS[unit], "long", depends_of(receiver))


def _nanos(value: Value) -> int:
    """Its length in nanoseconds. Raises NotKnown."""
    plain = isinstance(value, ExternalObject) and value.type.simple == "Duration"
    return sure(nanoseconds(value) if plain else None)


def text(value: Value) -> Value | None:
    """``PT1H30M0.5S``, as ``toString`` prints it; None for other objects and where it is not known."""
    try:
        nanos = _nanos(value)
    except NotKnown:
        return None
    return string(_text(nanos), depends_of(value)) if nanos >= 0 else None


def _text(nanos: int) -> str:
    if nanos == 0:
        return "PT0S"
    seconds, rest = divmod(nanos, SECOND)
    parts = [f"{seconds // 3600}H"] if seconds >= 3600 else []
    parts += [f"{seconds % 3600 // 60}M"] if seconds % 3600 >= 60 else []
    if seconds % 60 or rest:
        parts.append(f"{seconds % 60}{f'.{rest:09}'.rstrip('0') if rest else ''}S")
    return "PT" + "".join(parts)
