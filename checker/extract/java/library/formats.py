"""``String.format`` and ``MessageFormat``-free formatting of known values."""

from __future__ import annotations

import re

from checker.extract.java.interpreter.call_record import Call
from checker.extract.java.interpreter.operators import as_text, concat
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import Choice, Constant, ListValue, Value, depends_of, string
from checker.model.topology import Cause

_DIRECTIVE = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")


def java_format(run: Run, pattern: Value, call: Call) -> Value:
    """The text that ``String.format(pattern, given...)`` makes."""
    given = call.arguments
    if len(given) == 1 and isinstance(given[0], ListValue) and given[0].kind == "array":
        given = list(given[0].elements or ())
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return run.opaque("a format that is not known", Cause.OTHER, call.site, of=(pattern, *given))
    parts: list[Value] = []
    end = 0
    following = 0
    for match in _DIRECTIVE.finditer(pattern.value):
        parts.append(string(pattern.value[end : match.start()]))
        end = match.end()
        position, flags, width, precision, kind = match.groups()
        if kind == "%":
            parts.append(string("%"))
            continue
        if kind == "n":
            parts.append(string("\n"))
            continue
        place = int(position) - 1 if position else following
        following += 0 if position else 1
        if place >= len(given):
            return run.opaque("a format with too few arguments", Cause.UNSUPPORTED, call.site)
        part = _one(run, given[place], flags, width, precision, kind)
        if part is None:
            return run.opaque(f"the format '{match.group()}' is not computed", Cause.UNSUPPORTED, call.site)
        parts.append(part)
    parts.append(string(pattern.value[end:], pattern.depends))
    return concat(run, parts, call.site)


def _one(run: Run, value: Value, flags: str, width: str | None, precision: str | None, kind: str) -> Value | None:
    if not isinstance(value, Constant):
        if isinstance(value, Choice) or (kind in "sSd" and not width and not flags):
            return as_text(run, value) if kind in "sd" else None
        return None
    text = _text(value, flags, precision, kind)
    if text is None:
        return None
    if width is not None:
        size = int(width)
        if "-" in flags:
            text = text.ljust(size)
        elif "0" in flags and kind in "dxX":
            text = text.zfill(size)
        else:
            text = text.rjust(size)
    return string(text, depends_of(value))


def _text(value: Constant, flags: str, precision: str | None, kind: str) -> str | None:
    raw = value.value
    if kind in "sS":
        text = value.text if precision is None else value.text[: int(precision)]
        return text.upper() if kind == "S" else text
    if kind == "d" and isinstance(raw, int) and not isinstance(raw, bool):
        return f"{raw:,}" if "," in flags else str(raw)
    if kind in "xX" and isinstance(raw, int):
        size = 64 if value.java == "long" else 32
        return format(raw & ((1 << size) - 1), kind)
    if kind == "f" and isinstance(raw, float):
        return f"{raw:.{int(precision) if precision is not None else 6}f}"
    if kind in "bB":
        return value.text if isinstance(raw, bool) else None
    if kind == "c" and isinstance(raw, str):
        return raw
    return None
