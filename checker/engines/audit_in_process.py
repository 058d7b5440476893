"""An audit without Spark: the same stages, one stretch after the other, in this process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from checker import __version__
from checker.workflows.audit.collecting import (
    AS_BEFORE,
    CHANGE,
    MOST_CHANGES,
    TRACE,
    UNREADABLE,
    Collected,
    Question,
    trace_order,
)
from checker.workflows.audit.judging import PAIR, judged, repairs
from checker.workflows.audit.planning import HISTORY
from checker.workflows.audit.reading import reading
from checker.workflows.audit.tables import PARTITIONS, SUMMARY, TABLES

Row = dict[str, Any]
Points = dict[tuple[str, str], list[Row]]
"""Repository and step → where the report has it; a step can stand in a series twice."""
_ESCAPED = frozenset("\"#%'*/:=?\\{[]^\x7f") | {chr(n) for n in range(32)}


class InProcessAudit:
    """The engine of ``--engine in-process``."""

    slots = 1

    def compute(self, stretches: pa.Table, staging: Path) -> None:
        """Write the rows of one wave."""
        verdicts: dict[tuple[str, ...], Row] = {}
        rows: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
        for batch in reading(iter(stretches.to_batches(max_chunksize=1))):
            for unit in batch.to_pylist():
                pair = tuple(unit[name] for name in PAIR)
                if pair not in verdicts:
                    verdicts[pair] = judged(unit)
                for dataset, row in _rows(unit, verdicts[pair]):
                    rows[dataset, unit["repository"], unit["pipeline"]].append(row)
        for (dataset, repository, pipeline), found in rows.items():
            folder = staging / dataset / f"repository={_segment(repository)}" / f"pipeline={_segment(pipeline)}"
            folder.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_pylist(found, schema=TABLES[dataset])
            pq.write_table(table, folder / "rows.parquet", compression="zstd")

    def collect(self, folder: Path, files: dict[str, list[Path]], question: Question) -> Collected:
        """Gather from the files that count."""
        points: Points = defaultdict(list)
        for point in question.points.to_pylist():
            points[point["repository"], point["step"]].append(point)
        columns = ["repository", "pipeline", "step", "commit", *SUMMARY, "key"]
        units = [
            {**row, **point}
            for row in _scan(folder, files, "topologies", columns)
            if _wanted(row["pipeline"], question.pipelines)
            for point in points.get((row["repository"], row["step"]), ())
        ]
        units.sort(key=lambda row: (row["repository"], row["place"], row["pipeline"]))
        changed = [{name: row[name] for name in CHANGE} for row in units if _listed(row)]
        collected = Collected(changes=changed[:MOST_CHANGES], lines=_lines(units), churn=_churn(units))
        broken = {(u["repository"], u["pipeline"]) for u in units if u["status"] == "broke" and u["series"] == HISTORY}
        collected.repairs = list(_repairs(folder, files, points, broken))
        if question.operator is not None:
            collected.trace = list(_trace(folder, files, points, question))
        return collected


def _rows(unit: Row, verdict: Row) -> Iterator[tuple[str, Row]]:
    step = {name: unit[name] for name in ("step", "commit", "time")}
    head = {name: unit[f"head_{name}"] for name in ("key", "extractor", "topology", "failure")}
    summary = {name: verdict[name] for name in SUMMARY}
    yield "topologies", {**step, **head, **summary, "tool": __version__, "severities": unit["severities"]}
    for operator in verdict["operators"]:
        yield "operators", {**step, **operator}
    for finding in verdict["findings"]:
        yield "findings", {**step, **finding}


def _segment(name: str) -> str:
    """A partition's folder name as Spark writes it."""
    return "".join(f"%{ord(c):02X}" if c in _ESCAPED else c for c in name)


def _scan(folder: Path, files: dict[str, list[Path]], dataset: str, columns: list[str]) -> Iterator[Row]:
    if not files[dataset]:
        return
    schema = pa.schema([*TABLES[dataset], *PARTITIONS])
    found = ds.dataset(
        [str(path) for path in files[dataset]],
        schema=schema,
        format="parquet",
        partitioning=ds.HivePartitioning(PARTITIONS),
        partition_base_dir=str(folder / dataset),
    )
    for batch in found.to_batches(columns=columns):
        yield from batch.to_pylist()


def _wanted(name: str, globs: tuple[str, ...]) -> bool:
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def _listed(unit: Row) -> bool:
    return unit["status"] not in AS_BEFORE or (unit["first"] and unit["status"] in UNREADABLE)


def _lines(units: Iterable[Row]) -> list[Row]:
    lines: dict[tuple[str, str, str], Row] = {}
    for unit in units:
        key = (unit["repository"], unit["series"], unit["pipeline"])
        line = lines.setdefault(
            key,
            {"repository": key[0], "series": key[1], "pipeline": key[2], "steps": 0, "listed": 0, "changed": 0,
             "broke": 0, "unreadable": 0, "undecided": 0, "moved": 0},
        )  # fmt: skip
        line["steps"] += 1
        line["listed"] += _listed(unit)
        line["unreadable"] += unit["status"] in UNREADABLE
        line["changed"] += unit["status"] not in (*AS_BEFORE, *UNREADABLE)
        for status in ("broke", "undecided"):
            line[status] += unit["status"] == status
        line["moved"] += unit["moved"]
    return [lines[key] for key in sorted(lines)]


def _churn(units: Iterable[Row]) -> list[Row]:
    steps: dict[tuple[str, int], Row] = {}
    for unit in units:
        row = steps.setdefault(
            (unit["repository"], unit["place"]),
            {"repository": unit["repository"], "series": unit["series"], "place": unit["place"], "step": unit["step"],
             "pipelines": 0, "changed": 0, "broke": 0, "moved": 0},
        )  # fmt: skip
        row["pipelines"] += 1
        row["changed"] += unit["status"] not in (*AS_BEFORE, *UNREADABLE)
        row["broke"] += unit["status"] == "broke"
        row["moved"] += unit["moved"]
    return [steps[key] for key in sorted(steps)]


def _repairs(folder: Path, files: dict[str, list[Path]], points: Points, broken: set[tuple[str, str]]) -> Iterator[Row]:
    if not broken:
        return
    columns = ["repository", "pipeline", "step", "status", "key", "extractor", "topology", "failure", "severities",
               "ids", "lost_ids"]  # fmt: skip
    lines: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in _scan(folder, files, "topologies", columns):
        line = (row["repository"], row["pipeline"])
        for point in points.get((row["repository"], row["step"]), ()) if line in broken else ():
            if point["series"] == HISTORY:
                lines[line].append({**row, "place": point["place"]})
    for line in sorted(lines):
        yield from repairs(sorted(lines[line], key=lambda row: row["place"]))


def _trace(folder: Path, files: dict[str, list[Path]], points: Points, question: Question) -> Iterator[Row]:
    columns = [name for name in TRACE if name not in ("series", "place")]
    rows = [
        {name: {**row, **point}[name] for name in TRACE}
        for row in _scan(folder, files, "operators", columns)
        if _wanted(row["pipeline"], question.pipelines)
        for point in points.get((row["repository"], row["step"]), ())
    ]
    called = ("key", "name", "uid", "id", "previous_name", "previous_id", "previous_key")
    lines = {(r["repository"], r["pipeline"]) for r in rows if question.operator in [r[n] for n in called]}
    rows = [r for r in rows if (r["repository"], r["pipeline"]) in lines and _worth_tracing(r)]
    yield from sorted(rows, key=trace_order)


def _worth_tracing(row: Row) -> bool:
    """Whether a row of ``operators`` says more than "as before"."""
    same = row["key"] == row["previous_key"] and row["name"] == row["previous_name"]
    return not same or row["id_changed"] is not False
