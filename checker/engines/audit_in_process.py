"""An audit without Spark: the same tasks, one after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterator

from checker.workflows.audit.collecting import Row, Tasks


class InProcessAudit:
    """The engine of ``--engine in-process``."""

    slots = 1
    elsewhere = False

    def run(self, tasks: Tasks, count: int) -> Iterator[Row]:
        """The rows of all tasks."""
        for number in range(count):
            yield from tasks(number)
