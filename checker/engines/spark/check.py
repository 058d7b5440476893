"""The engine on Spark: the same stages as in process, in one ``mapInArrow`` over rows that carry their files."""

from __future__ import annotations

import json

from checker.engines.spark.progress import task_progress
from checker.engines.spark.session import SparkRun, spark_run
from checker.model.sources import links_of
from checker.report.check.document import Json
from checker.workflows.carried_files import carried_work
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage


def judge_pipelines(plan: CheckPlan, *, master: str, remote: str | None, verbose: bool) -> list[Json]:
    """Every pipeline of either side, judged on Spark. Raises SparkError when Spark does not do its part."""
    if not plan.names:
        return []
    with spark_run(master=master, remote=remote, verbose=verbose) as run:
        return judge_on(run, plan)


def judge_on(run: SparkRun, plan: CheckPlan) -> list[Json]:
    """Every pipeline, judged in a session that is there already."""
    from checker.engines.spark.rows import JUDGED_DDL, judging, task_rows

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
            frame = run.session.createDataFrame(tasks).mapInArrow(judging(work.plan), JUDGED_DDL)
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
