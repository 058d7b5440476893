"""The engine on Spark: the same stages as in process, in one ``mapInArrow`` over rows that carry their files."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from checker.engines.spark.progress import task_progress
from checker.engines.spark.session import SparkRun
from checker.engines.spark.standing import asked_of, nearest_run, standing
from checker.model.sources import links_of
from checker.report.check.document import Json
from checker.workflows.carried_files import CarriedWork, carried_work
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage

Answers = list[dict[str, Any]]
"""Rows as ``rows.JUDGED`` describes them."""


def judge_pipelines(plan: CheckPlan, *, master: str, remote: str | None, verbose: bool) -> list[Json]:
    """Every pipeline of either side, judged on Spark. Raises SparkError when Spark does not do its part."""
    if not plan.names:
        return []
    there = standing() if remote is None and master.startswith("local") else None
    if there is not None:
        return _judged(plan, lambda work: asked_of(there, work))
    with nearest_run(master=master, remote=remote, verbose=verbose) as run:
        return judge_on(run, plan)


def judge_on(run: SparkRun, plan: CheckPlan) -> list[Json]:
    """Every pipeline, judged in a session that is there already."""
    return _judged(plan, lambda work: answers_on(run, work))


def answers_on(run: SparkRun, work: CarriedWork) -> Answers:
    """What Spark's tasks answer."""
    from checker.engines.spark.rows import JUDGED_DDL, judging, task_rows

    tasks = task_rows(work, run.slots)
    frame = run.session.createDataFrame(tasks)
    with task_progress(run, tasks.num_rows):
        answers: Answers = frame.mapInArrow(judging(work.plan), JUDGED_DDL).toArrow().to_pylist()
    return answers


def _judged(plan: CheckPlan, answers: Callable[[CarriedWork], Answers]) -> list[Json]:
    # What was read by running it, out of its own build, has nothing left to be read elsewhere.
    at_home = {r.name for r in (*plan.base_read, *plan.head_read)}
    if links_of(plan.base_files) or links_of(plan.head_files):
        at_home = set(plan.names)  # symbolic links do not travel
    travelling = [name for name in plan.names if name not in at_home]
    judged: dict[str, Json] = {}
    for answer in answers(carried_work(plan, travelling)) if travelling else ():
        if answer["missed"]:
            at_home.add(answer["name"])
        elif answer["document"] is not None:
            judged[answer["name"]] = json.loads(answer["document"])
    for name in sorted(at_home.intersection(plan.names)):
        document = pipeline_stage(plan, name)
        if document is not None:
            judged[name] = document
    return [judged[name] for name in sorted(judged)]
