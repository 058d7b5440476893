"""``audit`` from repositories to a report: compute what is new, commit it wave by wave, then gather."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from uuid import uuid4

import pyarrow as pa

from checker.errors import CheckerError, UsageError
from checker.model.nested import Json
from checker.workflows.audit.collecting import AuditEngine, Progress, Row, collect
from checker.workflows.audit.computing import Computing
from checker.workflows.audit.datasets import POINTS, Datasets
from checker.workflows.audit.planning import AuditedRepository
from checker.workflows.audit.report import audit_document
from checker.workflows.audit.stretches import Wave, waves

_AHEAD = 3
"""Waves that are packed or computed at the same time."""


def run_audit(
    repositories: Sequence[AuditedRepository],
    engine: AuditEngine,
    data: Datasets,
    *,
    pipelines: tuple[str, ...] = (),
    operator: str | None = None,
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
    with closing(_computed_ahead(engine, data, waves(repositories, data.done, engine.slots, data.staging))) as found:
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
            kept = f"{computed} of {todo} new revisions are computed and kept in {data.place}"
            raise type(error)(f"{error}; {kept}: the same command goes on from there") from error
    repositories = [replace(a, failure=failed[a.name], steps=()) if a.name in failed else a for a in repositories]
    points = [
        {"repository": a.name, "step": s.id, "series": s.series, "place": place, "first": s.base is None}
        for a in repositories
        for place, s in enumerate(a.steps)
    ]
    table = pa.Table.from_pylist(points, schema=POINTS)
    collected = collect(engine, data, table, operator=operator, pipelines=pipelines)
    if pipelines and repositories and not collected.lines and not any(a.failure for a in repositories):
        raise UsageError(f"no pipeline called {', '.join(pipelines)} in any of these revisions")
    return audit_document(
        repositories, collected, operator=operator, reused=len(known), computed=computed, notes=data.notes
    )


def _computed_ahead(
    engine: AuditEngine, data: Datasets, waves: Iterable[Wave]
) -> Generator[tuple[Wave, list[Row]], None, None]:
    """Waves in their order, each with the files that its tasks wrote.

    While tasks of a wave run the next ones are packed and begun, so that no slot waits for the last task of a wave.
    """
    if engine.slots == 1:
        yield from ((wave, _computed(engine, data, wave)) for wave in waves)
        return
    pool = ThreadPoolExecutor(_AHEAD)
    try:
        running: deque[tuple[Wave, Future[list[Row]]]] = deque()
        for wave in waves:
            running.append((wave, pool.submit(_computed, engine, data, wave)))
            if len(running) == _AHEAD:
                first, written = running.popleft()
                yield first, written.result()
        for first, written in running:
            yield first, written.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after a failure Spark ends, and what still runs with it


def _computed(engine: AuditEngine, data: Datasets, wave: Wave) -> list[Row]:
    """Do the tasks of a wave: which files they wrote below its folder."""
    tasks = wave.tasks
    if not tasks:
        return []
    if data.store is None or not engine.elsewhere:
        return list(engine.run(Computing(str(wave.folder), tasks), len(tasks)))
    exchange = data.store.below(f"staging/{uuid4().hex}")
    sent = tuple(replace(task, stretch=Path(task.stretch).relative_to(wave.folder).as_posix()) for task in tasks)
    try:
        exchange.send(sorted({task.stretch for task in sent}), wave.folder)
        written = list(engine.run(Computing(exchange.url, sent), len(sent)))
        exchange.fetch([row["path"] for row in written if row["path"] is not None], wave.folder)
    finally:
        exchange.remove()
    return written


def _unique(repositories: Sequence[AuditedRepository]) -> None:
    names: dict[str, str] = {}
    for audited in repositories:
        if audited.name in names:
            raise UsageError(f"{names[audited.name]} and {audited.place} are both called '{audited.name}'; rename one")
        names[audited.name] = audited.place
