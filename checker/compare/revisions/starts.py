"""How a deployment starts the head on what the base's job left, and the state backends that both run on.

What the operator does (1.0 to 1.13): the new resource's mode decides. ``savepoint`` takes one in the format that the
old resource names, and so do blue-green deployments in either mode. ``last-state`` leaves the checkpoint to high
availability, which takes no flag; of jobs in session clusters, and where it is told to cancel, it names the checkpoint
as it would a savepoint. Another Flink version makes it take a savepoint, where it knows a place for one.
"""

from dataclasses import dataclass

from checker.model.deployments import RESOURCES, STATE_BACKEND, Deployment, DeploymentKind, UpgradeMode, backend_named
from checker.model.findings import RestorePath
from checker.model.flink_releases import minor_of
from checker.model.topology import Topology
from checker.model.unknowns import Maybe

_FORMAT = "kubernetes.operator.savepoint.format.type"


_CANCELS = "kubernetes.operator.job.upgrade.last-state.job-cancel.enabled"


_SAVEPOINTS = ("execution.checkpointing.savepoint-dir", "state.savepoints.dir")


_CHANGELOG = ("state.changelog.enabled", "state.backend.changelog.enabled")


_SWITCHES_CHANGELOG = (1, 16)
"""Flink starts from a checkpoint with a changelog without one, and the other way round, since this release."""


@dataclass(frozen=True, slots=True)
class Start:
    """The way in which a deployment starts the head; what nobody says is None."""

    path: RestorePath | None = None
    own_format: bool | None = None
    """Whether keyed state is as its backend writes checkpoints and native savepoints, and not canonical."""
    drops_unclaimed: bool = False


def start_of(before: Deployment | None, after: Deployment | None) -> Start:
    """How ``after`` starts the job that ran as ``before``."""
    if after is None or after.upgrade_mode is UpgradeMode.STATELESS:
        return Start()
    drops = after.allow_non_restored_state is True
    given = dict((before or after).configuration)
    if after.upgrade_mode is None:
        named = after.savepoint or next((v for k, v in after.configuration if k.endswith((".path", "Path"))), "")
        return Start(RestorePath.SAVEPOINT, True if "/chk-" in named else None, drops)
    updates = before is not None and None not in (before.flink, after.flink) and before.flink != after.flink
    saves = after.kind is DeploymentKind.BLUE_GREEN or (updates and any(key in given for key in _SAVEPOINTS))
    if after.upgrade_mode is UpgradeMode.SAVEPOINT or saves:
        return Start(RestorePath.SAVEPOINT, given.get(_FORMAT, "").upper() == "NATIVE", drops)
    named_anew = after.kind is DeploymentKind.FLINK_SESSION_JOB or given.get(_CANCELS) == "true"
    return Start(RestorePath.SAVEPOINT, True, drops) if named_anew else Start(RestorePath.LAST_STATE, True)


def backend_of(topology: Topology, deployment: Deployment | None) -> Maybe[str] | None:
    """What keyed state is kept in: the program's word comes first, then the deployment's, then Flink's default."""
    given = {} if deployment is None else dict(deployment.configuration)
    named = topology.state_backend or next((backend_named(given[key]) for key in STATE_BACKEND if key in given), None)
    if named is None and deployment is not None and deployment.kind in RESOURCES:
        return None if set(STATE_BACKEND) & {*deployment.filled_later} else "hashmap"
    return named


def state_backend(topology: Topology, deployment: Deployment | None) -> Maybe[str] | None:
    """What keyed state is kept in, and how its checkpoints are written."""
    given = {} if deployment is None else dict(deployment.configuration)
    named = backend_of(topology, deployment)
    logs = any(given.get(key) == "true" for key in _CHANGELOG)
    if logs and isinstance(named, str) and topology.flink and minor_of(topology.flink) < _SWITCHES_CHANGELOG:
        return f"{named} with a changelog"
    return named
