"""Where suppressions are written down: comments in sources, and the baseline file."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

from checker.errors import SettingsError
from checker.model.suppressions import BaselineEntry, InlineComment

BASELINE_VERSION = 1
_COMMENT = re.compile(
    r"(?://|#|/\*|--)\s*savepoint-checker:\s*ignore\[([^\]\n]*)\][ \t]*(?:until\s+(\d{4}-\d{2}-\d{2})\s*:?)?[ \t]*(.*)"
)


def read_comments(text: str, file: str) -> tuple[InlineComment, ...]:
    """Every ``savepoint-checker: ignore[rule] reason`` of a file; ``until 2027-03-31`` before the reason ends it."""
    if "savepoint-checker:" not in text:
        return ()
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _COMMENT.search(line)
        if match is None:
            continue
        rules = tuple(r.strip() for r in match[1].split(",") if r.strip())
        reason = match[3].removesuffix("*/").strip()
        found.append(InlineComment(file=file, line=number, rules=rules, reason=reason, expires=_day(match[2])))
    return tuple(found)


def _day(text: str | None) -> date | None:
    """A date; one that is in no calendar has passed already."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return date.min


def read_baseline(text: str, source: str) -> tuple[BaselineEntry, ...]:
    """The entries of a baseline file. Raises SettingsError naming the entry and what is wrong with it."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise SettingsError(f"{source}: not JSON: {error}") from None
    except RecursionError:
        raise SettingsError(f"{source}: nested too deeply") from None
    if not isinstance(document, dict) or document.get("baseline") != BASELINE_VERSION:
        raise SettingsError(f'{source}: not a baseline file: {{"baseline": {BASELINE_VERSION}, "findings": [...]}}')
    findings = document.get("findings", [])
    if not isinstance(findings, list):
        raise SettingsError(f"{source}: findings must be a list")
    return tuple(_entry(raw, f"{source}: finding {n}") for n, raw in enumerate(findings, start=1))


def _entry(raw: Any, where: str) -> BaselineEntry:
    if not isinstance(raw, dict):
        raise SettingsError(f"{where}: must be an object")
    texts: dict[str, str] = {}
    for key in ("fingerprint", "rule", "pipeline", "reason"):
        value = raw.get(key)
        if not isinstance(value, str) or not value.strip():
            hint = ": say why it may stay" if key == "reason" else ""
            raise SettingsError(f"{where}: {key} is required{hint}")
        texts[key] = value
    operators = raw.get("operators", [])
    if not isinstance(operators, list) or not all(isinstance(o, str) for o in operators):
        raise SettingsError(f"{where}: operators must be a list of texts")
    expires = raw.get("expires")
    try:
        day = None if expires is None else date.fromisoformat(expires)
    except (TypeError, ValueError):
        raise SettingsError(f"{where}: expires must be a date such as 2027-03-31, not {expires!r}") from None
    return BaselineEntry(**texts, operators=tuple(operators), source=where, expires=day)
