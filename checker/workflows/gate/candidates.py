"""The candidate of a gate: pipelines of a revision, and the running job that they would replace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from checker.compare.revisions.mapping import MappingEntry
from checker.extract.runtime.execution import Execution
from checker.model.deployments import Deployment
from checker.model.restore import CandidateJob
from checker.revisions import Repository
from checker.settings import Overrides, read_settings
from checker.workflows.check.policy import mapping_of
from checker.workflows.gate.judging import candidate_of_read
from checker.workflows.reading_revisions import conditions, how_read, read_with_jobs

if TYPE_CHECKING:
    from checker.extract.sql.planner.rehearsing import PlaceOfJob


from collections.abc import Sequence
from datetime import UTC, datetime

from checker.cluster import running_job
from checker.errors import ClusterError
from checker.extract.deployments import job_of_resource
from checker.model.deployments import DeploymentKind, RunningJob, UpgradeMode
from checker.model.findings import RestorePath
from checker.savepoint.places import PathMapping


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Which pipelines of which revision stand for what is to be started, and how they may be read."""

    head: str
    pipelines: tuple[str, ...] = ()
    overrides: Overrides
    state_backend: str | None = None
    running: Deployment | None = None
    """What the job that they would replace was given."""
    execution: Execution


@dataclass(frozen=True, kw_only=True)
class ReadCandidates:
    """The pipelines of a revision as candidates, and which revision it was."""

    jobs: list[CandidateJob]
    origin: dict[str, object]
    planned: Mapping[str, PlaceOfJob | str]
    """The job of each pipeline whose tables Flink's planner made, or why it can't be started here."""
    declared: tuple[MappingEntry, ...] = ()
    """What the mapping file says."""


def revision_candidates(repo: Path, asked: Candidates) -> ReadCandidates:
    """The pipelines of a revision as candidates. Raises UsageError when there are none."""
    repository = Repository(repo)
    revision = repository.revision(asked.head)
    settings = read_settings(revision.files).overridden(asked.overrides)
    execution = replace(asked.execution, jars_root=repository.top)
    candidates, reading = [], []
    planned: dict[str, PlaceOfJob | str] = {}
    flink = asked.overrides.flink if asked.running is None else asked.running.flink
    for extracted, job in read_with_jobs(revision, settings, asked.pipelines, execution, asked.running):
        if job is not None:
            from checker.workflows.rehearsing import not_startable

            planned[extracted.entry.name] = not_startable(extracted.topology, extracted.failure) or job
        candidates.append(candidate_of_read(extracted, flink=flink, state_backend=asked.state_backend))
        read_for = conditions(extracted)
        reading.append(f"{extracted.entry.name}: {how_read(extracted)}{f'; {read_for}' if read_for else ''}")
    origin: dict[str, object] = {"revision": revision.label, "commit": revision.commit, "reading": reading}
    declared = mapping_of(revision, settings)
    return ReadCandidates(jobs=candidates, origin=origin, planned=planned, declared=declared)


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
