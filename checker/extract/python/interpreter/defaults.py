"""What values are that nobody gives: those that the script itself has for them."""

from __future__ import annotations

from checker.extract.python.interpreter.values import Opaque, Value


def by_default(value: Value) -> Value:
    """What a value is where no arguments and variables are given; None where that is not known."""
    if not isinstance(value, Opaque):
        return value
    if value.parts:
        parts = [by_default(part) for part in value.parts]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else None
    return by_default(value.default)
