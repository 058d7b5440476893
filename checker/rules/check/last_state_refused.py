"""A savepoint restores, but high availability and last-state upgrades refuse the changed job."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.deployments import UpgradeMode
from checker.model.findings import Evidence, OperatorSide, RestorePath, Severity, Verdict
from checker.rules.base import Category, Hit, RuleContext, rule, titles_of


@rule("A restart from the last checkpoint is refused", Severity.INFO, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """At most one hit per pipeline; none where its deployment upgrades like this, which is a finding of its own."""
    deployment = context.head.deployment
    sides = refused_only_there(context)
    if not sides or (deployment is not None and deployment.upgrade_mode is UpgradeMode.LAST_STATE):
        return
    yield Hit(
        message=f"a last-state upgrade is refused although {sentence(sides)}",
        operator_key="last-state",
        base=sides[0],
        followers=tuple(sides[1:]),
        evidence=tuple(Evidence("not claimed", before=f"{s.name} {s.id}") for s in sides),
        repair="deploy this change with a savepoint",
        location=sides[0].location,
    )


def refused_only_there(context: RuleContext) -> list[OperatorSide]:
    """The operators whose entries that path refuses; none where a savepoint is refused anyway."""
    rows = context.comparison.operators
    if not context.comparable or any(r.verdict(RestorePath.SAVEPOINT) is Verdict.FAILS for r in rows):
        return []
    return [r.base for r in rows if r.base is not None and r.verdict(RestorePath.LAST_STATE) is Verdict.FAILS]


def sentence(sides: list[OperatorSide]) -> str:
    """Why, as a clause."""
    return f"a savepoint restores: the ids of {titles_of(sides)} are gone, and it refuses even entries without state"
