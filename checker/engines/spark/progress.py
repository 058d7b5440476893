"""Progress of a Spark job for a waiting person: finished tasks and all tasks, polled at intervals."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from checker.engines.progress import counted
from checker.engines.spark.session import SparkRun


@contextmanager
def task_progress(run: SparkRun, tasks: int) -> Iterator[None]:
    """Say how far the job is that runs inside of the context."""
    context = getattr(run.session, "_sc", None)
    if context is None or tasks < 2:
        yield
        return
    ended = threading.Event()
    tracker = context.statusTracker()

    def watch() -> None:
        while not ended.wait(0.3):
            stages = [tracker.getStageInfo(s) for s in tracker.getActiveStageIds()]
            done = sum(s.numCompletedTasks for s in stages if s is not None)
            total = sum(s.numTasks for s in stages if s is not None) or tasks
            counted("reading pipelines on Spark, task", done, total)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
