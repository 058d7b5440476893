"""``--rehearse``: planned jobs really start from savepoints, and what Flink does stands beside the verdict.

In ``check`` the head's jobs start from savepoints of the base's, in ``gate`` from the savepoint that is given. A
pipeline that can't be rehearsed says why."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from checker.extract.runtime.distribution import planner_jars
from checker.extract.runtime.execution import Execution
from checker.extract.sql.planner.rehearsing import PlaceOfJob, rehearse, start_from
from checker.model.findings import Rehearsal, RestorePath, Start, Verdict
from checker.model.nested import Json
from checker.model.restore import RestoreRule
from checker.model.topology import Kind, Topology
from checker.report.gate.document import rehearsal_document
from checker.savepoint.places import METADATA, scheme_of
from checker.workflows.check.records import ReadPipeline
from checker.workflows.planning_scripts import PlannedSides

_STREAMS = "it contains streams of the program, whose functions are not run"


def rehearsed(planned: PlannedSides, base: str, head: str, execution: Execution) -> list[ReadPipeline]:
    """The pipelines of the side ``head`` with what Flink says to a start from those of the side ``base``."""
    before = {read.name: read for read in planned.read[base]}
    wanted: dict[str, tuple[PlaceOfJob, PlaceOfJob]] = {}
    reasons: dict[str, str] = {}
    for after in planned.read[head]:
        earlier = before.get(after.name)
        if earlier is None:
            continue
        alone = all((side, after.name) in planned.places for side in (base, head))
        obstacle = next(filter(None, (not_startable(o.topology, o.failure) for o in (earlier, after))), None)
        obstacle = obstacle or (None if alone else _STREAMS)
        if obstacle is None:
            wanted[after.name] = (planned.places[base, after.name], planned.places[head, after.name])
        else:
            reasons[after.name] = obstacle
    if wanted and execution.progress is not None:
        execution.progress(f"rehearsing {len(wanted)} SQL jobs on a cluster of Flink")
    found = rehearse(wanted, partial(planner_jars, execution), memory_mb=execution.memory_mb)
    found |= {name: Rehearsal(start=Start.NOT_TRIED, message=why) for name, why in reasons.items()}
    return [replace(read, rehearsal=found.get(read.name)) for read in planned.read[head]]


def not_startable(topology: Topology | None, failure: str | None) -> str | None:
    """Why a job can't be run in place of the real one, None where it can."""
    if topology is None:
        return failure or "it was not planned"
    if topology.takes_no_savepoints:
        return "jobs in batch mode take no savepoints"
    if topology.unstable:
        return topology.unstable[0]
    unknown = next((t.unknown for t in topology.transformations if t.kind is Kind.UNKNOWN and t.unknown), None)
    return None if unknown is None else unknown.reason


_NOT_HERE = "the savepoint is not a folder on this machine"
_NOT_COMPARED = (RestoreRule.STATE_BACKEND_MISMATCH.value, RestoreRule.UNREADABLE_METADATA.value)
"""Why an attempt fails that a start on another backend, or from other files, does not show."""


def rehearse_attempts(
    attempts: Sequence[Json], planned: Mapping[str, PlaceOfJob | str], execution: Execution
) -> list[Json]:
    """What Flink does with each savepoint and pipeline that were judged, as published.

    ``planned`` has the job of each pipeline, or why there is none that could be started.
    """
    judged = [a for a in attempts if a["path"] == RestorePath.SAVEPOINT and not a["allow_non_restored_state"]]
    found: list[Json] = []
    for savepoint in dict.fromkeys(a["savepoint"] for a in judged):
        here = [a for a in judged if a["savepoint"] == savepoint]
        starts = _starts(savepoint, [a["pipeline"] for a in here], planned, execution)
        found += [rehearsal_document(a, starts[a["pipeline"]], disagrees(a, starts[a["pipeline"]])) for a in here]
    return found


def _starts(
    savepoint: str, pipelines: Sequence[str], planned: Mapping[str, PlaceOfJob | str], execution: Execution
) -> dict[str, Rehearsal]:
    folder = Path(savepoint).parent if Path(savepoint).name == METADATA else Path(savepoint)
    here = not scheme_of(savepoint) and (folder / METADATA).is_file()
    jobs = {name: planned.get(name, "its job is not made by Flink's planner alone") for name in pipelines}
    wanted = {name: job for name, job in jobs.items() if not isinstance(job, str)} if here else {}
    if wanted and execution.progress is not None:
        execution.progress(f"starting {len(wanted)} SQL jobs from {savepoint} on a cluster of Flink")
    found = start_from(folder, wanted, partial(planner_jars, execution), memory_mb=execution.memory_mb)
    reasons = {name: job if isinstance(job, str) else _NOT_HERE for name, job in jobs.items()}
    return {name: found.get(name) or Rehearsal(start=Start.NOT_TRIED, message=reasons[name]) for name in pipelines}


def disagrees(attempt: Json, rehearsal: Rehearsal) -> bool:
    """Whether Flink did otherwise than an attempt without ``--allowNonRestoredState`` says.

    What only a connector's own state decides is not rehearsed: an attempt that fails by nothing else agrees with both.
    """
    if rehearsal.start is Start.NOT_TRIED or attempt["rule"] in _NOT_COMPARED:
        return False
    if attempt["verdict"] == Verdict.RESTORES:
        return rehearsal.start is not Start.STARTED
    failing = [row for row in attempt["operators"] if row["verdict"] == Verdict.FAILS and row["in_snapshot"]]
    by_connectors = bool(failing) and all(row["claimed_by"] and not row["key_groups"] for row in failing)
    return attempt["verdict"] == Verdict.FAILS and rehearsal.start is Start.STARTED and not by_connectors
