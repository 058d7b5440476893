"""The deployment's upgrade mode starts the new version without any state."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.deployments import UpgradeMode
from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, rule, titles_of


@rule("The deployment starts the job without state", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit for a change to `stateless`; one of severity info where a changed pipeline was `stateless` before."""
    before, after = context.base.deployment, context.head.deployment
    if after is None or after.upgrade_mode is not UpgradeMode.STATELESS or context.base.translation is None:
        return
    stateful = [r.base for r in context.comparison.operators if r.base is not None and r.stateful is not False]
    was = before.upgrade_mode if before is not None else None
    if not stateful or (was is UpgradeMode.STATELESS and not context.changed):
        return
    yield Hit(
        message=f"the deployment starts every new version without state: {titles_of(stateful)} start empty",
        operator_key="upgrade-mode",
        evidence=(Evidence("upgradeMode", before=was, after=after.upgrade_mode),),
        repair="upgradeMode: savepoint",
        location=after.location,
        at_most=Severity.INFO if was is UpgradeMode.STATELESS else None,
    )
