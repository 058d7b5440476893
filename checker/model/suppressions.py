"""What silences a finding: always with a reason, sometimes until a date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """One ``[[suppress]]`` of the configuration. ``rule``, ``operator`` and ``pipeline`` are globs; None = any.

    ``expires`` is the last day on which it holds. ``source`` says where it is written.
    """

    rule: str
    reason: str
    source: str
    operator: str | None = None
    pipeline: str | None = None
    expires: date | None = None
