"""What the tables of scripts can be made with: the identifiers of connectors, formats and catalogs that they name."""

from __future__ import annotations

import re
from collections.abc import Collection

from checker.extract.sql.scripts.commands import Define
from checker.extract.sql.scripts.discovery import WrittenScript
from checker.extract.sql.scripts.templates import is_open, split

_TEXT = re.compile(r"'((?:[^']|'')*+)'")
_CHOOSING = re.compile(r"(?i)'(?:connector|type|(?:[\w-]+\.)*format)'\s*+=\s*+(?!'[\w.-]++')")
"""A connector, a format or a catalog that is put in later."""
_MADE_ELSEWHERE = re.compile(r"(?i)(?:create|use)\s+catalog\b|load\s+module\b")
_TABLE = re.compile(r"(?i)create\s+(?:or\s+replace\s+)?(?:temporary\s+)?table\b(?!.*'connector'|.*\blike\b)", re.DOTALL)
_LIKE = re.compile(r"(?i)\blike\s+([\w`-]+)")
_OTHER_CATALOG = re.compile(
    r"(?i)\b(?:from|join|into|overwrite|like|table)\s+(?!`?default_catalog\b)[\w`-]+\.[\w`-]+\."
)
_LIST = re.compile(r"(?i)\bfrom\s+[\w`.-]+(?:\s+(?:as\s+)?[\w`]+)?\s*,\s*(?!lateral\b|unnest\b|table\b)")


def identifiers_in(scripts: Collection[str], planned: bool) -> frozenset[str] | None:
    """All texts in scripts that are read together, in lower case; None where a table may be made with anything.

    That a planned script uses no other tables than its own is certain; of others it is judged by what they name.
    """
    statements = [statement.text for script in scripts for statement in split(script)]
    for text in statements:
        if (
            _MADE_ELSEWHERE.match(text)
            or _TABLE.match(text)
            or _CHOOSING.search(text)
            or is_open(_TEXT.sub("''", text))
        ):
            return None
    if not planned and _may_use_others(scripts, [_TEXT.sub("''", text) for text in statements]):
        return None
    return frozenset(name.lower() for text in statements for name in _TEXT.findall(text))


def _may_use_others(scripts: Collection[str], statements: Collection[str]) -> bool:
    """Whether scripts may use tables that none of them creates: those of another catalog or session."""
    if not statements or any(_OTHER_CATALOG.search(text) or _LIST.search(text) for text in statements):
        return True
    written = [WrittenScript.of("", script) for script in scripts]
    definitions = (c.text for script in written for c in script.commands if isinstance(c, Define))
    copied = {name.replace("`", "").lower() for text in definitions for name in _LIKE.findall(_TEXT.sub("''", text))}
    used = copied.union(*(script.reads | script.writes for script in written))
    return not used <= frozenset(name for script in written for name in script.defines)
