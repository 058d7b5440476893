"""``java.lang.Math`` and ``StrictMath``, computed as a JVM does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from checker.extract.java.machine import numbers
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.values import Constant, Value


def promoted(given: Sequence[Constant]) -> str:
    """The primitive type to which numeric operands are promoted (JLS 5.6)."""
    kinds = {value.java for value in given}
    return next((java for java in ("double", "float", "long") if java in kinds), "int")


def extreme(name: str, found: Sequence[float], java: str) -> Value:
    """``max`` or ``min`` of numbers of one type, with Java's order of NaN and signed zeros."""
    if any(math.isnan(value) for value in found):
        return Constant(math.nan, java)
    ordered = sorted(found, key=lambda value: (value, math.copysign(1, value)))
    return numbers.constant(ordered[-1 if name == "max" else 0], java)


def static_call(simple: str, name: str, given: Sequence[Constant]) -> Value | None:
    """A static method of ``Math``; None where it is not modelled or not exact in every JVM."""
    values = [numbers.number(value) for value in given]
    if None in values or not values:
        return None
    found = [value for value in values if value is not None]
    java = promoted(given)
    if java in ("double", "float") and name in ("max", "min", "abs"):
        floats = [float(value) for value in found]
        return extreme(name, floats, java) if name != "abs" else numbers.constant(abs(floats[0]), java)
    if java in ("int", "long") and name in _EXACT:
        return _whole_math(name, [int(value) for value in found], java)
    return _real_math(name, [float(value) for value in found], java)


_EXACT: Final = frozenset({"max", "min", "abs", "floorMod", "floorDiv", "toIntExact"})


def _whole_math(name: str, found: Sequence[int], java: str) -> Value | None:
    first, second = (*found, 0)[:2]
    if name in ("floorMod", "floorDiv"):
        if second == 0:
            throw("ArithmeticException", "/ by zero")
        return numbers.constant(first % second if name == "floorMod" else first // second, java)
    result = {"max": max(found), "min": min(found), "abs": abs(first), "toIntExact": first}[name]
    java = "int" if name == "toIntExact" else java
    if name == "toIntExact" and numbers.wrap(result, java) != result:
        throw("ArithmeticException", "integer overflow")
    return numbers.constant(result, java)


def _real_math(name: str, found: Sequence[float], java: str) -> Value | None:
    first = found[0]
    if name == "round":
        target = "int" if java == "float" else "long"
        if math.isnan(first) or math.isinf(first):
            return numbers.convert(Constant(first, "double"), target)
        return numbers.convert(
            Constant(float(math.floor(first + 0.5)) if abs(first) < 2**52 else first, "double"), target
        )
    if name in ("floor", "ceil", "rint"):
        if math.isnan(first) or math.isinf(first):
            return Constant(first, "double")
        rounded = math.floor(first) if name == "floor" else math.ceil(first) if name == "ceil" else round(first)
        return Constant(math.copysign(float(rounded), first), "double")
    if name == "sqrt":
        return Constant(math.sqrt(first) if first >= 0 else math.nan, "double")
    if name == "pow" and len(found) == 2 and found[1].is_integer() and abs(found[1]) <= 64 and first.is_integer():
        exact = int(first) ** abs(int(found[1]))
        if exact < 2**53 and (found[1] >= 0 or exact.bit_count() == 1):
            return Constant(float(exact) if found[1] >= 0 else 1.0 / exact, "double")
    return None
