"""The deployment runs the job with another default parallelism."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.deployments import Deployment
from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, rule


@rule("The deployment's parallelism changed", Severity.INFO, Category.PARALLELISM)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit where both sides say a parallelism and the job keeps state."""
    before, after = context.base.deployment, context.head.deployment
    if before is None or after is None or not any(r.base and r.stateful for r in context.comparison.operators):
        return
    old, new = _parallelism(before), _parallelism(after)
    if old is not None and new is not None and old != new:
        yield Hit(
            message=f"the deployment's parallelism changes from {old} to {new}: keyed state moves with its key groups, "
            "state in lists is dealt out anew",
            operator_key="parallelism",
            evidence=(Evidence("parallelism", before=old, after=new),),
            repair="no action is needed as long as no other finding names an operator",
            location=after.place_of("job.parallelism", "parallelism.default"),
        )


def _parallelism(deployment: Deployment) -> str | None:
    given = dict(deployment.configuration).get("parallelism.default")
    return given if deployment.parallelism is None else str(deployment.parallelism)
