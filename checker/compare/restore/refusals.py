"""Refusals in the order in which Flink would meet them, and the words that they share."""

from __future__ import annotations

from dataclasses import dataclass

from checker.model.restore import Moment, RestoreRule
from checker.model.translation import OperatorId


@dataclass(frozen=True, slots=True)
class Refusal:
    """Flink refuses (or, with ``undecided``, may refuse) the restore. Ids are those that Flink's message names.

    ``concerns`` are the operator states behind it, for the table.
    """

    rule: RestoreRule
    message: str
    operator: OperatorId | None = None
    vertex: OperatorId | None = None
    moment: Moment = Moment.JOB_INITIALIZATION
    undecided: bool = False
    concerns: tuple[OperatorId, ...] = ()


def bytes_text(size: int) -> str:
    """``1.2 GB``: decimal units, as file systems and clouds count."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.95 or unit == "TB":
            return f"{value:.1f} {unit}"
    raise AssertionError("TB ends the loop")


def listed(items: tuple[str, ...] | list[str], limit: int = 5) -> str:
    """``a, b, c and 4 more``."""
    shown = ", ".join(items[:limit])
    return f"{shown} and {len(items) - limit} more" if len(items) > limit else shown
