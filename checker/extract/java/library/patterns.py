"""Regular expressions that mean the same in Java and here; all others are not evaluated."""

from __future__ import annotations

import re
from typing import Final

from checker.extract.interpreting.bounds import MAX_TEXT
from checker.extract.java.machine.values import Value, string

_TOKEN: Final = re.compile(
    r"\\[.*+?()\[\]{}|^$\\/\-,:;=_!@#%&<>\"' ]|\\[wWdDstnrf]"
    r"|\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|\\[wds.\-\[\]^\\/$|+*?()]|[^\[\]\\&^~])+\]"
    r"|\((?:\?:)?|\)|[*+?]\??|\{\d+(?:,\d*)?\}|[|^.]|\$$|[^\\\[\](){}*+?|^.$]"
)
_LONGEST: Final = 200


def compiled(pattern: str) -> re.Pattern[str] | None:
    """A Java pattern as one of ours, None where it uses what the two may understand differently."""
    if len(pattern) > _LONGEST or not pattern.isascii():
        return None
    place = 0
    while place < len(pattern):
        match = _TOKEN.match(pattern, place)
        if match is None:
            return None
        place = match.end()
    ours = pattern.replace("\\s", "[ \\t\\n\\x0b\\f\\r]") if not re.search(r"\[[^\]]*\\s", pattern) else pattern
    try:
        return re.compile(ours, re.ASCII)
    except re.error:
        return None


def replaced(value: str, pattern: str, by: str, *, first: bool, depends: frozenset[str]) -> Value | None:
    """``replaceAll`` and ``replaceFirst``, by a text that names no group."""
    found = compiled(pattern)
    if found is None or "\\" in by or "$" in by:
        return None
    if len(value) + sum(1 for _ in found.finditer(value)) * len(by) > MAX_TEXT:
        return None
    return string(found.sub(lambda match: by, value, count=int(first)), depends)


def split(value: str, pattern: str, limit: int) -> list[str] | None:
    """``value.split(pattern, limit)``."""
    found = compiled(pattern)
    if found is None:
        return None
    parts: list[str] = []
    end = 0
    for match in found.finditer(value):
        if 0 < limit <= len(parts) + 1:
            break
        if match.end() == 0 or (match.start() == match.end() == len(value)):
            continue  # no empty first part for an empty match at the beginning
        parts.append(value[end : match.start()])
        end = match.end()
    if end == 0 and not parts:
        return [value]
    parts.append(value[end:])
    if limit == 0:
        while parts and not parts[-1]:
            parts.pop()
    return parts
