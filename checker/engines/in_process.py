"""The engine without Spark: the stages, one pipeline after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable

from checker.report.check.document import Json
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.remembering import Judge

Progress = Callable[[str, int, int], None]
"""Called with stage name, units done, units in all."""


def quiet(stage: str, done: int, total: int) -> None:
    """No progress shown."""


def judge_pipelines(plan: CheckPlan, progress: Progress = quiet) -> list[Json]:
    """Every pipeline of either side, judged."""
    names = plan.names
    judged = []
    judge = Judge(plan)
    for done, name in enumerate(names):
        progress("pipelines", done, len(names))
        document = judge.judge(name).document
        if document is not None:
            judged.append(document)
    progress("pipelines", len(names), len(names))
    return judged
