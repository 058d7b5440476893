"""The report of an audit as a canonical document, gathered from its datasets. Equal inputs give equal bytes."""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from checker import __version__
from checker.errors import UsageError
from checker.model.nested import Json
from checker.model.pipelines import ExtractorKind
from checker.report.presentable import HISTORY
from checker.workflows.audit.datasets import PARTITIONS, POINTS, SUMMARY, TABLES, Datasets
from checker.workflows.audit.judging import repairs
from checker.workflows.audit.planning import AuditedRepository, Point
from checker.workflows.running_programs import lacks

FORMAT = "savepoint-checker/audit"
VERSION = 1
_COUNTED = ("changed", "broke", "unreadable", "undecided", "moved")
MOST_LINES = 200
"""Pipelines that the timeline shows; those that broke most come first."""
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


def audit_document(
    repositories: Sequence[AuditedRepository],
    data: Datasets,
    *,
    pipelines: Sequence[str] = (),
    reused: int,
    computed: int,
) -> Json:
    """The whole report; ``pipelines`` are globs. Raises UsageError where they fit none."""
    points = _points(repositories)
    files = [
        path
        for path in sorted(data.files["topologies"], key=partition_of)
        if not pipelines or any(fnmatchcase(partition_of(path)[1], glob) for glob in pipelines)
    ]
    units, counted = _units(data, points, files)
    lines = _added_up(counted, _OF_LINES, _COUNTS_OF_LINES)
    if pipelines and repositories and not lines and not any(a.failure for a in repositories):
        raise UsageError(f"no pipeline called {', '.join(pipelines)} in any of these revisions")
    broken = {(r["repository"], r["pipeline"]) for r in lines if r["broke"] and r["series"] == HISTORY}
    mending = list(_repairs(data, points, [path for path in files if partition_of(path) in broken]))
    repaired = {(r["repository"], r["pipeline"], r["step"]): r["repairs"] for r in mending}
    mended = {(r["repository"], r["pipeline"], r["repairs"]) for r in mending}
    places = {a.name: a for a in repositories}
    heads = {(a.name, s.id): s.head for a in repositories for s in a.steps} if repaired else {}
    changes = []
    for row in _newest(units.filter(counted["listed"].cast(pa.bool_())).select(_OF_CHANGES)):
        unit = (row["repository"], row["pipeline"], row["step"])
        before = heads.get((row["repository"], repaired.get(unit, "")))
        changes.append(_change(row, places[row["repository"]], before, repaired_later=unit in mended))
    lines.sort(key=lambda r: (-r["broke"], -r["moved"], r["repository"], r["series"], r["pipeline"]))
    churn = _added_up(counted, _OF_CHURN, _COUNTS_OF_CHURN)
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": {"name": "savepoint-checker", "version": __version__},
        **_counted(lines, [a.failure for a in repositories], len(repaired)),
        "steps": {"computed": computed, "reused": reused},
        "repositories": [_repository(a) for a in repositories],
        "changes": changes,
        "changes_not_listed": sum(line["listed"] for line in lines) - len(changes),
        "pipelines": lines,
        "timeline": list(_timeline(repositories, lines, changes, churn)),
        "notes": [*data.notes, *(note for a in repositories for note in _notes_on(a))],
    }


def _points(repositories: Sequence[AuditedRepository]) -> pa.Table:
    """The steps that the report is about."""
    points = [
        {"repository": a.name, "step": s.id, "series": s.series, "place": place, "first": s.base is None}
        for a in repositories
        for place, s in enumerate(a.steps)
    ]
    return pa.Table.from_pylist(points, schema=POINTS)


def _units(data: Datasets, points: pa.Table, files: Sequence[Path]) -> tuple[pa.Table, pa.Table]:
    """What became of each pipeline at each step, and the same as numbers to add up."""
    columns = (*_STEPS, *(name for name in SUMMARY if not name.endswith("ids")))
    units = _beside(rows_of(data.folder, "topologies", files, columns), points)
    status = units["status"]
    unreadable = pc.is_in(status, pa.array(UNREADABLE))
    as_before = pc.is_in(status, pa.array(AS_BEFORE))
    counted = units.select(["repository", "series", "place", "pipeline", "step", "moved"])
    for name, flag in (
        ("steps", pc.is_valid(status)),
        ("listed", pc.or_(pc.invert(as_before), pc.and_(units["first"], pc.not_equal(status, "unchanged")))),
        ("changed", pc.invert(pc.or_(as_before, unreadable))),
        ("unreadable", unreadable),
        ("broke", pc.equal(status, "broke")),
        ("undecided", pc.equal(status, "undecided")),
    ):
        counted = counted.append_column(name, flag.cast(pa.int64()))
    return units, counted


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


def _notes_on(audited: AuditedRepository) -> list[str]:
    """What a check with --allow-exec would run, and an audit does not."""
    names = [e.name for e in audited.settings.pipelines if e.extract is ExtractorKind.AUTO and lacks(e) is None]
    if not names or not audited.steps:
        return []
    return [
        f"{audited.name}: {', '.join(names)} could be run, but a history is not built: only source is read; "
        "'check --allow-exec' runs what two revisions build"
    ]


def _counted(lines: Sequence[Json], failures: Sequence[str | None], repaired: int) -> Json:
    """The verdict, and the counts behind it. ``failures`` say of each repository why it can't be audited."""
    counts = {name: sum(line[name] for line in lines) for name in _COUNTED}
    failed = sum(map(bool, failures))
    undecided = failed or counts["unreadable"] or counts["undecided"]
    return {
        "verdict": "broke" if counts["broke"] else "undecided" if undecided else "kept",
        "counts": {
            "repositories": len(failures),
            "unreadable_repositories": failed,
            "pipelines": len({(line["repository"], line["pipeline"]) for line in lines}),
            "units": sum(line["steps"] for line in lines),
            **counts,
            "repaired": repaired,
        },
    }


def _repository(audited: AuditedRepository) -> Json:
    series: dict[str, int] = {}
    for step in audited.steps:
        series[step.series] = series.get(step.series, 0) + 1
    return {"name": audited.name, "revisions": series, "failure": audited.failure}


def _point(point: Point | None) -> Json | None:
    if point is None:
        return None
    return {"commit": point.commit, "label": point.label, "time": point.time, "subject": point.subject,
            "conditions": point.conditions.label}  # fmt: skip


def _change(row: Json, audited: AuditedRepository, broken: Point | None, *, repaired_later: bool) -> Json:
    step = audited.steps[row["place"]]
    return {
        **{n: row[n] for n in ("repository", "series", "pipeline", "errors", "warnings", "moved", "undecided")},
        "status": "unreadable" if row["status"] in UNREADABLE else row["status"],
        "lost": list(row["lost"]),
        "cause": row["cause"],
        "place": row["place"],
        "base": _point(step.base),
        "head": _point(step.head),
        "repairs": _point(broken),
        "repaired_later": repaired_later,
    }


def _timeline(
    repositories: Sequence[AuditedRepository], lines: Sequence[Json], changes: Sequence[Json], churn: Sequence[Json]
) -> Iterator[Json]:
    cells: dict[tuple[str, str, str], list[Json]] = {}
    for change in changes:
        status = "repaired" if change["repairs"] else change["status"]
        cells.setdefault((change["repository"], change["series"], change["pipeline"]), []).append(
            {"place": change["place"], "status": status, "moved": change["moved"]}
        )
    for audited in repositories:
        for series in dict.fromkeys(step.series for step in audited.steps):
            steps = [(place, s) for place, s in enumerate(audited.steps) if s.series == series]
            bars = {row["place"]: row for row in churn if row["repository"] == audited.name}
            shown = [r for r in lines if (r["repository"], r["series"]) == (audited.name, series) and r["listed"]]
            yield {
                "repository": audited.name,
                "series": series,
                "steps": [
                    {
                        "place": place,
                        "label": step.head.label,
                        "subject": step.head.subject,
                        **{n: bars[place][n] if place in bars else 0 for n in ("changed", "broke", "moved")},
                    }
                    for place, step in steps
                ],
                "pipelines": [
                    {"name": r["pipeline"], "cells": cells.get((audited.name, series, r["pipeline"]), [])}
                    for r in shown[:MOST_LINES]
                ],
                "not_shown": max(0, len(shown) - MOST_LINES),
            }
