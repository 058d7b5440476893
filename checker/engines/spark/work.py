"""The work on Spark, in one ``mapInArrow`` without a shuffle: a row is only the number of a task.

The pipelines of a check travel with every file that they may need. So do the tasks of an audit, of even size, on other
machines: the files that they make come back as rows. On this machine they read what they need from the folder of the
datasets, and write there.
"""

import gc
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from checker.cache import active_cache, use_cache
from checker.engines.progress import say
from checker.engines.spark.session import ATTEMPTS, SparkRun, spark_run
from checker.model.nested import Json
from checker.model.sources import links_of
from checker.workflows.audit.auditing import Computing
from checker.workflows.audit.datasets import ddl
from checker.workflows.audit.judging import columns
from checker.workflows.carried_files import CarriedFiles, NotCarriedError, carried_plan
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage


@dataclass(frozen=True)
class Judging:
    """The tasks of a check: each judges some pipelines of a ``carried_plan``, as many as the others."""

    plan: CheckPlan
    names: Sequence[str]
    count: int
    schema = pa.schema(columns("name document: string; missed: [string]"))
    """``missed`` are files that did not travel: such a pipeline is judged at home."""

    def __call__(self, number: int) -> list[Json]:
        """Do a task."""
        return [self._judged(name) for name in self.names[number :: self.count]]

    def _judged(self, name: str) -> Json:
        sides = [side for side in (self.plan.base_files, self.plan.head_files) if isinstance(side, CarriedFiles)]
        for side in sides:
            side.missed.clear()
        document = None
        with suppress(NotCarriedError):
            document = pipeline_stage(self.plan, name)
        asked = sorted({path for side in sides for path in side.missed})
        text = None if document is None or asked else json.dumps(document, ensure_ascii=False)
        return {"name": name, "document": text, "missed": asked}

    def given_up(self, number: int, why: str) -> list[Json]:
        """The answer of a task that can't be done there."""
        return [{"name": name, "document": None, "missed": [why]} for name in self.names[number :: self.count]]


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
    count = min(run.slots, len(travelling))
    answers = done_on(run, Judging(carried_plan(plan), travelling, count), count) if travelling else ()
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
        """The rows of all tasks."""
        return done_on(self._run, tasks, count)


def done_on(run: SparkRun, tasks: Computing | Judging, count: int) -> Iterator[Json]:
    """The rows of all tasks, each begun in the order of its number."""
    schema = tasks.schema
    cache = active_cache()
    shared = cache.file.parent if cache is not None and run.local else None

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

    frame = run.session.range(0, count, 1, count).mapInArrow(begun, ddl(schema))
    say(f"reading pipelines on Spark, in {count} tasks")
    for batch in frame.toArrow().to_batches(max_chunksize=1_000):
        yield from batch.to_pylist()
