"""``--rehearse``: the head's planned jobs really start from savepoints of the base's planned jobs.

What Flink says stands beside the verdicts of the comparison. A pipeline that can't be rehearsed says why.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from checker.extract.runtime.distribution import planner_jars
from checker.extract.runtime.execution import Execution
from checker.extract.sql.planner.rehearsing import PlaceOfJob, rehearse
from checker.model.rehearsal import Rehearsal, Start
from checker.model.topology import Kind, Topology
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
