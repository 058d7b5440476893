"""``String.format`` of known values, as ``java.util.Formatter`` does it in the root locale.

What names are made with: texts and whole numbers. Other conversions and flags are not computed.
"""

import re
import unicodedata
from typing import Final

from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.operators import as_text, concat
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Choice, Constant, ListValue, Opaque, Value, string
from checker.model.unknowns import Cause

_JAVA_SPACE: Final = frozenset("\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f")


def is_whitespace(char: str) -> bool:
    """``Character.isWhitespace``."""
    return char in _JAVA_SPACE or (unicodedata.category(char) in ("Zs", "Zl", "Zp") and char not in "\xa0\u2007\u202f")


_PLAIN: Final = re.compile(r"(?:\\\W|[^\\\[\](){}*+?|^.$])+")
"""A pattern that matches one text only. Others are not evaluated."""


def literal(pattern: str) -> str | None:
    """The one text that a pattern matches; None for any other pattern."""
    return re.sub(r"\\(\W)", r"\1", pattern) if _PLAIN.fullmatch(pattern) is not None else None


def split(value: str, pattern: str, limit: int) -> list[str] | None:
    """``value.split(pattern, limit)``; None for a pattern that matches several texts."""
    between = literal(pattern)
    if between is None:
        return None
    parts = value.split(between, limit - 1 if limit > 0 else -1)
    while limit == 0 and len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts if any(parts) or limit else [""] if not value else []


def filled_in(run: Run, text: Value, request: Call) -> Value | None:
    """``replace`` and ``replaceAll``, also where a part of the text, or what is put into it, is not known."""
    old, new = request.arguments if len(request.arguments) == 2 else (None, None)
    if request.name not in ("replace", "replaceAll") or not isinstance(old, Constant) or not old.text:
        return None
    names_a_group = isinstance(new, Constant) and ("\\" in new.text or "$" in new.text)
    wanted = old.text if request.name == "replace" else None if names_a_group else literal(old.text)
    if wanted is None:
        return None
    parts: list[Value] = []
    for part in text.parts if isinstance(text, Opaque) else (text,):
        if isinstance(part, Constant):
            pieces = [string(piece) for piece in part.text.split(wanted)]
            parts += [*pieces[:1], *(made for piece in pieces[1:] for made in (request.arguments[1], piece))]
        else:
            of = (part, *request.arguments)
            parts.append(run.opaque("an unknown text", Cause.OTHER, request.site, of=of))
    return concat(run, parts, request.site) if parts else None


_DIRECTIVE: Final = re.compile(r"%(?:(\d{1,3})\$)?([-0]?)(\d{1,3})?([sdn%])")


def java_format(run: Run, pattern: Value, given: list[Value], site: Site | None) -> Value:
    """The text that ``String.format(pattern, given...)`` makes."""
    if len(given) == 1 and isinstance(given[0], ListValue) and given[0].kind == "array":
        if given[0].elements is None:
            return run.opaque("a format with unknown arguments", Cause.OTHER, site, of=(given[0], pattern))
        given = list(given[0].elements)
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return run.opaque("an unknown format", Cause.OTHER, site, of=(pattern, *given))
    parts: list[Value] = []
    end = following = 0
    for match in _DIRECTIVE.finditer(pattern.value):
        parts.append(string(pattern.value[end : match.start()]))
        end = match.end()
        if match[4] in "%n":
            parts.append(string("%" if match[4] == "%" else "\n"))
            continue
        place = int(match[1]) - 1 if match[1] else following
        following += 0 if match[1] else 1
        if place >= len(given):
            throw("MissingFormatArgumentException")
        part = _formatted(run, boxed(given[place]), match)
        if part is None:
            return _not_computed(run, pattern.value, given, site)
        parts.append(part)
    parts.append(string(pattern.value[end:]))
    if "%" in _DIRECTIVE.sub("", pattern.value):
        return _not_computed(run, pattern.value, given, site)
    return concat(run, parts, site)


def _not_computed(run: Run, pattern: str, given: list[Value], site: Site | None) -> Value:
    made = run.opaque(f"the format '{pattern}' is not evaluated", Cause.UNSUPPORTED, site, of=(*given, string(pattern)))
    run.may_throw_any(("java.util.IllegalFormatException",), made.unknown, string(pattern), *given)
    return made


def _formatted(run: Run, value: Value, match: re.Match[str]) -> Value | None:
    """One value; None where its format is not computed, or throws for it."""
    _, flag, width, kind = match.groups()
    shown = as_text(run, value)
    if not flag and width is None and (kind == "s" or isinstance(value, Opaque | Choice)):
        return shown
    raw = value.value if isinstance(value, Constant) else None
    number = isinstance(raw, int) and not isinstance(raw, bool)
    if not isinstance(shown, Constant) or (kind == "d" and not number) or (flag and width is None):
        return None
    if flag == "0" and kind != "d":
        return None
    size = int(width or 0)
    text = shown.text
    text = text.ljust(size) if flag == "-" else text.zfill(size) if flag else text.rjust(size)
    return string(text)
