"""The engine without Spark: the stages, one pipeline after the other, in this process."""

from __future__ import annotations

from checker.engines.progress import counted
from checker.report.check.document import Json
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.remembering import Judge


def judge_pipelines(plan: CheckPlan) -> list[Json]:
    """Every pipeline of either side, judged."""
    names = plan.names
    judged = []
    judge = Judge(plan)
    for done, name in enumerate(names):
        counted("reading pipelines", done, len(names))
        document = judge.judge(name).document
        if document is not None:
            judged.append(document)
    return judged
