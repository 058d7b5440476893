"""The deployment starts the new version without any state: by its upgrade mode, or as another resource."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.deployments import Deployment, DeploymentKind, UpgradeMode
from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, rule, titles_of

_RESOURCES = (DeploymentKind.FLINK_DEPLOYMENT, DeploymentKind.FLINK_SESSION_JOB, DeploymentKind.BLUE_GREEN)


def _is_another_resource(before: Deployment, after: Deployment) -> bool:
    """Whether Kubernetes has the new version under another name, and nothing says which savepoint it starts from."""
    alike = before.kind in _RESOURCES and after.kind in _RESOURCES and before.location.file == after.location.file
    return alike and (before.kind, before.name) != (after.kind, after.name) and after.savepoint is None


@rule("The deployment starts the job without state", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit for a change to `stateless`, info if it was so before; one for another name of the resource."""
    before, after = context.base.deployment, context.head.deployment
    if after is None or context.base.translation is None:
        return
    stateful = [r.base for r in context.comparison.operators if r.base is not None and r.stateful is not False]
    if before is not None and stateful and _is_another_resource(before, after):
        yield Hit(
            message=f"{after.kind} '{before.name}' became '{after.name}', which the operator takes for a new job: "
            f"{titles_of(stateful)} start empty",
            operator_key="resource-name",
            evidence=(Evidence("metadata.name", before=before.name, after=after.name),),
            repair="job:\n  initialSavepointPath: the last savepoint of the job that it replaces",
            location=after.location,
        )
    if after.upgrade_mode is not UpgradeMode.STATELESS:
        return
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
