"""Gathers the contents of an audit's report from the datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from checker.model.nested import Json
from checker.report.presentable import HISTORY
from checker.workflows.audit.datasets import PARTITIONS, SUMMARY, TABLES, Datasets
from checker.workflows.audit.judging import repairs

AS_BEFORE = ("unchanged", "still-unreadable", "refused")
"""Statuses of steps that changed nothing; a report lists such a step only where a series begins with one of a pipeline
that could not be read, or that Flink refuses."""
UNREADABLE = ("unreadable", "still-unreadable")
MOST_CHANGES = 5_000
"""Changed steps that a report lists, the newest of each repository; it counts all."""

_STEPS = ("repository", "pipeline", "step")
_OF_CHANGES = ("repository", "series", "place", "pipeline", "step", "status", "errors", "warnings", "moved",
               "undecided", "lost", "cause")  # fmt: skip
_OF_LINES = ("repository", "series", "pipeline")
_COUNTS_OF_LINES = ("steps", "listed", "changed", "broke", "unreadable", "undecided", "moved")
_OF_CHURN = ("repository", "series", "place", "step")
_COUNTS_OF_CHURN = ("steps", "changed", "broke", "moved")
_OF_REPAIRS = (*_STEPS, "status", "key", "extractor", "topology", "failure", "severities", "ids", "lost_ids")


@dataclass(frozen=True)
class Collected:
    """Rows for the parts of a report, each in a fixed order."""

    changes: list[Json]
    """Steps that changed something."""
    lines: list[Json]
    """What became of each pipeline in each series."""
    churn: list[Json]
    """What became of all pipelines at each step."""
    repairs: list[Json]
    """Steps that repaired a break, and the step that was it."""


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


def partition_of(file: Path) -> tuple[str, str]:
    """The repository and the pipeline that a file of a dataset is about."""
    repository, pipeline = (unquote(part.partition("=")[2]) for part in file.parts[-3:-1])
    return repository, pipeline


def collect(data: Datasets, points: pa.Table, *, pipelines: Sequence[str] = ()) -> Collected:
    """Gather what a report about some points needs; ``pipelines`` are globs."""
    files = [
        path
        for path in sorted(data.files["topologies"], key=partition_of)
        if not pipelines or any(fnmatchcase(partition_of(path)[1], glob) for glob in pipelines)
    ]
    columns = (*_STEPS, *(name for name in SUMMARY if not name.endswith("ids")))
    units = _beside(rows_of(data.folder, "topologies", files, columns), points)
    status = units["status"]
    unreadable = pc.is_in(status, pa.array(UNREADABLE))
    as_before = pc.is_in(status, pa.array(AS_BEFORE))
    listed = pc.or_(pc.invert(as_before), pc.and_(units["first"], pc.not_equal(status, "unchanged")))
    counted = units.select(["repository", "series", "place", "pipeline", "step", "moved"])
    for name, flag in (
        ("steps", pc.is_valid(status)),
        ("listed", listed),
        ("changed", pc.invert(pc.or_(as_before, unreadable))),
        ("unreadable", unreadable),
        ("broke", pc.equal(status, "broke")),
        ("undecided", pc.equal(status, "undecided")),
    ):
        counted = counted.append_column(name, flag.cast(pa.int64()))
    lines = _added_up(counted, _OF_LINES, _COUNTS_OF_LINES)
    broken = {(r["repository"], r["pipeline"]) for r in lines if r["broke"] and r["series"] == HISTORY}
    return Collected(
        changes=_newest(units.filter(listed).select(_OF_CHANGES)),
        lines=lines,
        churn=_added_up(counted, _OF_CHURN, _COUNTS_OF_CHURN),
        repairs=list(_repairs(data, points, [path for path in files if partition_of(path) in broken])),
    )


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


def _newest(changes: pa.Table) -> list[Json]:
    """Changed steps in their order: of each repository the newest, as long as there is room for them."""
    changes = changes.sort_by([(name, "ascending") for name in ("repository", "place", "pipeline")])
    found: list[Json] = []
    start = 0
    for counted in changes["repository"].value_counts().to_pylist():
        start += counted["counts"]
        room = min(MOST_CHANGES - len(found), counted["counts"])
        found += changes.slice(start - room, room).to_pylist()
    return found


def _added_up(table: pa.Table, keys: Sequence[str], counts: Sequence[str]) -> list[Json]:
    """The sums of counts over the rows that are about the same."""
    summed = table.group_by(list(keys)).aggregate([(name, "sum") for name in counts])
    rows: list[Json] = (
        summed.select([*keys, *(f"{n}_sum" for n in counts)]).rename_columns([*keys, *counts]).to_pylist()
    )
    return rows


def _repairs(data: Datasets, points: pa.Table, paths: Sequence[Path]) -> Iterator[Json]:
    """The repairs of some pipelines, whose stored steps are read one pipeline after the other."""
    for _, files in groupby(paths, key=partition_of):
        units = _beside(rows_of(data.folder, "topologies", files, _OF_REPAIRS), points)
        units = units.filter(pc.equal(units["series"], HISTORY)).sort_by("place")
        rows = [{**row, "row": n} for n, row in enumerate(units.drop_columns("topology").to_pylist())]
        yield from repairs(rows, partial(_topology, units["topology"]))


def _topology(stored: pa.ChunkedArray, row: Json) -> str | None:
    found: str | None = stored[row["row"]].as_py()
    return found
