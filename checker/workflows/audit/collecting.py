"""Gathers the contents of an audit's report from the datasets: one aggregation for all engines.

An engine reads rows, puts each beside the points of the report that it belongs to, and groups them; what is made of a
group is decided by the functions of this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from checker.report.vocabulary import HISTORY
from checker.workflows.audit.datasets import DatasetError, Datasets
from checker.workflows.audit.judging import repairs
from checker.workflows.audit.tables import PARTITIONS, POINTS, SUMMARY, TABLES

Row = dict[str, Any]
Progress = Callable[[str, int, int], None]

AS_BEFORE = ("unchanged", "still-unreadable")
"""Statuses of steps that changed nothing; a report lists such a step only where a series begins with one that could
not be read."""
UNREADABLE = ("unreadable", "still-unreadable")
SMALL = 32_000_000
"""Bytes of files that are gathered right here: handing them out would take longer."""
MOST_CHANGES = 5_000
"""Changed steps that a report lists, the newest of each repository; it counts all."""

_TYPES = {f.name: f for schema in (PARTITIONS, POINTS, TABLES["operators"], TABLES["topologies"]) for f in schema}


def _schema(*names: str) -> pa.Schema:
    """Columns of the datasets, and counts."""
    return pa.schema([_TYPES.get(name, pa.field(name, pa.int64())) for name in names])


CHANGE = _schema("repository", "series", "place", "pipeline", "step", "status", "errors", "warnings", "moved",
                 "undecided", "lost", "cause")  # fmt: skip
LINE = _schema("repository", "series", "pipeline", "steps", "listed", "changed", "broke", "unreadable", "undecided",
               "moved")  # fmt: skip
CHURN = _schema("repository", "series", "place", "step", "pipelines", "changed", "broke", "moved")
TRACE = _schema("repository", "series", "place", "pipeline", "step", "key", "name", "uid", "id", "stateful",
                "previous_key", "previous_name", "previous_id", "id_changed", "verdict", "cause")  # fmt: skip
REPAIR = _schema("repository", "pipeline", "step", "repairs").set(3, pa.field("repairs", pa.string()))
_TABLES_OF_A_REPOSITORY = pa.schema(
    [
        (name, pa.list_(pa.struct(list(schema))))
        for name, schema in (("changes", CHANGE), ("lines", LINE), ("churn", CHURN))
    ]
)
_STEPS = ("repository", "pipeline", "step")
_STORED = (*_STEPS, "status", "key", "extractor", "topology", "failure", "severities", "ids", "lost_ids")


@dataclass
class Collected:
    """Rows, each with the columns of the schema of the same name, in a fixed order."""

    changes: list[Row] = field(default_factory=list)
    lines: list[Row] = field(default_factory=list)
    churn: list[Row] = field(default_factory=list)
    repairs: list[Row] = field(default_factory=list)
    trace: list[Row] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """Rows of a dataset, one for each of ``POINTS`` that has their step, and what becomes of each group of them."""

    dataset: str
    columns: Sequence[str]
    keys: Sequence[str]
    """What a group has in common: ``repository``, or that and ``pipeline``."""
    function: Callable[[pa.Table], pa.Table]
    schema: pa.Schema
    """What the function returns."""


class Tasks(Protocol):
    """Numbered pieces of work that an engine may send to other processes."""

    @property
    def schema(self) -> pa.Schema:
        """The schema of the rows that tasks give."""

    def __call__(self, number: int) -> list[Row]:
        """Run the task of this number."""

    def given_up(self, number: int, why: str) -> list[Row]:
        """The answer in place of a task that failed."""


class AuditEngine(Protocol):
    """What runs tasks: this process, or Spark."""

    slots: int
    """Tasks that run at the same time."""
    elsewhere: bool
    """Whether tasks run on other machines than this one."""

    def run(self, tasks: Tasks, count: int) -> Iterator[Row]:
        """The rows of all tasks, in any order."""


@dataclass(frozen=True)
class _Gathering:
    """One task for each group of files in a dataset below a folder: what a function makes of their rows."""

    folder: Path
    groups: tuple[tuple[str, ...], ...]
    points: pa.Table
    grouping: Grouping

    @property
    def schema(self) -> pa.Schema:
        return self.grouping.schema

    def __call__(self, number: int) -> list[Row]:
        dataset = ds.dataset(
            list(self.groups[number]),
            schema=pa.schema([*TABLES[self.grouping.dataset], *PARTITIONS]),
            format="parquet",
            partitioning=ds.HivePartitioning(PARTITIONS),
            partition_base_dir=str(self.folder / self.grouping.dataset),
        )
        joined = _beside(dataset.to_table(columns=list(self.grouping.columns)), self.points)
        rows: list[Row] = self.grouping.function(joined).to_pylist() if joined.num_rows else []
        return rows

    def given_up(self, number: int, why: str) -> list[Row]:
        raise DatasetError(f"{self.groups[number][0]}: {why}")


def _beside(rows: pa.Table, points: pa.Table) -> pa.Table:
    """Each row once for every point of its step, with the point's columns."""
    keys = ["repository", "step"]
    numbered = rows.select(keys).append_column("row", pa.array(range(rows.num_rows), pa.int64()))
    pairs = numbered.join(points, keys, join_type="inner")
    joined = rows.take(pairs["row"])
    for name in points.column_names:
        if name not in keys:
            joined = joined.append_column(name, pairs[name])
    return joined


def partition_of(file: Path) -> tuple[str, str]:
    """The repository and the pipeline that a file of a dataset is about."""
    repository, pipeline = (unquote(part.partition("=")[2]) for part in file.parts[-3:-1])
    return repository, pipeline


def collect(
    engine: AuditEngine, data: Datasets, points: pa.Table, *, operator: str | None = None, pipelines: Sequence[str] = ()
) -> Collected:
    """Gather what a report about some points needs.

    ``operator`` is the name, uid, key or id of the operator whose history is asked for; ``pipelines`` are globs.
    """
    files = {
        dataset: [p for p in paths if not pipelines or any(fnmatchcase(partition_of(p)[1], g) for g in pipelines)]
        for dataset, paths in data.files.items()
    }

    def grouped(grouping: Grouping, paths: Sequence[Path]) -> Iterator[Row]:
        groups: dict[tuple[str, ...], list[str]] = {}
        for path in paths:
            groups.setdefault(partition_of(path)[: len(grouping.keys)], []).append(str(path))
        tasks = _Gathering(data.folder, tuple(map(tuple, groups.values())), points, grouping)
        here = data.store is not None and engine.elsewhere  # the copy of the store is
        if not here and len(groups) > 1 and sum(path.stat().st_size for path in paths) > SMALL:
            return engine.run(tasks, len(groups))
        return (row for number in range(len(groups)) for row in tasks(number))

    collected = Collected()
    found = grouped(_OF_REPOSITORIES, files["topologies"])
    for tables in sorted((f for f in found if f["lines"]), key=lambda f: str(f["lines"][0]["repository"])):
        room = MOST_CHANGES - len(collected.changes)
        collected.changes += tables["changes"][max(0, len(tables["changes"]) - room) :]
        collected.lines += tables["lines"]
        collected.churn += tables["churn"]
    broken = {(r["repository"], r["pipeline"]) for r in collected.lines if r["broke"] and r["series"] == HISTORY}
    collected.repairs = list(grouped(_REPAIRS, [p for p in files["topologies"] if partition_of(p) in broken]))
    if operator is not None:
        collected.trace = sorted(grouped(_trace_of(operator), files["operators"]), key=_trace_order)
    return collected


def _of_repository(units: pa.Table) -> pa.Table:
    """The steps of one repository's pipelines → its rows of ``CHANGE``, ``LINE`` and ``CHURN``, in order."""
    status = units["status"]
    unreadable = pc.is_in(status, pa.array(UNREADABLE))
    as_before = pc.is_in(status, pa.array(AS_BEFORE))
    listed = pc.or_(pc.invert(as_before), pc.and_(units["first"], unreadable))
    flags = {
        "listed": listed,
        "changed": pc.invert(pc.or_(as_before, unreadable)),
        "unreadable": unreadable,
        "broke": pc.equal(status, "broke"),
        "undecided": pc.equal(status, "undecided"),
    }
    counted = units.select(["repository", "series", "place", "pipeline", "step", "moved"])
    for name, flag in flags.items():
        counted = counted.append_column(name, flag.cast(pa.int64()))
    changes = units.filter(listed).sort_by([("place", "ascending"), ("pipeline", "ascending")])
    tables = {
        "changes": changes.slice(max(0, len(changes) - MOST_CHANGES)).select(CHANGE.names).to_pylist(),
        "lines": _counts(counted, LINE, "steps", ("series", "pipeline")),
        "churn": _counts(counted, CHURN, "pipelines", ("place",)),
    }
    return pa.Table.from_pylist([tables], schema=_TABLES_OF_A_REPOSITORY)


def _counts(counted: pa.Table, schema: pa.Schema, rows: str, order: Sequence[str]) -> list[Row]:
    """The rows of a schema: what is no count is what they are grouped by, ``rows`` is how many make one."""
    flags = [n for n in schema.names if n in ("listed", "changed", "broke", "unreadable", "undecided", "moved")]
    keys = [n for n in schema.names if n not in (rows, *flags)]
    table = counted.group_by(keys).aggregate([([], "count_all"), *((flag, "sum") for flag in flags)])
    table = table.select([*keys, "count_all", *(f"{flag}_sum" for flag in flags)]).rename_columns([*keys, rows, *flags])
    found: list[Row] = table.sort_by([(name, "ascending") for name in order]).select(schema.names).to_pylist()
    return found


def _repairs(line: pa.Table) -> pa.Table:
    """The stored steps of one pipeline → its rows of ``REPAIR``."""
    rows = sorted((r for r in line.to_pylist() if r["series"] == HISTORY), key=lambda row: row["place"])
    return pa.Table.from_pylist(list(repairs(rows)), schema=REPAIR)


_OF_REPOSITORIES = Grouping(
    dataset="topologies",
    columns=(*_STEPS, *(name for name in SUMMARY if not name.endswith("ids"))),
    keys=("repository",),
    function=_of_repository,
    schema=_TABLES_OF_A_REPOSITORY,
)
_REPAIRS = Grouping(
    dataset="topologies", columns=_STORED, keys=("repository", "pipeline"), function=_repairs, schema=REPAIR
)


def _trace_of(operator: str) -> Grouping:
    called = ("key", "name", "uid", "id", "previous_name", "previous_id", "previous_key")

    def trace(line: pa.Table) -> pa.Table:
        rows = line.select(TRACE.names).to_pylist()
        if any(operator in [row[name] for name in called] for row in rows):
            rows = [row for row in rows if _worth_tracing(row)]
            return pa.Table.from_pylist(rows, schema=TRACE)
        return TRACE.empty_table()

    return Grouping(
        dataset="operators",
        columns=tuple(name for name in TRACE.names if name not in ("series", "place")),
        keys=("repository", "pipeline"),
        function=trace,
        schema=TRACE,
    )


def _worth_tracing(row: Row) -> bool:
    """Whether a row of ``operators`` says more than "as before"."""
    same = row["key"] == row["previous_key"] and row["name"] == row["previous_name"]
    return not same or row["id_changed"] is not False


def _trace_order(row: Row) -> tuple[Any, ...]:
    return (row["repository"], row["pipeline"], row["place"], row["key"] or "", row["previous_key"] or "")
