"""The engines without Spark: pipelines of a check, and tasks of an audit, one after the other in this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from checker.engines.progress import counted
from checker.report.check.document import Json
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage

if TYPE_CHECKING:  # which needs pyarrow
    from checker.workflows.audit.collecting import Row, Tasks


def judge_pipelines(plan: CheckPlan) -> list[Json]:
    """Every pipeline of either side, judged."""
    judged = []
    for done, name in enumerate(plan.names):
        counted("reading pipelines", done, len(plan.names))
        judged.append(pipeline_stage(plan, name))
    return [document for document in judged if document is not None]


class InProcessAudit:
    """The engine of ``--engine in-process``."""

    slots = 1
    elsewhere = False

    def run(self, tasks: Tasks, count: int) -> Iterator[Row]:
        """The rows of all tasks."""
        for number in range(count):
            yield from tasks(number)
