"""From the paths through a script to the topology of one of its jobs."""

from __future__ import annotations

from dataclasses import replace

from checker.errors import NoJobError
from checker.extract.datastream import assembling
from checker.extract.datastream.assembling import Path
from checker.extract.interpreting.trace import Trace
from checker.extract.python.flink_api.jobs import READING
from checker.extract.python.program import ScriptRuns
from checker.extract.unread_code import NEEDS_CODE
from checker.model.pipelines import PipelineEntry
from checker.model.topology import Topology
from checker.model.unknowns import Location


def topology(entry: PipelineEntry, program: ScriptRuns, path: str, trace: Trace | None = None) -> Topology:
    """The topology of the job with the entry's index. Raises ExtractionError where no path submits it.

    ``trace`` receives what each shape asks of the Table API.
    """
    ways: list[Path] = []
    cut = program.cut
    for followed in program.paths:
        if entry.index < len(followed.jobs):
            job = followed.jobs[entry.index]
            if job.unknown is None:
                ways.append(Path(job, followed.decisions))
            else:
                cut = cut or job.unknown
        elif followed.stopped is not None:
            cut = cut or followed.stopped
    if not ways and cut is None:
        raise NoJobError(_no_job(entry, program))
    if trace is not None:
        for step in (step for way in ways for step in way.job.drafts):
            for part in step.parts[1:]:
                trace.fused[part.location.file, part.location.line] = step.location
    return assembling.topology(
        entry, ways, READING, flink=entry.flink, location=Location(path, 1), files=tuple(sorted(program.limits.read)),
        cut=None if cut is None else replace(cut, derived_from=NEEDS_CODE), trace=trace,
    )  # fmt: skip


def _no_job(entry: PipelineEntry, program: ScriptRuns) -> str:
    if entry.index and program.jobs:
        return f"the script submits {program.jobs} job{'s' if program.jobs > 1 else ''}, not {entry.index + 1}"
    ended = next((path.ended for path in program.paths if path.ended is not None), None)
    return "the script executes no job of the DataStream API" + (f": {ended} before" if ended else "")
