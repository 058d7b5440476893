"""Questions of a platform team to the datasets of its audits; each answer is a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from checker import __version__
from checker.workflows.audit.collecting import AS_BEFORE, UNREADABLE, partition_of
from checker.workflows.audit.datasets import Datasets
from checker.workflows.audit.judging import repairs
from checker.workflows.audit.tables import PARTITIONS, TABLES

Json = dict[str, Any]
Row = dict[str, Any]
FORMAT = "savepoint-checker/answer"
VERSION = 1
_COUNTED = ("changed", "broke", "undecided", "unreadable")
_STEP = ("repository", "pipeline", "commit", "time", "status")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the columns of its answer, and what makes its rows of one pipeline's rows of a dataset."""

    title: str
    columns: tuple[str, ...]
    dataset: str
    read: tuple[str, ...]
    answer: Callable[[list[Row]], Iterator[Row]]
    total: Callable[[Iterable[Row]], list[Row]] = list
    """What the rows of all pipelines come to."""
    what_if: bool = False
    """Whether it is about revisions under other conditions, instead of about the history as it was."""


def ask(data: Datasets, name: str) -> Json:
    """The answer to a question by its name, of what this version of the tool wrote. Raises KeyError."""
    question = QUESTIONS[name]
    rows = (row for line in _lines(data, question) for row in question.answer(line))
    found = question.total(rows)
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": {"name": "savepoint-checker", "version": __version__},
        "question": name,
        "title": question.title,
        "columns": list(question.columns),
        "rows": [[row[column] for column in question.columns] for row in found],
    }


def _lines(data: Datasets, question: Question) -> Iterator[list[Row]]:
    """The rows of each pipeline, oldest first."""
    groups: dict[tuple[str, str], list[Path]] = {}
    for path in data.files[question.dataset]:
        groups.setdefault(partition_of(path), []).append(path)
    schema = pa.schema([*TABLES[question.dataset], *PARTITIONS])
    for key in sorted(groups):
        dataset = ds.dataset(
            [str(path) for path in groups[key]],
            schema=schema,
            format="parquet",
            partitioning=ds.HivePartitioning(PARTITIONS),
            partition_base_dir=str(data.folder / question.dataset),
        )
        rows = dataset.to_table(columns=["conditions", *question.read]).sort_by("time").to_pylist()
        yield [row for row in rows if bool(row["conditions"]) == question.what_if]


def _without_uid(line: list[Row]) -> Iterator[Row]:
    newest = max((row["time"] for row in line), default=0)
    last = {row["key"]: row for row in line if row["time"] == newest and row["key"] is not None}
    yield from (row for row in last.values() if row["stateful"] and not row["uid"] and not row["uid_hash"])


def _breaks(line: list[Row]) -> Iterator[Row]:
    steps = {row["step"]: row for row in line}
    repaired = {found["repairs"]: steps[found["step"]] for found in repairs(line, lambda row: row["topology"])}
    for row in line:
        if row["status"] == "broke":
            mended = repaired.get(row["step"])
            yield {
                **row,
                "when": _day(row["time"]),
                "lost": ", ".join(row["lost"]),
                "repaired by": mended and mended["commit"],
                "repaired on": mended and _day(mended["time"]),
            }


def _under_conditions(line: list[Row]) -> Iterator[Row]:
    """What the newest revision that was asked about comes to, once for each question."""
    newest = {row["conditions"]: row for row in line}
    for conditions, row in sorted(newest.items()):
        outcome = _OUTCOMES.get(row["status"], "keeps its state")
        yield {**row, "what if": conditions, "then": outcome, "lost": ", ".join(row["lost"])}


_OUTCOMES = {
    "broke": "loses state",
    "undecided": "undecided",
    "unreadable": "could not be read",
    "still-unreadable": "could not be read",
}
_ORDER = (*dict.fromkeys(_OUTCOMES.values()), "keeps its state")


def _by_month(rows: Iterable[Row]) -> list[Row]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        month = _day(row["time"])[:7]
        counts = found.setdefault(month, {"month": month, "units": 0, **dict.fromkeys(_COUNTED, 0), "moved ids": 0})
        counts["units"] += 1
        counts["moved ids"] += row["moved"]
        unreadable = row["status"] in UNREADABLE
        counts["unreadable"] += unreadable
        counts["changed"] += not unreadable and row["status"] not in AS_BEFORE
        for status in ("broke", "undecided"):
            counts[status] += row["status"] == status
    return [found[month] for month in sorted(found)]


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


QUESTIONS: Mapping[str, Question] = {
    "without-uid": Question(
        "Stateful operators without a uid, as of each pipeline's newest revision",
        ("repository", "pipeline", "name", "id", "file", "line"),
        "operators",
        ("repository", "pipeline", "time", "key", "name", "uid", "uid_hash", "id", "stateful", "file", "line"),
        _without_uid,
    ),
    "breaks": Question(
        "Commits that broke state, and those that repaired it",
        ("repository", "pipeline", "when", "commit", "lost", "cause", "repaired by", "repaired on"),
        "topologies",
        (*_STEP, "step", "key", "extractor", "topology", "failure", "severities", "ids", "lost", "lost_ids", "cause"),
        _breaks,
    ),
    "upgrades": Question(
        "What becomes of each pipeline under the conditions of 'audit --what-if'",
        ("what if", "repository", "pipeline", "then", "lost", "cause"),
        "topologies",
        (*_STEP, "lost", "cause"),
        _under_conditions,
        lambda rows: sorted(rows, key=lambda row: (row["what if"], _ORDER.index(row["then"]))),
        what_if=True,
    ),
    "trend": Question(
        "What became of state, month by month",
        ("month", "units", *_COUNTED, "moved ids"),
        "topologies",
        (*_STEP, "moved"),
        iter,
        _by_month,
    ),
}
