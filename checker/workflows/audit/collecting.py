"""What an audit's report is made of, gathered from the datasets: rows as plain dictionaries, whatever the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

Row = dict[str, Any]
Progress = Callable[[str, int, int], None]

AS_BEFORE = ("unchanged", "still-unreadable")
"""Statuses of steps that changed nothing; a report lists such a step only where a series begins with one that could
not be read."""
UNREADABLE = ("unreadable", "still-unreadable")
MOST_CHANGES = 5_000
"""Changed steps that a report lists; it counts all."""
CHANGE = ("repository", "series", "place", "pipeline", "step", "status", "errors", "warnings", "moved", "undecided",
          "lost", "cause")  # fmt: skip
LINE = ("repository", "series", "pipeline", "steps", "listed", "changed", "broke", "unreadable", "undecided",
        "moved")  # fmt: skip
CHURN = ("repository", "series", "place", "step", "pipelines", "changed", "broke", "moved")
TRACE = ("repository", "series", "place", "pipeline", "step", "key", "name", "uid", "id", "stateful", "previous_key",
         "previous_name", "previous_id", "id_changed", "verdict", "cause")  # fmt: skip
REPAIR = pa.schema([pa.field(n, pa.string()) for n in ("repository", "pipeline", "step", "repairs")])


def trace_order(row: Row) -> tuple[Any, ...]:
    """The order of the rows of a trace."""
    return (row["repository"], row["pipeline"], row["place"], row["key"] or "", row["previous_key"] or "")


@dataclass
class Collected:
    """Rows, each with the columns that the tuple of the same name lists, in a fixed order."""

    changes: list[Row] = field(default_factory=list)
    lines: list[Row] = field(default_factory=list)
    churn: list[Row] = field(default_factory=list)
    repairs: list[Row] = field(default_factory=list)
    trace: list[Row] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is to be gathered."""

    points: pa.Table
    """Rows of ``POINTS``."""
    operator: str | None = None
    """Name, uid, key or id of the operator whose history is asked for."""
    pipelines: tuple[str, ...] = ()


class AuditEngine(Protocol):
    """Something that computes waves and answers questions about the datasets."""

    slots: int

    def compute(self, stretches: pa.Table, staging: Path) -> None:
        """Write the rows of one wave below ``staging``: one folder a dataset, partitioned."""

    def collect(self, folder: Path, files: dict[str, list[Path]], question: Question) -> Collected:
        """Gather from the files that count."""
