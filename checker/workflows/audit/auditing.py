"""``audit`` from repositories to a report: compute what is new, commit it wave by wave, then gather.

One task of an audit: some pipelines of a stretch, read and judged, their rows written as files of the datasets.

Both engines run exactly this. An answer is small: the files that were written, or why a repository can't be audited.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Protocol
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from checker import __version__
from checker.errors import CheckerError, UsageError, defect_message
from checker.model.nested import Json
from checker.workflows.audit.datasets import SUMMARY, TABLES, Datasets, print_of
from checker.workflows.audit.judging import PAIR, columns, judged
from checker.workflows.audit.planning import AuditedRepository
from checker.workflows.audit.reading import stretch_units
from checker.workflows.audit.report import audit_document
from checker.workflows.audit.stretches import Task, Wave, read_stretch, waves

_ESCAPED = frozenset("\"#%'*/:=?\\{[]^\x7f") | {chr(n) for n in range(32)}
_MOST_ROWS = 20_000
"""Rows that wait to be written."""
_MOST_VERDICTS = 2_000
WRITTEN = pa.schema(columns("repository failure dataset path sha256: string; bytes: int64; content: binary"))
"""A file below the wave's folder, with its content where it was written on another machine; ``failure`` says why there
are none of a repository."""
Progress = Callable[[str, int, int], None]


class AuditEngine(Protocol):
    """What runs tasks: this process, or Spark."""

    slots: int
    """Tasks that run at the same time."""
    elsewhere: bool
    """Whether tasks run on other machines than this one."""

    def run(self, tasks: Computing, count: int) -> Iterator[Json]:
        """The rows of all tasks, in any order."""


@dataclass(frozen=True)
class Computing:
    """The tasks of one wave."""

    folder: str
    """Where the stretches lie and files are written."""
    tasks: tuple[Task, ...]
    stretches: Mapping[str, bytes] | None = None
    """The stretches themselves, where tasks run on machines that can't be expected to see the folder."""
    schema = WRITTEN

    def __call__(self, number: int) -> list[Json]:
        """Do a task: rows of ``WRITTEN``."""
        task, name = self.tasks[number], f"{number:05d}-{uuid4().hex[:8]}.parquet"
        try:
            if self.stretches is None:
                return list(_written(Path(self.folder), task, name))
            with TemporaryDirectory(prefix="savepoint-checker-") as folder:
                stretch = Path(folder, "stretch")
                stretch.write_bytes(self.stretches[task.stretch])
                rows = list(_written(Path(folder), replace(task, stretch=str(stretch)), name))
                return [{**row, "content": Path(folder, row["path"]).read_bytes()} for row in rows]
        except Exception as error:
            # A repository that breaks a reader, or whose files can't be written, is an answer and stops no other.
            known = isinstance(error, (OSError, CheckerError))
            return self.given_up(number, str(error) if known else defect_message(error))

    def given_up(self, number: int, why: str) -> list[Json]:
        """The answer of a task that can't be done."""
        nothing: Json = dict.fromkeys(WRITTEN.names)
        return [{**nothing, "repository": self.tasks[number].repository, "failure": why}]


_stretch = lru_cache(maxsize=1)(read_stretch)


def _written(folder: Path, task: Task, name: str) -> Iterator[Json]:
    waiting: dict[tuple[str, str], list[Json]] = defaultdict(list)
    verdicts: dict[tuple[str, ...], Json] = {}
    count = part = 0
    for unit in stretch_units(_stretch(Path(task.stretch)), task):
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


def _flushed(folder: Path, repository: str, waiting: dict[tuple[str, str], list[Json]], name: str) -> Iterator[Json]:
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
            "content": None,
        }
    waiting.clear()


def _rows(unit: Json, verdict: Json) -> Iterator[tuple[str, Json]]:
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


_AHEAD = 3
"""Waves that are packed or computed at the same time."""


def run_audit(
    repositories: Sequence[AuditedRepository],
    engine: AuditEngine,
    data: Datasets,
    *,
    pipelines: tuple[str, ...] = (),
    progress: Progress,
) -> Json:
    """Everything that was asked for. Raises CheckerError that says how far it came."""
    _unique(repositories)
    known = {(a.name, s.id) for a in repositories for s in a.steps if s.id in data.done.get(a.name, set())}
    everything = {(a.name, s.id) for a in repositories for s in a.steps}
    todo = len(everything) - len(known)
    progress("reading revisions", 0, todo)
    computed = 0
    failed: dict[str, str] = {}
    with closing(_computed_ahead(engine, waves(repositories, data.done, engine.slots, data.staging))) as found:
        try:
            for wave, written in found:
                failed |= wave.failed
                failed |= {row["repository"]: row["failure"] for row in written if row["failure"]}
                steps = {name: ids for name, ids in wave.steps.items() if name not in failed}
                if steps:
                    data.commit(wave.folder, [row for row in written if row["repository"] in steps], steps)
                rmtree(wave.folder, ignore_errors=True)
                computed += sum(len(set(ids)) for ids in steps.values())
                progress("reading revisions", computed, todo)
        except CheckerError as error:
            kept = f"{computed} of {todo} new revisions are computed and kept in {data.folder}"
            raise type(error)(f"{error}; {kept}: the same command goes on from there") from error
    repositories = [replace(a, failure=failed[a.name], steps=()) if a.name in failed else a for a in repositories]
    return audit_document(repositories, data, pipelines=pipelines, reused=len(known), computed=computed)


def _computed_ahead(engine: AuditEngine, waves: Iterable[Wave]) -> Generator[tuple[Wave, list[Json]], None, None]:
    """Waves in their order, each with the files that its tasks wrote.

    While tasks of a wave run the next ones are packed and begun, so that no slot waits for the last task of a wave.
    """
    if engine.slots == 1:
        yield from ((wave, _computed(engine, wave)) for wave in waves)
        return
    pool = ThreadPoolExecutor(_AHEAD)
    try:
        running: deque[tuple[Wave, Future[list[Json]]]] = deque()
        for wave in waves:
            running.append((wave, pool.submit(_computed, engine, wave)))
            if len(running) == _AHEAD:
                first, written = running.popleft()
                yield first, written.result()
        for first, written in running:
            yield first, written.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after a failure Spark ends, and what still runs with it


def _computed(engine: AuditEngine, wave: Wave) -> list[Json]:
    """Do the tasks of a wave: which files they wrote below its folder."""
    tasks = wave.tasks
    if not tasks:
        return []
    sent = {task.stretch: Path(task.stretch).read_bytes() for task in tasks} if engine.elsewhere else None
    written = list(engine.run(Computing(str(wave.folder), tasks, sent), len(tasks)))
    for row in written:
        if row["content"] is not None:
            place = wave.folder / row["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(row["content"])
    return written


def _unique(repositories: Sequence[AuditedRepository]) -> None:
    names: dict[str, str] = {}
    for audited in repositories:
        if audited.name in names:
            raise UsageError(f"{names[audited.name]} and {audited.place} are both called '{audited.name}'; rename one")
        names[audited.name] = audited.place
