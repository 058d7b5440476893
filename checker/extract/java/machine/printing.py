"""How Java prints floating point numbers."""

from __future__ import annotations

import math
import struct


def single(value: float) -> float:
    """The nearest ``float``."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def floating(value: float, java: str) -> str:
    """``Double.toString`` and ``Float.toString``."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    shortest = "4.9e-324" if abs(value) == 5e-324 else repr(value)  # Java writes two digits at least
    shortest = f"-{shortest}" if value < 0 and not shortest.startswith("-") else shortest
    if java in ("float", "Float"):
        shortest = next(t for t in (f"{value:.{digits}e}" for digits in range(1, 17)) if single(float(t)) == value)
    mantissa, _, exponent = shortest.lower().partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    before, _, after = mantissa.lstrip("-").partition(".")
    point = len(before) + int(exponent or 0)
    digits = (before + after).lstrip("0")
    point -= len(before + after) - len(digits)
    digits = digits.rstrip("0") or "0"
    if 1e-3 <= abs(value) < 1e7:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        digits = digits.ljust(point, "0")
        return f"{sign}{digits[:point]}.{digits[point:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"
