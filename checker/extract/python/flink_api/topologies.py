"""From the paths through a script to the topology of one of its jobs: stable handles, shapes, settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from checker.errors import NoJobError
from checker.extract.interpreting.path_choices import Decision
from checker.extract.interpreting.shapes import label_of, ways_to, what_decides
from checker.extract.interpreting.trace import Trace
from checker.extract.python.flink_api.jobs import Job, Key
from checker.extract.python.program import MAX_VARIANTS, ScriptRuns
from checker.model.gathered import gathered
from checker.model.pipelines import PipelineEntry
from checker.model.table_programs import HandedStream, TableHole, TableProgram
from checker.model.topology import Kind, Topology, Transformation, Variant
from checker.model.unknowns import BY_DEPLOYMENT, Cause, Location, Maybe, Unknown

Shape = tuple[Transformation, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    """A path that submits the job, with its decisions."""

    job: Job
    decisions: tuple[Decision, ...]


def topology(entry: PipelineEntry, program: ScriptRuns, path: str, trace: Trace | None = None) -> Topology:
    """The topology of the job with the entry's index. Raises ExtractionError where no path submits it.

    ``trace`` receives what each shape asks of the Table API.
    """
    ways: list[_Way] = []
    cut = program.cut
    for followed in program.paths:
        if entry.index < len(followed.jobs):
            job = followed.jobs[entry.index]
            if job.unknown is None:
                ways.append(_Way(job, followed.decisions))
            else:
                cut = cut or job.unknown
        elif followed.stopped is not None:
            cut = cut or followed.stopped
    if not ways and cut is None:
        raise NoJobError(_no_job(entry, program))
    handles = _handles(ways)
    shapes = gathered((_named(way.job, handles), way) for way in ways)
    distinct = list(shapes)
    if trace is not None:
        for step in (step for way in ways for step in way.job.steps):
            for part in step.fused[1:]:
                if part.location is not None and step.location is not None:
                    trace.fused[part.location.file, part.location.line] = step.location
        tables = tuple(_tables(mine[0].job, handles) for mine in shapes.values())
        trace.tables = tables if any(table.holes for table in tables) else ()
    owners = [[way.decisions for way in mine] for mine in shapes.values()]
    otherwise = "which of several shapes the script takes is not known"
    decides = what_decides(owners, otherwise) if len(distinct) > 1 else None
    if len(distinct) > MAX_VARIANTS and cut is None and decides is not None:
        cut = replace(decides, reason=f"the script takes {len(distinct)} shapes: {decides.reason}")
    transformations: Shape = distinct[0] if distinct else ()
    variants: tuple[Variant, ...] = ()
    if cut is not None:
        located = replace(cut, location=cut.location or Location(path, 1), derived_from=None)
        hole = Transformation(id="the script", kind=Kind.UNKNOWN, unknown=located, location=located.location)
        transformations, decides = (hole, *transformations), located
    elif decides is not None:
        variants = tuple(
            Variant(when=label_of(mine, owners), ways=ways_to(mine, owners), transformations=shape)
            for shape, mine in zip(distinct, owners, strict=True)
        )
    settings = _settings([way.job for way in ways], entry)
    return Topology(
        name=entry.name,
        transformations=transformations,
        flink=entry.flink,
        parallelism=_parallelism(entry, [*distinct]),
        variants=variants,
        variants_unknown=decides,
        location=Location(path, 1),
        extractor="python",
        files=tuple(sorted(program.limits.read)),
        **settings,
    )


def _no_job(entry: PipelineEntry, program: ScriptRuns) -> str:
    if entry.index and program.jobs:
        return f"the script submits {program.jobs} job{'s' if program.jobs > 1 else ''}, not {entry.index + 1}"
    ended = next((path.ended for path in program.paths if path.ended is not None), None)
    return "the script executes no job of the DataStream API" + (f": {ended} before" if ended else "")


def _handles(ways: Sequence[_Way]) -> dict[Key, str]:
    """Ids of transformations: uid or name, numbered where they repeat; the same call has the same id in all shapes."""
    found: dict[Key, str] = {}
    used: Counter[str] = Counter()
    for way in ways:
        for key, base in zip(way.job.keys, way.job.bases, strict=True):
            if key not in found:
                used[base] += 1
                found[key] = base if used[base] == 1 else f"{base} #{used[base]}"
    return found


def _named(job: Job, handles: dict[Key, str]) -> Shape:
    ids = [handles[key] for key in job.keys]
    return tuple(
        replace(transformation, id=ids[place], inputs=tuple(ids[int(before)] for before in transformation.inputs))
        for place, transformation in enumerate(job.transformations)
    )


def _tables(job: Job, handles: dict[Key, str]) -> TableProgram:
    """What one way through the script asks of the Table API for this job."""
    ids = [handles[key] for key in job.keys]
    last = max((step for _, step in job.holes), default=-1)
    return TableProgram(
        steps=job.table_steps[: last + 1],
        streams=tuple(
            HandedStream(handle=None if place is None else ids[place], type=type_, names=names)
            for place, type_, names in job.handed
        ),
        holes=tuple(TableHole(handle=ids[p], step=step, parallelism=job.parallelism) for p, step in job.holes),
    )


def _parallelism(entry: PipelineEntry, shapes: Sequence[Shape]) -> Maybe[int]:
    """What the deployment passes; who never asks for it need not know it."""
    if entry.default_parallelism is not None:
        return entry.default_parallelism
    physical = [transformation for shape in shapes for transformation in shape if not transformation.kind.virtual]
    if physical and all(transformation.parallelism is not None for transformation in physical):
        return 1
    why = "the script leaves the default parallelism to the deployment"
    return Unknown(why, Cause.ARGUMENT, "--parallelism", derived_from=BY_DEPLOYMENT)


def _settings(jobs: Sequence[Job], entry: PipelineEntry) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for job in jobs:
        own = {
            "max_parallelism": entry.max_parallelism if job.max_parallelism is None else job.max_parallelism,
            "chaining": job.chaining,
            "chain_different_max_parallelism": job.chain_different_max_parallelism,
            "mode": job.mode,
            "state_backend": job.state_backend,
        }
        for key, value in own.items():
            if key in merged and merged[key] != value:
                value = Unknown(f"the {key.replace('_', ' ')} of the job depends on a condition", Cause.BRANCH)
            merged[key] = value
    return merged
