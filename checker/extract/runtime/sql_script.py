"""The commands of a SQL script that runs, as Flink's SQL client reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from checker.extract.sql.scripts.templates import split

_SET = re.compile(r"set\s+'?(?P<key>[^'=\s]+)'?\s*=\s*'?(?P<value>.*?)'?\s*", re.IGNORECASE | re.DOTALL)
_BEGIN_SET = re.compile(r"(execute\s+|begin\s+)statement\s+set(\s+begin)?\s*", re.IGNORECASE)
_SET_INSIDE = re.compile(r"(compile|explain)\b.*\bstatement\s+set\s+begin\b", re.IGNORECASE | re.DOTALL)
_END = re.compile(r"end\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Setting:
    """``SET 'key' = 'value'``."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement on its own."""

    text: str


@dataclass(frozen=True, slots=True)
class StatementSet:
    """Inserts that are one job."""

    inserts: tuple[str, ...]


Command = Setting | Statement | StatementSet


def commands(script: str) -> tuple[Command, ...]:
    """The commands of a script in order. ``RESET``, ``QUIT`` and ``EXIT`` of the client are left out."""
    found: list[Command] = []
    inserts: list[str] | None = None
    whole: list[str] | None = None
    for text in (statement.text for statement in split(script)):
        if whole is not None or _SET_INSIDE.match(text):
            whole = [*(whole or []), text]
            if _END.fullmatch(text):
                found.append(Statement("; ".join(whole)))
                whole = None
            continue
        begin = _BEGIN_SET.match(text)
        if inserts is None and begin:
            inserts = []
            text = text[begin.end() :].strip()
        if inserts is not None:
            if _END.fullmatch(text):
                found.append(StatementSet(tuple(inserts)))
                inserts = None
            elif text:
                inserts.append(text)
            continue
        setting = _SET.fullmatch(text)
        if setting:
            found.append(Setting(setting["key"], setting["value"]))
        elif not re.match(r"(quit|exit|reset|set)\b", text, re.IGNORECASE):
            found.append(Statement(text))
    if inserts:
        found.append(StatementSet(tuple(inserts)))
    return tuple(found)
