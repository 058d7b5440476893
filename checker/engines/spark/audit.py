"""An audit on Spark: tasks of even size; a row of Spark is only the number of a task.

A task reads what it needs from the folder of the datasets and writes there: no row travels through the JVM, nothing is
shuffled, and the driver sees names of files and the report's own rows.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pyarrow as pa

from checker.cache import active_cache, use_cache
from checker.engines.spark.session import ATTEMPTS, SparkRun, task_progress
from checker.workflows.audit.collecting import Row, Tasks
from checker.workflows.audit.datasets import ddl

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

    def run(self, tasks: Tasks, count: int) -> Iterator[Row]:
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
