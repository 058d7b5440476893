"""Rules about how the job is deployed: its arguments, its upgrade mode, and which state it starts from."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping

from checker.model.deployments import RESOURCES, UPGRADE_MODE, Deployment, DeploymentKind, UpgradeMode
from checker.model.findings import Evidence, OperatorSide, RestorePath, Severity, Verdict
from checker.model.secrets import masked_arguments
from checker.model.topology import Kind
from checker.rules.base import Category, Hit, RuleContext, rule, titles_of


@rule("The deployment's arguments changed", Severity.INFO, Category.RESTORE)
def deployment_arguments_changed(context: RuleContext) -> Iterable[Hit]:
    """The deployment gives the program other arguments.

    One hit where arguments, environment variables or property groups differ; only arguments are shown.
    """
    before, after = context.base.deployment, context.head.deployment
    if before is None or after is None or context.base.translation is None:
        return
    evidence = []
    if before.args != after.args and before.args is not None and after.args is not None:
        old_args, new_args = (shlex.join(masked_arguments(side.args or ())) for side in (before, after))
        evidence.append(Evidence("arguments", before=old_args, after=new_args))
    for what, old, new in (
        ("environment variables", dict(before.environment), dict(after.environment)),
        ("properties", _properties(before), _properties(after)),
    ):
        names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        evidence += [Evidence(what, after=", ".join(names))] if names else []
    if evidence:
        yield Hit(
            message=f"the deployment gives the program other {' and '.join(e.name for e in evidence)}: "
            "both revisions are read with their own",
            operator_key="arguments",
            evidence=tuple(evidence),
            repair="no action is needed as long as no other finding names an operator",
            location=after.place_of("job.args"),
        )


def _properties(deployment: Deployment) -> Mapping[str, str | None]:
    return {f"{group}.{key}": value for group, values in deployment.properties for key, value in values}


@rule("The deployment lets unclaimed state be dropped", Severity.WARNING, Category.RESTORE)
def deployment_drops_state(context: RuleContext) -> Iterable[Hit]:
    """The deployment lets Flink drop state that no operator claims.

    One hit where the head's deployment allows what the base's did not.
    """
    before, after = context.base.deployment, context.head.deployment
    if after is None or not after.allow_non_restored_state or context.base.translation is None:
        return
    if before is None or not before.allow_non_restored_state:
        yield Hit(
            message="the deployment now lets Flink drop state that no operator claims",
            operator_key="allow-non-restored-state",
            evidence=(Evidence("allowNonRestoredState", before="false", after="true"),),
            repair="remove it again once the upgrade that needs it is through",
            location=after.place_of("job.allowNonRestoredState"),
        )


_MEANING = {
    UpgradeMode.SAVEPOINT: "upgrades start from a savepoint that is taken before",
    UpgradeMode.LAST_STATE: "upgrades start from the last checkpoint, which allows no change of the job's ids",
}


@rule("The deployment's upgrade mode changed", Severity.INFO, Category.RESTORE)
def deployment_mode_changed(context: RuleContext) -> Iterable[Hit]:
    """The deployment upgrades in another way than before.

    One hit; a change to ``stateless`` is one of ``deployment-starts-empty``.
    """
    before, after = context.base.deployment, context.head.deployment
    if before is None or after is None or before.upgrade_mode is None or after.upgrade_mode not in _MEANING:
        return
    if before.upgrade_mode is not after.upgrade_mode:
        was = " (so far they started without state)" if before.upgrade_mode is UpgradeMode.STATELESS else ""
        yield Hit(
            message=f"from now on {_MEANING[after.upgrade_mode]}{was}",
            operator_key="upgrade-mode",
            evidence=(Evidence("upgradeMode", before=before.upgrade_mode, after=after.upgrade_mode),),
            repair="none, if that is intended",
            location=after.place_of("job.upgradeMode"),
        )


@rule("A restart from the last checkpoint is refused", Severity.INFO, Category.RESTORE)
def last_state_refused(context: RuleContext) -> Iterable[Hit]:
    """A savepoint restores, but high availability and last-state upgrades refuse the changed job.

    At most one hit per pipeline; none where its deployment upgrades like this, which is a finding of its own.
    """
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


@rule("The deployment's upgrade mode is refused for this change", Severity.ERROR, Category.RESTORE)
def deployment_mode_refused(context: RuleContext) -> Iterable[Hit]:
    """The deployment upgrades from the last checkpoint, and on that path Flink refuses the changed job.

    At most one hit per pipeline, where a savepoint would restore.
    """
    after = context.head.deployment
    if after is None or after.upgrade_mode is not UpgradeMode.LAST_STATE:
        return
    sides = refused_only_there(context)
    if sides:
        yield Hit(
            message=f"the deployment upgrades by last-state, which is refused although {sentence(sides)}",
            operator_key="upgrade-mode",
            base=sides[0],
            followers=tuple(sides[1:]),
            evidence=tuple(Evidence("not claimed", before=f"{s.name} {s.id}") for s in sides),
            repair="upgradeMode: savepoint for this change",
            location=after.place_of("job.upgradeMode"),
        )


def _identity(deployment: Deployment, beside: Deployment) -> str:
    """The identity of a resource."""
    apart = deployment.namespace is not None and deployment.namespace != beside.namespace
    place = f" in namespace '{deployment.namespace}'" if apart else ""
    return f"{deployment.kind} '{deployment.identity or deployment.name}'{place}"


def _other_resource(before: Deployment, after: Deployment, states: str) -> Iterator[Hit]:
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
            message=f"{old} is {new} now: if it ran in another namespace so far, the operator takes it for a new job, "
            f"and {states} start empty",
            operator_key="resource-name",
            evidence=evidence,
            repair="none, if that is the namespace that it runs in",
            location=after.location,
            at_most=Severity.WARNING,
        )


def _without_snapshot(before: Deployment, after: Deployment, states: str) -> Iterator[Hit]:
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
def deployment_starts_empty(context: RuleContext) -> Iterable[Hit]:
    """The deployment starts the new version without any state.

    Hits for a change to `stateless` (info if it was so before), another resource, and a start without `-s`.
    """
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
        repair="SnapshotsEnabled: true" if after.kind is DeploymentKind.MANAGED_FLINK else "upgradeMode: savepoint",
        location=after.place_of("job.upgradeMode"),
        at_most=Severity.INFO if was is UpgradeMode.STATELESS else Severity.WARNING if before is None else None,
    )


@rule("The deployment's parallelism changed", Severity.INFO, Category.PARALLELISM)
def deployment_parallelism_changed(context: RuleContext) -> Iterable[Hit]:
    """The deployment runs the job with another default parallelism.

    One hit where both sides say a parallelism and the job keeps state.
    """
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
