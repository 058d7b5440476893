"""One task of an audit: some pipelines of a stretch, read and judged, their rows written as files of the datasets.

Both engines run exactly this. An answer is small: the files that were written, or why a repository can't be audited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

from checker import __version__
from checker.errors import CheckerError, defect_message
from checker.workflows.audit.datasets import SUMMARY, TABLES, print_of
from checker.workflows.audit.judging import PAIR, judged
from checker.workflows.audit.reading import stretch_units
from checker.workflows.audit.stores import Store, is_url
from checker.workflows.audit.stretches import Task

Row = dict[str, Any]
_ESCAPED = frozenset("\"#%'*/:=?\\{[]^\x7f") | {chr(n) for n in range(32)}
_MOST_ROWS = 20_000
"""Rows that wait to be written."""
_MOST_VERDICTS = 2_000
WRITTEN = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("repository", "failure", "dataset", "path", "sha256")),
        pa.field("bytes", pa.int64()),
    ]
)
"""A file below the wave's folder; ``failure`` says why there are none of a repository."""


@dataclass(frozen=True)
class Computing:
    """The tasks of one wave."""

    folder: str
    """Where the stretches lie and files are written; of a store by its URL, with stretches named below it."""
    tasks: tuple[Task, ...]
    schema = WRITTEN

    def __call__(self, number: int) -> list[Row]:
        """Do a task: rows of ``WRITTEN``."""
        task, name = self.tasks[number], f"{number:05d}-{uuid4().hex[:8]}.parquet"
        try:
            if not is_url(self.folder):
                return list(_written(Path(self.folder), task, name))
            with TemporaryDirectory(prefix="savepoint-checker-") as folder:
                store, here = Store(self.folder), Path(folder)
                store.fetch([task.stretch], here)
                rows = list(_written(here, replace(task, stretch=str(here / task.stretch)), name))
                store.send([row["path"] for row in rows], here)
            return rows
        except Exception as error:
            # A repository that breaks a reader, or whose files can't be written, is an answer and stops no other.
            known = isinstance(error, (OSError, CheckerError))
            return self.given_up(number, str(error) if known else defect_message(error))

    def given_up(self, number: int, why: str) -> list[Row]:
        """The answer of a task that can't be done."""
        nothing: Row = dict.fromkeys(WRITTEN.names)
        return [{**nothing, "repository": self.tasks[number].repository, "failure": why}]


@lru_cache(maxsize=1)
def _stretch(file: str) -> Row:
    row: Row = feather.read_table(file, memory_map=False).to_pylist()[0]
    return row


def _written(folder: Path, task: Task, name: str) -> Iterator[Row]:
    waiting: dict[tuple[str, str], list[Row]] = defaultdict(list)
    verdicts: dict[tuple[str, ...], Row] = {}
    count = part = 0
    for unit in stretch_units(_stretch(task.stretch), task):
        pair = tuple(unit[column] for column in PAIR)
        if pair not in verdicts:
            if len(verdicts) >= _MOST_VERDICTS:
                verdicts.clear()
            verdicts[pair] = judged(unit)
        for dataset, row in _rows(unit, verdicts[pair]):
            waiting[dataset, unit["pipeline"]].append(row)
            count += 1
        if count >= _MOST_ROWS:
            yield from _flushed(folder, task.repository, waiting, f"{part}-{name}")
            count, part = 0, part + 1
    yield from _flushed(folder, task.repository, waiting, f"{part}-{name}")


def _flushed(folder: Path, repository: str, waiting: dict[tuple[str, str], list[Row]], name: str) -> Iterator[Row]:
    for (dataset, pipeline), rows in waiting.items():
        place = folder / dataset / f"repository={_segment(repository)}" / f"pipeline={_segment(pipeline)}"
        place.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pylist(rows, schema=TABLES[dataset])
        pq.write_table(table, place / name, compression="zstd")
        yield {
            "repository": repository,
            "failure": None,
            "dataset": dataset,
            "path": (place / name).relative_to(folder).as_posix(),
            **print_of(place / name),
        }
    waiting.clear()


def _rows(unit: Row, verdict: Row) -> Iterator[tuple[str, Row]]:
    step = {name: unit[name] for name in ("step", "commit", "time", "conditions")}
    read = {name: unit["head"] and getattr(unit["head"], name) for name in ("extractor", "failure")}
    head = {"key": unit["head_key"], "topology": unit["head_topology"], **read}
    summary = {name: verdict[name] for name in SUMMARY}
    given = {name: unit[name] for name in ("previous_commit", "severities")}
    yield "topologies", {**step, **head, **summary, "tool": __version__, **given}
    for operator in verdict["operators"]:
        yield "operators", {**step, **operator}
    for finding in verdict["findings"]:
        yield "findings", {**step, **finding}


def _segment(name: str) -> str:
    """A partition's folder name as Spark writes it."""
    return "".join(f"%{ord(c):02X}" if c in _ESCAPED else c for c in name)
