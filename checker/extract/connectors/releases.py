"""Which release of a library that holds state an entry of a build file names: ``[[release]]`` in the tables."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from checker.extract.connectors.tables import rows
from checker.model.changed_files import Break, Library

_TOKEN = re.compile(r"(?<![\w.-])v?(\d+(?:\.\d+)+[-\w.]*)")
"""A release as builds spell it: ``3.4.0-1.20``, ``1.18.1_1.1.4``, ``2.4-SNAPSHOT``."""
_SCOPE = re.compile(r"[\s\"')]*(?:(?i:provided|compile|runtime|test)[\s\"')]*)?")
"""What may stand behind a release."""
_MAVEN = re.compile(r"<version>\s*(.*?)\s*</version>")


def library_of(text: str, value: str) -> Library | None:
    """The library that an entry is about, by its name (``text``) and what it says; None for all other libraries."""
    for pattern, row in _rows():
        if pattern.search(text):
            return Library(
                name=row["library"],
                release=_release(value),
                packages=tuple(row.get("packages", ())),
                reads=row.get("reads"),
                breaks=tuple(Break(**broken) for broken in row.get("breaks", ())),
                notes=row.get("notes", ""),
            )
    return None


def _release(value: str) -> str:
    """The release that an entry says, empty where it asks a name for it: in Maven's element, else in the last part."""
    if value.startswith("<"):
        written = _MAVEN.search(value)
        value = written[1] if written else ""
    for part in reversed(re.split(r"[:%=,]", value)):
        tokens = _TOKEN.findall(part)
        if tokens or not _SCOPE.fullmatch(part):
            return str(tokens[-1]) if tokens else ""
    return ""


@cache
def _rows() -> tuple[tuple[re.Pattern[str], dict[str, Any]], ...]:
    return tuple((re.compile(row["named"], re.IGNORECASE), row) for row in rows("release"))
