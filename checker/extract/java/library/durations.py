"""``java.time.Duration``: computed wherever all that it is made of is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from checker.extract.java.library.contents import NotKnown
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.values import ExternalObject, Value, boolean, depends_of, integer, string

_SECOND: Final = 1_000_000_000
_UNITS: Final = {
    "Nanos": 1, "Millis": 1_000_000, "Seconds": _SECOND, "Minutes": 60 * _SECOND, "Hours": 3_600 * _SECOND,
    "Days": 86_400 * _SECOND,
}  # fmt: skip
"""Nanoseconds by what follows ``of``, ``plus``, ``minus`` and ``to`` in the names of methods."""


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
    if unit not in _UNITS or nanos < 0:  # versions of Java round negative ones differently
        return None
    return numbers.constant(nanos // _UNITS[unit], "long", depends_of(receiver))


_CHANGES: Final[dict[str, Callable[[int], int]]] = {"negated": lambda nanos: -nanos, "abs": abs}


def _nanos(value: Value) -> int:
    """Its length in nanoseconds. Raises NotKnown."""
    if not isinstance(value, ExternalObject) or value.type.simple != "Duration" or value.arguments or not value.calls:
        raise NotKnown
    (made, given), *changes = value.calls
    if made == "ZERO" and not given:
        nanos = 0
    elif made.removeprefix("of") in _UNITS and len(given) == 1:
        nanos = _whole(given[0]) * _UNITS[made.removeprefix("of")]
    else:
        raise NotKnown
    for name, arguments in changes:
        sign = -1 if name.startswith("minus") else 1
        unit = _UNITS.get(name.removeprefix("plus").removeprefix("minus"))
        if not arguments and name in _CHANGES:
            nanos = _CHANGES[name](nanos)
        elif len(arguments) != 1:
            raise NotKnown
        elif name in ("plus", "minus"):
            nanos += sign * _nanos(arguments[0])
        elif name == "multipliedBy":
            nanos *= _whole(arguments[0])
        elif unit is not None:
            nanos += sign * unit * _whole(arguments[0])
        else:
            raise NotKnown
    return nanos


def _whole(value: Value) -> int:
    found = numbers.whole(value)
    if found is None:
        raise NotKnown
    return found


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
    seconds, rest = divmod(nanos, _SECOND)
    parts = [f"{seconds // 3600}H"] if seconds >= 3600 else []
    parts += [f"{seconds % 3600 // 60}M"] if seconds % 3600 >= 60 else []
    if seconds % 60 or rest:
        parts.append(f"{seconds % 60}{f'.{rest:09}'.rstrip('0') if rest else ''}S")
    return "PT" + "".join(parts)
