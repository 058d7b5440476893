"""What a hook checks: the pipelines that the change between two revisions may reach, and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from checker.extract.runtime.execution import Execution
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.report.check.document import Json
from checker.settings import FILE, PYPROJECT
from checker.workflows.check.comparing_revisions import plan_check, run_check
from checker.workflows.check.remembering import Judge
from checker.workflows.unreached import Reaching


def judge_reached(
    repo: Path, base: str | None, head: str, edited: frozenset[str], reaching: Reaching | None
) -> Json | None:
    """The report on the pipelines that the change may reach; None where it reaches none of those that there are.

    An edited configuration reaches all of them.
    """
    configured = not edited.isdisjoint((FILE, PYPROJECT))

    def spared(entry: PipelineEntry) -> bool:
        by_name = entry.extract is ExtractorKind.JAVA and reaching is not None and reaching.spares(entry.file)
        return by_name and not configured

    plan = plan_check(repo, base=base, head=head, execution=Execution(fetch=False), spared=spared)
    judge = Judge(plan)
    found = [judge.judge(name) for name in plan.names]
    judged = [one.document for one in found if one.document is not None and (one.reached or configured)]
    if not judged and (plan.names or plan.partial):
        return None
    return run_check(replace(plan, partial=plan.partial or len(judged) < len(plan.names)), lambda _: judged)
