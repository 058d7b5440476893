"""``String.format`` of known values, as ``java.util.Formatter`` does it in the root locale."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from checker.extract.java.library import equality
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.operators import as_text, concat
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Opaque,
    OptionalValue,
    Value,
    depends_of,
    is_null,
    string,
)
from checker.extract.java.syntax.java_lang import BOXES
from checker.model.unknowns import Cause

_DIRECTIVE: Final = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(<]*)(\d+)?(?:\.(\d+))?([tT]?[a-zA-Z%])")
_WIDEST: Final = 10_000
_NO_NUMBERS: Final = (ListValue, MapValue, OptionalValue, Instance)
_BITS: Final = {"Byte": 8, "Short": 16, "Integer": 32, "Long": 64}


@dataclass(frozen=True, slots=True)
class _Directive:
    text: str
    flags: str
    width: int | None
    precision: int | None
    kind: str


def java_format(run: Run, pattern: Value, given: list[Value], site: Site | None) -> Value:
    """The text that ``String.format(pattern, given...)`` makes."""
    if len(given) == 1 and isinstance(given[0], ListValue) and given[0].kind == "array":
        if given[0].elements is None:
            return run.opaque("a format whose arguments are not known", Cause.OTHER, site, of=(given[0],))
        given = list(given[0].elements)
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return run.opaque("a format that is not known", Cause.OTHER, site, of=(pattern, *given))
    _check_conversions(pattern.value)
    parts: list[Value] = []
    end = following = 0
    for match in _DIRECTIVE.finditer(pattern.value):
        _literal(pattern.value[end : match.start()])
        parts.append(string(pattern.value[end : match.start()]))
        end = match.end()
        position, flags, width, precision, kind = match.groups()
        if len(width or "") > 9 or len(precision or "") > 9 or int(width or 0) > _WIDEST or int(precision or 0) > 1000:
            return run.opaque(f"a text of more than {_WIDEST:,} characters", Cause.LIMIT, site)
        directive = _Directive(
            match.group(), flags, int(width) if width else None, int(precision) if precision else None, kind
        )
        if kind in "%n":
            parts.append(string("\n" if kind == "n" else _padded("%", directive)))
            continue
        if kind not in "bBhHsScCdoxXeEfgGaA" or "<" in flags:
            return run.opaque(f"the format '{match.group()}' is not computed", Cause.UNSUPPORTED, site)
        place = int(position) - 1 if position else following
        following += 0 if position else 1
        if place >= len(given):
            throw("MissingFormatArgumentException", f"Format specifier '{match.group()}'")
        part = _formatted(run, boxed(given[place]), directive, site)
        if part is None:
            return run.opaque(
                f"the format '{match.group()}' is not computed", Cause.UNSUPPORTED, site, of=(given[place],)
            )
        parts.append(part)
    _literal(pattern.value[end:])
    parts.append(string(pattern.value[end:], pattern.depends))
    return concat(run, parts, site)


def _check_conversions(pattern: str) -> None:
    """Formats are parsed whole before anything is formatted."""
    for match in _DIRECTIVE.finditer(pattern):
        kind = match.group(5)
        if len(kind) == 1 and kind not in "bBhHsScCdoxXeEfgGaA%n":
            throw("UnknownFormatConversionException", f"Conversion = '{kind}'")


def _literal(text: str) -> None:
    if "%" in text:
        after = text[text.index("%") + 1 :]
        throw("UnknownFormatConversionException", None if after else "Conversion = '%'")


def _padded(text: str, directive: _Directive) -> str:
    if directive.width is None:
        return text
    return text.ljust(directive.width) if "-" in directive.flags else text.rjust(directive.width)


def _formatted(run: Run, value: Value, directive: _Directive, site: Site | None) -> Value | None:
    kind = directive.kind
    if "-" in directive.flags and directive.width is None:
        throw("MissingFormatWidthException", directive.text)
    if "#" in directive.flags or ("-" in directive.flags and "0" in directive.flags):
        return None
    if "0" in directive.flags and (directive.width is None or kind not in "doxXeEf"):
        return None
    plain = directive.width is None and directive.precision is None and not directive.flags
    if isinstance(value, Opaque | Choice):
        return as_text(run, value) if plain and kind in "sd" else None
    if kind in "hH":
        code = equality.hash_code(run, value, Call("hashCode", [], site) if site is not None else None)
        return string(_padded(format(code & 0xFFFFFFFF, "x"), directive)) if code is not None else None
    if kind in "bB":
        truth = value.value if isinstance(value, Constant) and isinstance(value.value, bool) else not is_null(value)
        return _finished("true" if truth else "false", directive, depends_of(value))
    if kind in "sS" or is_null(value):
        text = as_text(run, value)
        if not isinstance(text, Constant):
            return text if plain and kind == "s" else None
        return _finished(text.text, directive, depends_of(value, text))
    if not isinstance(value, Constant):
        return throw("IllegalFormatConversionException") if isinstance(value, _NO_NUMBERS) else None
    return _of_constant(value, directive)


def _finished(text: str, directive: _Directive, depends: frozenset[str]) -> Value:
    if directive.precision is not None:
        text = text[: directive.precision]
    return string(_padded(text.upper() if directive.kind.isupper() else text, directive), depends)


def _of_constant(value: Constant, directive: _Directive) -> Value | None:
    kind, raw = directive.kind, value.value
    wrong = f"{directive.kind} != java.lang.{BOXES.get(value.java, value.java)}"
    if kind in "cC":
        if value.java not in ("Character", "Integer", "Short", "Byte"):
            throw("IllegalFormatConversionException", wrong)
        if directive.precision is not None:
            throw("IllegalFormatPrecisionException", str(directive.precision))
        code = numbers.whole(value)
        return _finished(chr(code), directive, value.depends) if code is not None and 0 <= code < 0xD800 else None
    if kind in "doxX":
        if not isinstance(raw, int) or isinstance(raw, bool):
            throw("IllegalFormatConversionException", wrong)
        if directive.precision is not None:
            throw("IllegalFormatPrecisionException", str(directive.precision))
        if kind != "d" and any(flag in directive.flags for flag in "+ (,"):
            return None
        if kind == "d":
            return string(_signed(str(abs(raw)), raw < 0, directive), value.depends)
        text = format(raw & ((1 << _BITS.get(value.java, 32)) - 1), "o" if kind == "o" else "x")
        text = text.zfill(directive.width or 0) if "0" in directive.flags else text
        text = _padded(text, directive)
        return string(text.upper() if kind == "X" else text, value.depends)
    if kind in "eEf":
        if not isinstance(raw, float):
            throw("IllegalFormatConversionException", wrong)
        text = _decimal(raw, directive)
        return string(text.upper() if kind == "E" else text, value.depends)
    return None


def _decimal(value: float, directive: _Directive) -> str:
    if not math.isfinite(value):
        text = "NaN" if math.isnan(value) else "Infinity"
        unpadded = _Directive("", directive.flags.replace("0", "").replace(",", ""), None, None, "f")
        return _padded(_signed(text, value < 0, unpadded), directive)
    precision = 6 if directive.precision is None else directive.precision
    exact = abs(Decimal(repr(value)))
    if directive.kind == "f":
        text = f"{exact.quantize(Decimal(1).scaleb(-precision), ROUND_HALF_UP):f}" if exact < Decimal(10) ** 25 else ""
        text = text or f"{abs(value):.{precision}f}"
    else:
        power = exact.adjusted() if exact else 0
        mantissa = exact.scaleb(-power).quantize(Decimal(1).scaleb(-precision), ROUND_HALF_UP)
        if mantissa >= 10:
            mantissa, power = (mantissa / 10).quantize(Decimal(1).scaleb(-precision)), power + 1
        text = f"{mantissa:f}e{'-' if power < 0 else '+'}{abs(power):02d}"
    return _signed(text, math.copysign(1, value) < 0, directive)


def _signed(digits: str, negative: bool, directive: _Directive) -> str:
    flags = directive.flags
    if "," in flags:
        before, dot, after = digits.partition(".")
        digits = re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", before) + dot + after
    sign = ("(" if "(" in flags else "-") if negative else "+" if "+" in flags else " " if " " in flags else ""
    close = ")" if sign == "(" else ""
    if "0" in flags and directive.width is not None:
        digits = digits.zfill(directive.width - len(sign) - len(close))
    return _padded(f"{sign}{digits}{close}", directive)
