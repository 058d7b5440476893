"""A custom resource of the Flink Kubernetes operator with its status, as ``kubectl get -o json`` prints it.

Fields follow ``JobStatus``, ``SavepointInfo`` and ``FlinkStateSnapshotStatus`` of the operator 1.0 to 1.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from checker.errors import ClusterError
from checker.extract.deployments.kubernetes import SessionClusters, deployments_of
from checker.extract.deployments.overlays import documents
from checker.model.deployments import RunningJob, Snapshot, SnapshotKind
from checker.model.nested import table_in, text_in
from checker.model.unknowns import Location

_SNAPSHOT = "FlinkStateSnapshot"


def job_of_resource(text: str, source: str) -> RunningJob:
    """The job of a ``FlinkDeployment``, ``FlinkSessionJob`` or ``FlinkBlueGreenDeployment`` with its status.

    ``FlinkStateSnapshot`` resources beside it, also in a ``List``, count as its snapshots. ``text`` is JSON or YAML.
    Raises ClusterError.
    """
    resources = [r for d in documents(text) for r in _unpacked(d)]
    clusters = SessionClusters()
    clusters.add(source, resources)
    jobs = [(r, d) for r in resources for d in deployments_of(r, Location(source, 1), None, clusters)]
    if len(jobs) != 1:
        what = "several jobs; name one" if jobs else "no FlinkDeployment or FlinkSessionJob with a job"
        raise ClusterError(f"{source}: {what} (kubectl get flinkdeployment NAME -o json)")
    resource, deployment = jobs[0]
    status = table_in(table_in(resource.get("status")).get("jobStatus"))
    snapshots = [*_of_status(status), *_of_snapshots(resources, deployment.name)]
    backend = dict(deployment.configuration)
    return RunningJob(
        source=source,
        name=deployment.name,
        id=text_in(status.get("jobId")),
        state=text_in(status.get("state")),
        deployment=deployment,
        state_backend=backend.get("state.backend.type") or backend.get("state.backend"),
        snapshot=max(snapshots, key=lambda s: s.taken or 0, default=None),
    )


def _unpacked(document: Any) -> Iterator[Mapping[str, Any]]:
    table = table_in(document)
    if table.get("kind") == "List":
        for item in table.get("items") or ():
            yield from _unpacked(item)
    elif table:
        yield table


def _of_status(job: Mapping[str, Any]) -> Iterator[Snapshot]:
    last = table_in(table_in(job.get("savepointInfo")).get("lastSavepoint"))
    if path := text_in(last.get("location")):
        taken = last.get("timeStamp")
        yield Snapshot(kind=SnapshotKind.SAVEPOINT, path=path, taken=taken if isinstance(taken, int) else None)
    if path := text_in(job.get("upgradeSavepointPath")):  # what the operator itself starts the next version from
        yield Snapshot(kind=SnapshotKind.SAVEPOINT, path=path, taken=_milliseconds(job.get("updateTime")))


def _of_snapshots(resources: list[Mapping[str, Any]], job: str) -> Iterator[Snapshot]:
    for resource in resources:
        spec, status = table_in(resource.get("spec")), table_in(resource.get("status"))
        reference = table_in(spec.get("jobReference")).get("name")
        path = text_in(status.get("path"))
        if resource.get("kind") != _SNAPSHOT or reference != job or status.get("state") != "COMPLETED" or path is None:
            continue
        kind = SnapshotKind.CHECKPOINT if "checkpoint" in spec else SnapshotKind.SAVEPOINT
        yield Snapshot(kind=kind, path=path, taken=_milliseconds(status.get("resultTimestamp")))


def _milliseconds(value: Any) -> int | None:
    """Milliseconds since 1970 of a number, or of a time as Kubernetes writes it."""
    if isinstance(value, int) or (isinstance(value, str) and value.isdecimal()):
        return int(value)
    try:
        return int(datetime.fromisoformat(str(value)).timestamp() * 1000)
    except ValueError:
        return None
