"""The deployment starts the new version without any state: by its upgrade mode, or as another resource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from checker.model.deployments import RESOURCES, Deployment, UpgradeMode
from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, rule, titles_of


def _identity(deployment: Deployment, beside: Deployment) -> str:
    """The identity of a resource."""
    apart = deployment.namespace is not None and deployment.namespace != beside.namespace
    place = f" in namespace '{deployment.namespace}'" if apart else ""
    return f"{deployment.kind} '{deployment.name}'{place}"


def _other_resource(before: Deployment, after: Deployment, states: str) -> Iterator[Hit]:
    """A hit where the operator takes the resource for a new one; a warning where it may, by its namespace."""
    old, new = _identity(before, after), _identity(after, before)
    evidence = (Evidence("resource", before=old, after=new),)
    if not before.is_succeeded_by(after):
        yield Hit(
            message=f"{old} became {new}, which the operator takes for a new job: {states} start empty",
            operator_key="resource-name",
            evidence=evidence,
            repair="job:\n  initialSavepointPath: the last savepoint of the job that it replaces",
            location=after.location,
        )
    elif before.kind in RESOURCES and before.kind is after.kind and before.namespace != after.namespace:
        yield Hit(
            message=f"{old} is {new} now: if it ran in another namespace so far, the operator takes it for a new job, "
            f"and {states} start empty",
            operator_key="resource-name",
            evidence=evidence,
            repair="none, if that is the namespace that it runs in",
            location=after.location,
            at_most=Severity.WARNING,
        )


@rule("The deployment starts the job without state", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit for a change to `stateless`, info if it was so before; one for another resource in its place."""
    before, after = context.base.deployment, context.head.deployment
    if after is None or context.base.translation is None:
        return
    stateful = [r.base for r in context.comparison.operators if r.base is not None and r.stateful is not False]
    if before is not None and stateful and after.savepoint is None:
        yield from _other_resource(before, after, titles_of(stateful))
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
