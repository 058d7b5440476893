"""Gathers the contents of an audit's report from the datasets: one aggregation for all engines.

An engine reads rows, puts each beside the points of the report that it belongs to, and groups them; what is made of a
group is decided by the functions of this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from checker.model.nested import Json
from checker.report.presentable import HISTORY
from checker.workflows.audit.datasets import PARTITIONS, POINTS, SUMMARY, TABLES, DatasetError, Datasets
from checker.workflows.audit.judging import repairs

Progress = Callable[[str, int, int], None]

AS_BEFORE = ("unchanged", "still-unreadable", "refused")
"""Statuses of steps that changed nothing; a report lists such a step only where a series begins with one of a pipeline
that could not be read, or that Flink refuses."""
UNREADABLE = ("unreadable", "still-unreadable")
SMALL = 32_000_000
"""Bytes of files that are gathered right here: handing them out would take longer."""
_AT_ONCE = 2_000_000
"""Bytes of files whose rows are in memory together."""
_MANY = 5_000
"""Steps of which it takes long to find out which repaired a break."""
MOST_CHANGES = 5_000
"""Changed steps that a report lists, the newest of each repository; it counts all."""

_COUNTS = frozenset(("steps", "pipelines", "listed", "changed", "broke", "unreadable", "undecided", "moved"))
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
_SUMMARIES = pa.schema(
    [
        (name, pa.list_(pa.struct(list(schema))))
        for name, schema in (("changes", CHANGE), ("lines", LINE), ("churn", CHURN))
    ]
)
_STEPS = ("repository", "pipeline", "step")
_CHANGES_ORDER = [(name, "ascending") for name in ("repository", "place", "pipeline")]


@dataclass
class Collected:
    """Rows, each with the columns of the schema of the same name, in a fixed order."""

    changes: list[Json] = field(default_factory=list)
    lines: list[Json] = field(default_factory=list)
    churn: list[Json] = field(default_factory=list)
    repairs: list[Json] = field(default_factory=list)
    trace: list[Json] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Question:
    """Rows of a dataset, one for each of ``POINTS`` that has their step, and what becomes of them."""

    dataset: str
    columns: Sequence[str]
    function: Callable[[pa.Table], list[Json]]
    """Gets all rows of some pipelines."""
    schema: pa.Schema
    """What the function returns."""


class Tasks(Protocol):
    """Numbered pieces of work that an engine may send to other processes."""

    @property
    def schema(self) -> pa.Schema:
        """The schema of the rows that tasks give."""

    def __call__(self, number: int) -> list[Json]:
        """Run the task of this number."""

    def given_up(self, number: int, why: str) -> list[Json]:
        """The answer in place of a task that failed."""


class AuditEngine(Protocol):
    """What runs tasks: this process, or Spark."""

    slots: int
    """Tasks that run at the same time."""
    elsewhere: bool
    """Whether tasks run on other machines than this one."""

    def run(self, tasks: Tasks, count: int) -> Iterator[Json]:
        """The rows of all tasks, in any order."""


@dataclass(frozen=True)
class _Gathering:
    """One task for each group of files in a dataset below a folder: what a question makes of their rows."""

    folder: Path
    groups: tuple[tuple[str, ...], ...]
    points: pa.Table
    question: Question

    @property
    def schema(self) -> pa.Schema:
        return self.question.schema

    def __call__(self, number: int) -> list[Json]:
        rows = rows_of(self.folder, self.question.dataset, self.groups[number], self.question.columns)
        joined = _beside(rows, self.points)
        return self.question.function(joined) if joined.num_rows else []

    def given_up(self, number: int, why: str) -> list[Json]:
        raise DatasetError(f"{self.groups[number][0]}: {why}")


def rows_of(folder: Path, dataset: str, files: Iterable[str | Path], columns: Iterable[str]) -> pa.Table:
    """Some columns of files of a dataset below a folder."""
    found = ds.dataset(
        [str(file) for file in files],
        schema=pa.schema([*TABLES[dataset], *PARTITIONS]),
        format="parquet",
        partitioning=ds.HivePartitioning(PARTITIONS),
        partition_base_dir=str(folder / dataset),
    )
    return found.to_table(columns=list(columns))


def _beside(rows: pa.Table, points: pa.Table) -> pa.Table:
    """Every row for each point of its step, with the point's columns."""
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

    def gathered(question: Question, paths: Sequence[Path], *, judging: bool = False) -> Iterator[Json]:
        size = sum(path.stat().st_size for path in paths)
        groups = tuple(_groups(paths, min(_AT_ONCE, size // (2 * engine.slots)) if judging else _AT_ONCE))
        tasks = _Gathering(data.folder, groups, points, question)
        here = data.store is not None and engine.elsewhere  # the copy of the store is
        if not here and len(groups) > 1 and (judging or size > SMALL):
            return engine.run(tasks, len(groups))
        return (row for number in range(len(groups)) for row in tasks(number))

    collected = Collected()
    churn: list[Json] = []
    for found in gathered(_SUMMARY, files["topologies"]):
        collected.changes += found["changes"]
        collected.lines += found["lines"]
        churn += found["churn"]
    collected.changes = _newest(pa.Table.from_pylist(collected.changes, schema=CHANGE))
    collected.churn = _added_up(pa.Table.from_pylist(churn, schema=CHURN))
    broken = {(r["repository"], r["pipeline"]) for r in collected.lines if r["broke"] and r["series"] == HISTORY}
    paths = [p for p in files["topologies"] if partition_of(p) in broken]
    many = sum(r["steps"] for r in collected.lines if (r["repository"], r["pipeline"]) in broken) > _MANY
    collected.repairs = list(gathered(_REPAIRS, paths, judging=many))
    if operator is not None:
        collected.trace = sorted(gathered(_trace_of(operator), files["operators"]), key=_trace_order)
    return collected


def _groups(paths: Sequence[Path], most: int) -> Iterator[tuple[str, ...]]:
    """Files that are read together: all of one pipeline, and others where they are small."""
    group: list[str] = []
    size = 0
    for _, files in groupby(sorted(paths, key=partition_of), key=partition_of):
        if group and size >= most:
            yield tuple(group)
            group, size = [], 0
        for file in files:
            group.append(str(file))
            size += file.stat().st_size
    if group:
        yield tuple(group)


def _summaries(units: pa.Table) -> list[Json]:
    """The steps of some pipelines → their rows of ``CHANGE``, ``LINE`` and ``CHURN``."""
    status = units["status"]
    unreadable = pc.is_in(status, pa.array(UNREADABLE))
    as_before = pc.is_in(status, pa.array(AS_BEFORE))
    listed = pc.or_(pc.invert(as_before), pc.and_(units["first"], pc.not_equal(status, "unchanged")))
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
    return [
        {
            "changes": _newest(units.filter(listed).select(CHANGE.names)),
            "lines": _added_up(counted.append_column("steps", _ones(counted)).select(LINE.names)),
            "churn": _added_up(counted.append_column("pipelines", _ones(counted)).select(CHURN.names)),
        }
    ]


def _ones(table: pa.Table) -> pa.Array:
    return pa.repeat(pa.scalar(1, pa.int64()), len(table))


def _newest(changes: pa.Table) -> list[Json]:
    """Changed steps in their order: of each repository the newest, as long as there is room for them."""
    changes = changes.sort_by(_CHANGES_ORDER)
    found: list[Json] = []
    start = 0
    for counted in changes["repository"].value_counts().to_pylist():
        start += counted["counts"]
        room = min(MOST_CHANGES - len(found), counted["counts"])
        found += changes.slice(start - room, room).to_pylist()
    return found


def _added_up(table: pa.Table) -> list[Json]:
    """The sums of counts over the rows that are about the same."""
    counts = [n for n in table.column_names if n in _COUNTS]
    keys = [n for n in table.column_names if n not in _COUNTS]
    summed = table.group_by(keys).aggregate([(name, "sum") for name in counts])
    rows: list[Json] = (
        summed.select([*keys, *(f"{n}_sum" for n in counts)]).rename_columns([*keys, *counts]).to_pylist()
    )
    return rows


def _repairs(units: pa.Table) -> list[Json]:
    """The stored steps of some pipelines → their rows of ``REPAIR``."""
    units = units.filter(pc.equal(units["series"], HISTORY))
    units = units.sort_by([(name, "ascending") for name in ("repository", "pipeline", "place")])
    topologies = units["topology"]
    rows = [{**row, "row": n} for n, row in enumerate(units.drop_columns("topology").to_pylist())]
    found: list[Json] = []
    for _, line in groupby(rows, key=lambda row: (row["repository"], row["pipeline"])):
        found += repairs(list(line), lambda row: topologies[row["row"]].as_py())
    return found


_SUMMARY = Question(
    dataset="topologies",
    columns=(*_STEPS, *(name for name in SUMMARY if not name.endswith("ids"))),
    function=_summaries,
    schema=_SUMMARIES,
)
_REPAIRS = Question(
    dataset="topologies",
    columns=(*_STEPS, "status", "key", "extractor", "topology", "failure", "severities", "ids", "lost_ids"),
    function=_repairs,
    schema=REPAIR,
)


def _trace_of(operator: str) -> Question:
    called = ("key", "name", "uid", "id", "previous_name", "previous_id", "previous_key")

    def trace(operators: pa.Table) -> list[Json]:
        of_it = reduce(pc.or_, (pc.fill_null(pc.equal(operators[name], operator), False) for name in called))
        lines = operators.filter(of_it).select(["repository", "pipeline"])
        wanted = {(row["repository"], row["pipeline"]) for row in lines.to_pylist()}
        rows = operators.select(TRACE.names).to_pylist() if wanted else []
        return [row for row in rows if (row["repository"], row["pipeline"]) in wanted and _worth_tracing(row)]

    return Question(
        dataset="operators",
        columns=tuple(name for name in TRACE.names if name not in ("series", "place")),
        function=trace,
        schema=TRACE,
    )


def _worth_tracing(row: Json) -> bool:
    """Whether a row of ``operators`` says more than "as before"."""
    same = row["key"] == row["previous_key"] and row["name"] == row["previous_name"]
    return not same or row["id_changed"] is not False


def _trace_order(row: Json) -> tuple[Any, ...]:
    return (row["repository"], row["pipeline"], row["place"], row["key"] or "", row["previous_key"] or "")
