"""Suppressions of findings: always with a reason, optionally until a date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

COMMENT_MARK = b"savepoint-checker:"
"""What a comment starts with that speaks to this tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """One ``[[suppress]]`` of the configuration. ``rule``, ``operators`` and ``pipeline`` are globs; none = any.

    ``expires`` is the last day on which it holds. ``source`` says where it is written.
    """

    rule: str
    reason: str
    source: str
    operators: tuple[str, ...] = ()
    pipeline: str | None = None
    expires: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineComment:
    """``savepoint-checker: ignore[rule, ...] reason`` in a comment of a source file or document.

    It speaks for the operators declared on its own line and on the line below. ``rules`` are globs.
    """

    file: str
    line: int
    rules: tuple[str, ...]
    reason: str
    """Empty where the author gave none: such a comment silences nothing."""
    expires: date | None = None

    @property
    def source(self) -> str:
        """Where it is written."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineEntry:
    """One finding that was there when the baseline file was written, and why it may stay.

    ``operators`` are the keys of all operators it spoke of: when others join it, it is a new finding.
    """

    fingerprint: str
    rule: str
    pipeline: str
    operators: tuple[str, ...]
    reason: str
    source: str
    expires: date | None = None
