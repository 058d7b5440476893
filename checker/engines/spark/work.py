"""The engine on Spark: the same stages as in process, in one ``mapInArrow`` over rows that carry their files.

An audit on Spark: tasks of even size; a row of Spark is only the number of a task.

On this machine a task reads what it needs from the folder of the datasets and writes there. On others its stretch
travels with it, and the files that it makes come back as rows. Nothing is shuffled.
"""

from __future__ import annotations

import contextlib
import gc
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa

from checker.cache import active_cache, use_cache
from checker.engines.spark.session import ATTEMPTS, SparkRun, spark_run, task_progress
from checker.model.nested import Json
from checker.model.sources import links_of, submodules_of
from checker.workflows.audit.auditing import Computing
from checker.workflows.audit.datasets import ddl
from checker.workflows.audit.judging import columns
from checker.workflows.audit.stretches import CONTENT, FILE
from checker.workflows.carried_files import CarriedFiles, CarriedWork, NotCarriedError, carried_work
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage

TASKS = pa.schema(
    [
        *columns("names: [string]"),
        ("base", pa.list_(FILE)),
        ("head", pa.list_(FILE)),
        ("contents", pa.list_(CONTENT)),
    ]
)
JUDGED = pa.schema(columns("name document: string; missed: [string]"))

Batches = Iterator[pa.RecordBatch]


def task_rows(work: CarriedWork, slots: int) -> pa.Table:
    """The work, spread over at most ``slots`` rows."""
    rows = min(slots, len(work.names))
    packed = [{"content_id": key, "packed": data} for key, data in work.packed.items()]
    return pa.table(
        {
            "names": [list(work.names[row::rows]) for row in range(rows)],
            "base": [_listed(work.base)] * rows,
            "head": [_listed(work.head)] * rows,
            "contents": [packed] * rows,
        },
        schema=TASKS,
    )


def _listed(listing: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"path": path, "content_id": key} for path, key in listing.items()]


def judging(plan: CheckPlan) -> Callable[[Batches], Batches]:
    """The task: rows of ``TASKS`` to rows of ``JUDGED``. The plan, which has no files, travels with it."""

    def judge(batches: Batches) -> Batches:
        for batch in batches:
            for row in batch.to_pylist():
                packed = {c["content_id"]: c["packed"] for c in row["contents"]}
                base, head = (
                    CarriedFiles(
                        {f["path"]: f["content_id"] for f in row[side]},
                        packed,
                        links=links_of(files),
                        submodules=submodules_of(files),
                    )
                    for side, files in (("base", plan.base_files), ("head", plan.head_files))
                )
                task = replace(plan, base_files=base, head_files=head)
                for name in row["names"]:
                    yield _judged(task, name, base.missed, head.missed)

    return judge


def _judged(plan: CheckPlan, name: str, *missed: list[str]) -> pa.RecordBatch:
    for paths in missed:
        paths.clear()
    document = None
    with contextlib.suppress(NotCarriedError):
        document = pipeline_stage(plan, name)
    asked = sorted({path for paths in missed for path in paths})
    text = None if document is None or asked else json.dumps(document, ensure_ascii=False)
    return pa.RecordBatch.from_pydict({"name": [name], "document": [text], "missed": [asked]}, schema=JUDGED)


def judge_on_spark(plan: CheckPlan, *, master: str, remote: str | None, verbose: bool) -> list[Json]:
    """Every pipeline of either side, judged on Spark. Raises SparkError when Spark does not do its part."""
    if not plan.names:
        return []
    with spark_run(master=master, remote=remote, verbose=verbose) as run:
        return judge_on(run, plan)


def judge_on(run: SparkRun, plan: CheckPlan) -> list[Json]:
    """Every pipeline, judged in a session that is there already."""

    # What was read by running it, out of its own build, has nothing left to be read elsewhere.
    at_home = {r.name for r in (*plan.base_read, *plan.head_read)}
    if links_of(plan.base_files) or links_of(plan.head_files):
        at_home = set(plan.names)  # symbolic links do not travel
    travelling = [name for name in plan.names if name not in at_home]
    judged: dict[str, Json] = {}
    answers = []
    if travelling:
        work = carried_work(plan, travelling)
        tasks = task_rows(work, run.slots)
        with task_progress(run, tasks.num_rows):
            frame = run.session.createDataFrame(tasks).mapInArrow(judging(work.plan), ddl(JUDGED))
            answers = frame.toArrow().to_pylist()
    for answer in answers:
        if answer["missed"]:
            at_home.add(answer["name"])
        elif answer["document"] is not None:
            judged[answer["name"]] = json.loads(answer["document"])
    for name in sorted(at_home.intersection(plan.names)):
        document = pipeline_stage(plan, name)
        if document is not None:
            judged[name] = document
    return [judged[name] for name in sorted(judged)]


_DIED = f"its worker process died {ATTEMPTS - 1} times while reading it (out of memory, or a crash)"


class SparkAudit:
    """The engine of ``--engine spark``, within a session that somebody else ends."""

    def __init__(self, run: SparkRun) -> None:
        self._run, self.slots, self.elsewhere = run, run.slots, not run.local
        self.beginning = threading.Thread(target=self._begin, daemon=True)
        self.beginning.start()

    def _begin(self) -> None:
        """Have Spark start its Python processes, while the driver looks for work."""
        with suppress(Exception):  # work that fails says why
            self._run.session.range(0, self.slots, 1, self.slots).mapInArrow(lambda rows: rows, "id long").toArrow()

    def run(self, tasks: Computing, count: int) -> Iterator[Json]:
        """The rows of all tasks, each begun in the order of its number."""
        schema = tasks.schema
        cache = active_cache()
        shared = cache.file.parent if cache is not None and self._run.local else None

        def begun(batches: Iterator[Any]) -> Iterator[pa.RecordBatch]:
            from pyspark import TaskContext

            context = TaskContext.get()
            attempt = 0 if context is None else context.attemptNumber()
            use_cache(shared)
            gc.unfreeze()
            try:
                for batch in batches:
                    for number in batch.column(0).to_pylist():
                        rows = tasks(number) if attempt < ATTEMPTS - 1 else tasks.given_up(number, _DIED)
                        yield from pa.Table.from_pylist(rows, schema=schema).to_batches()
            finally:
                use_cache(None)
                gc.freeze()  # PySpark now searches what it finds for garbage: a growing heap, after every task

        frame = self._run.session.range(0, count, 1, count).mapInArrow(begun, ddl(schema))
        with task_progress(self._run, count):
            found = frame.toArrow()
        for batch in found.to_batches(max_chunksize=1_000):
            yield from batch.to_pylist()
