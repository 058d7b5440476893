"""What a hook checks: the pipelines that the change between two revisions may reach, and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from checker.extract.runtime.extracting import Execution
from checker.report.check.document import Json
from checker.revisions import Repository
from checker.workflows.check.comparing_revisions import plan_check, run_check
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage
from checker.workflows.reach import Memory


def judge_reached(repo: Path, base: str | None, head: str) -> Json | None:
    """The report on the pipelines that the change may reach; None where it reaches none of those that there are."""
    plan = plan_check(repo, base=base, head=head, execution=Execution(fetch=False))
    memory = Memory(Repository(repo).own_folder())
    reached = [name for name in plan.names if memory.reaches(plan, name)]
    if plan.names and not reached:
        return None

    def judge(plan: CheckPlan) -> list[Json]:
        judged = [document for name in reached if (document := pipeline_stage(plan, name)) is not None]
        memory.learn(plan, judged)
        return judged

    return run_check(replace(plan, partial=len(reached) < len(plan.names)), judge)
