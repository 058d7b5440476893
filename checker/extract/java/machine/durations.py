"""How long a ``java.time.Duration`` is, or a ``Time`` of Flink's, where all that it is made of is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from checker.extract.java.machine import numbers
from checker.extract.java.machine.values import ExternalObject, Value

SECOND: Final = 1_000_000_000
UNITS: Final = {
    "Nanos": 1, "Millis": 1_000_000, "Seconds": SECOND, "Minutes": 60 * SECOND, "Hours": 3_600 * SECOND,
    "Days": 86_400 * SECOND,
}  # fmt: skip
"""Nanoseconds by what follows ``of``, ``plus``, ``minus`` and ``to`` in the names of methods."""
_OF_FLINK: Final = {"milliseconds": 1_000_000, **{name.lower(): n for name, n in UNITS.items() if name != "Millis"}}
_CHANGES: Final[dict[str, Callable[[int], int]]] = {"negated": lambda nanos: -nanos, "abs": abs}


def nanoseconds(value: Value) -> int | None:
    """Its length; None for other objects and where it is not known."""
    if not isinstance(value, ExternalObject) or value.arguments or not value.calls:
        return None
    (made, given), *changes = value.calls
    amount = numbers.whole(given[0]) if len(given) == 1 else None
    if value.type.simple == "Time":
        return amount * _OF_FLINK[made] if amount is not None and made in _OF_FLINK and not changes else None
    if value.type.simple != "Duration":
        return None
    nanos: int | None = None
    if made == "ZERO" and not given:
        nanos = 0
    elif amount is not None and made.removeprefix("of") in UNITS:
        nanos = amount * UNITS[made.removeprefix("of")]
    for name, arguments in changes:
        nanos = _changed(nanos, name, arguments) if nanos is not None else None
    return nanos


def _changed(nanos: int, name: str, arguments: tuple[Value, ...]) -> int | None:
    if not arguments and name in _CHANGES:
        return _CHANGES[name](nanos)
    if len(arguments) != 1:
        return None
    sign = -1 if name.startswith("minus") else 1
    if name in ("plus", "minus"):
        added = nanoseconds(arguments[0])
        return nanos + sign * added if added is not None else None
    amount = numbers.whole(arguments[0])
    unit = UNITS.get(name.removeprefix("plus").removeprefix("minus"))
    if amount is None or (unit is None and name != "multipliedBy"):
        return None
    return nanos * amount if name == "multipliedBy" else nanos + sign * unit * amount  # type: ignore[operator]
