"""How far a Spark job is, on a terminal: tasks done of tasks in all, asked for now and then."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from checker.engines.in_process import quiet
from checker.engines.progress import progress_bar
from checker.engines.spark.session import SparkRun


@contextmanager
def task_progress(run: SparkRun, tasks: int, stage: str = "pipelines") -> Iterator[None]:
    """Show the job that runs inside of the context."""
    draw = progress_bar()
    context = getattr(run.session, "_sc", None)
    if draw is quiet or context is None or tasks < 2:
        yield
        return
    ended = threading.Event()
    tracker = context.statusTracker()

    def watch() -> None:
        while not ended.wait(0.3):
            stages = [tracker.getStageInfo(s) for s in tracker.getActiveStageIds()]
            done = sum(s.numCompletedTasks for s in stages if s is not None)
            total = sum(s.numTasks for s in stages if s is not None) or tasks
            draw(stage, min(done, total - 1), total)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        draw(stage, tasks, tasks)
