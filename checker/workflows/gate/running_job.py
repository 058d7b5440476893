"""The running job that a gate is asked about, from what its cluster and its custom resource say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from checker.cluster import running_job
from checker.errors import ClusterError
from checker.extract.deployments import job_of_resource
from checker.model.deployments import DeploymentKind, RunningJob, UpgradeMode
from checker.model.findings import RestorePath
from checker.savepoint.places import PathMapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Where to ask. ``resource`` is the text of a custom resource with its status, ``resource_name`` its origin."""

    cluster: str | None = None
    job: str | None = None
    resource: str | None = None
    resource_name: str = ""


def ask(asked: Asked) -> RunningJob:
    """What is running. Asked of both, the resource's job gives the configuration and the cluster the newest snapshot.

    Raises ClusterError.
    """
    if asked.resource is None:
        assert asked.cluster is not None
        return running_job(asked.cluster, asked.job)
    described = job_of_resource(asked.resource, asked.resource_name)
    if asked.cluster is None:
        return described
    live = running_job(asked.cluster, asked.job or described.id)
    given = described.deployment
    return replace(
        live,
        source=f"{described.source} and {live.source}",
        deployment=replace(
            given,
            parallelism=given.parallelism or live.deployment.parallelism,
            max_parallelism=given.max_parallelism or live.deployment.max_parallelism,
            flink=given.flink or live.deployment.flink,
        ),
        state_backend=described.state_backend or live.state_backend,
    )


def snapshot_path(job: RunningJob, mappings: Sequence[PathMapping]) -> str:
    """Where the job's newest snapshot lies, seen from here. Raises ClusterError where there is none."""
    if job.snapshot is None:
        raise ClusterError(
            f"{job.source}: no completed savepoint or checkpoint of {job.name} lies outside of the cluster; take a "
            "savepoint, or name one with --savepoint"
        )
    path = job.snapshot.path
    return next((mapped for m in mappings if (mapped := m.apply(path)) is not None), path)


def restore_path(job: RunningJob) -> RestorePath:
    """The way that the job's upgrades go."""
    last_state = job.deployment.upgrade_mode is UpgradeMode.LAST_STATE
    return RestorePath.LAST_STATE if last_state else RestorePath.SAVEPOINT


def description(job: RunningJob) -> str:
    """One line for reports: which job it is, and what it would start from."""
    named = f"{job.name} ({job.id})" if job.id else job.name
    state = f", {job.state}" if job.state else ""
    if job.snapshot is None:
        return f"{named} of {job.source}{state}"
    taken = job.snapshot.taken
    when = f" of {datetime.fromtimestamp(taken / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC" if taken else ""
    return f"{named} of {job.source}{state}: newest {job.snapshot.kind}{when}"


def assumptions(job: RunningJob) -> list[str]:
    """What is taken for the candidate because the running job has it. What was read for which is said beside it."""
    own = job.deployment
    sentences = []
    if own.kind is DeploymentKind.RUNNING_JOB:
        sentences.append("the candidate is started as the running job was, with the program arguments of the revision")
        sentences.append(
            "Flink's REST API shows the cluster's configuration, not what was set when the job was submitted"
        )
    if job.state_backend is not None:
        sentences.append(f"state backend {job.state_backend}")
    if own.upgrade_mode is UpgradeMode.STATELESS:
        sentences.append(
            "upgradeMode stateless starts without any state; judged as if it started from the newest snapshot"
        )
    return sentences
