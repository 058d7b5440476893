"""The deployment starts the new version without any state: by its upgrade mode, as another resource, without ``-s``."""

from checker.model.deployments import RESOURCES, UPGRADE_MODE, Deployment, DeploymentKind, UpgradeMode
from checker.model.findings import Evidence, Hit, Severity
from checker.model.topology import Kind
from checker.rules.base import Category, Hits, RuleContext, rule, titles_of

_WITH_STATE = {
    DeploymentKind.MANAGED_FLINK: "SnapshotsEnabled: true",
    DeploymentKind.VERVERICA: "restoreStrategy:\n  kind: LATEST_STATE",
}
"""What makes a deployment start with state, where that is no ``upgradeMode``."""


def _identity(deployment: Deployment, beside: Deployment) -> str:
    """The identity of a resource."""
    apart = deployment.namespace is not None and deployment.namespace != beside.namespace
    place = f" in namespace '{deployment.namespace}'" if apart else ""
    return f"{deployment.kind} '{deployment.identity or deployment.name}'{place}"


def _other_resource(before: Deployment, after: Deployment, states: str) -> Hits:
    """A hit where the operator takes the resource for a new one; a warning where it may, by its namespace."""
    old, new = _identity(before, after), _identity(after, before)
    evidence = (Evidence("resource", before=old, after=new),)
    if not before.is_succeeded_by(after):
        managed = after.kind is DeploymentKind.MANAGED_FLINK
        if managed:
            evidence = (Evidence("ApplicationName", before=before.identity, after=after.identity),)
        known = "which is a new application to the service" if managed else "which the operator takes for a new job"
        yield Hit(
            message=f"{old} became {new}, {known}: {states} start empty",
            operator_key="resource-name",
            evidence=evidence,
            repair=f"ApplicationName: {before.identity}"
            if managed
            else "job:\n  initialSavepointPath: the last savepoint of the job that it replaces",
            location=after.location,
        )
    elif before.kind in RESOURCES and before.kind is after.kind and before.namespace != after.namespace:
        yield Hit(
            message=f"{old} became {new}: if {old} ran in another namespace, the operator treats {new} as a new job, "
            f"and {states} start empty",
            operator_key="resource-name",
            evidence=evidence,
            repair="none, if that is the namespace that it runs in",
            location=after.location,
            at_most=Severity.WARNING,
        )


def _without_snapshot(before: Deployment, after: Deployment, states: str) -> Hits:
    """A hit where ``flink run`` named a snapshot so far, and names none now."""
    if before.kind is not DeploymentKind.COMMAND or after.kind is not DeploymentKind.COMMAND:
        return
    unknown = (after.jar or "").startswith(("$", "{{"))  # a variable that may hold options
    if before.starts_from_snapshot and not after.starts_from_snapshot and not unknown:
        yield Hit(
            message=f"flink run names no savepoint any more: {states} start empty",
            operator_key="from-savepoint",
            evidence=(Evidence("--fromSavepoint", before=before.savepoint, after=None),),
            repair="--fromSavepoint, with the last savepoint of the job that is replaced",
            location=after.location,
        )


def _mode(before: Deployment | None, after: Deployment) -> UpgradeMode | None:
    """The upgrade mode of a deployment; ``JobSpec`` has ``stateless`` where a line that named another one is gone."""
    gone = before is not None and before.upgrade_mode in (UpgradeMode.SAVEPOINT, UpgradeMode.LAST_STATE)
    if gone and after.upgrade_mode is None and after.kind in RESOURCES and UPGRADE_MODE not in after.filled_later:
        return UpgradeMode.STATELESS
    return after.upgrade_mode


@rule("The deployment starts the job without state", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """Hits for a change to `stateless` (info if it was so before), another resource, and a start without `-s`."""
    before, after = context.base.deployment, context.head.deployment
    if after is None or context.base.translation is None:
        return
    stateful = [r.base for r in context.comparison.operators if r.base is not None and r.stateful is not False]
    followed = all(t.kind is not Kind.UNKNOWN for t in context.base.translation.topology.transformations)
    states = titles_of(stateful) if stateful or followed else "all operators with state"
    if before is not None and states and after.savepoint is None:
        yield from _other_resource(before, after, states)
        yield from _without_snapshot(before, after, states)
    mode = _mode(before, after)
    if mode is not UpgradeMode.STATELESS:
        return
    was = before.upgrade_mode if before is not None else None
    if not states or (was is UpgradeMode.STATELESS and not context.changed):
        return
    default = "" if after.upgrade_mode is mode else ", which is the operator's default"
    known = "" if before is not None else ", if it ran before: nothing in the base says so"
    yield Hit(
        message=f"the deployment starts every new version without state{default}: {states} start empty{known}",
        operator_key="upgrade-mode",
        evidence=(Evidence("upgradeMode", before=was, after=after.upgrade_mode),),
        repair=_WITH_STATE.get(after.kind, "upgradeMode: savepoint"),
        location=after.place_of("job.upgradeMode"),
        at_most=Severity.INFO if was is UpgradeMode.STATELESS else Severity.WARNING if before is None else None,
    )
