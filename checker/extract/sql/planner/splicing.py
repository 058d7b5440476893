"""What the planner made of a program's calls, put into the program's topology in the place of its holes.

The plan of a program is one graph: stand-ins of its streams, the operators of each call, and a sink behind every call
that gives a stream. The number of its transformation shows which call an operator belongs to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from checker.extract.runtime.capture.topologies import handles_of
from checker.extract.sql.planner.planning import REFUSED, PlannedJob, PlannedScript
from checker.extract.sql.planner.topologies import JobPlace, named_graph, planned_topology
from checker.model.table_programs import TableHole, TableProgram
from checker.model.topology import Kind, Mode, Topology, Transformation
from checker.model.unknowns import Cause, Maybe, Unknown

_SETTINGS = ("max_parallelism", "chaining", "chain_different_max_parallelism", "auto_generate_uids", "mode")
"""What a planned job says of all its operators."""
_MARK = "result "
"""How the sinks are called that stand behind calls which give a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A program and what the planner made of it."""

    program: TableProgram
    marks: Mapping[int, Maybe[int] | None]
    """What a parallelism of the plan stands for."""
    place: JobPlace


@dataclass(slots=True)
class _Parts:
    """The transformations of a plan by the step that they belong to."""

    by_step: dict[int, list[Transformation]] = field(default_factory=dict)
    results: dict[int, str] = field(default_factory=dict)
    """Step → handle of the transformation that gives its stream."""


def spliced(topology: Topology, planned: Sequence[Planned]) -> Topology:
    """The topology with its holes filled, variant by variant. A hole that nothing was planned for says why."""
    if all(program.place.answer.batch for program in planned):
        topology = replace(topology, mode=Mode.BATCH)
    if not topology.variants:
        whole = _whole(topology, planned[0])
        if whole is not None:
            return whole
        return replace(topology, transformations=_filled(topology.transformations, planned[0]))
    variants = tuple(
        replace(variant, transformations=_filled(variant.transformations, program))
        for variant, program in zip(topology.variants, planned, strict=True)
    )
    settings = _settings(topology, planned)
    return replace(topology, variants=variants, transformations=variants[0].transformations, **settings)


def _settings(topology: Topology, planned: Sequence[Planned]) -> dict[str, Any]:
    """What the planned ways set of the whole job; what they set differently depends on what decides between them."""
    ways = [
        (variant.ways, planned_topology(job, program.place))
        for variant, program in zip(topology.variants, planned, strict=True)
        if (job := whole_job(replace(topology, transformations=variant.transformations), program)) is not None
    ]
    if not ways:
        return {}
    found: dict[str, Any] = {"unstable": tuple({why for _, way in ways for why in way.unstable})}
    decides = topology.variants_unknown or Unknown("it depends on a condition", Cause.BRANCH)
    named = all(paths and all(of.condition is not None for path in paths for of in path) for paths, _ in ways)
    for name in _SETTINGS:
        values = [getattr(way, name) for _, way in ways]
        found[name] = values[0]
        if any(value != values[0] for value in values):
            by_ways = f"{name} {[(paths, value) for (paths, _), value in zip(ways, values, strict=True)]}"
            reason = f"cannot tell the {name.replace('_', ' ')} of the job ({decides.reason})"
            found[name] = replace(decides, reason=reason, options=(), derived_from=by_ways if named else None)
    return found


def whole_job(topology: Topology, planned: Planned) -> PlannedJob | None:
    """The job that is planned as a whole, None where streams are part of it or nothing was planned."""
    job = next((job for job in planned.place.answer.jobs if job.graph is not None), None)
    holes = {hole.handle for hole in planned.program.holes}
    if job is None or job.parts is None or {t.id for t in topology.transformations} != holes or job.parts["results"]:
        return None
    return job


def _whole(topology: Topology, planned: Planned) -> Topology | None:
    """The topology of a job that is planned as a whole."""
    job = whole_job(topology, planned)
    if job is None:
        return None
    made = planned_topology(job, planned.place)
    mode = topology.mode if topology.mode is Mode.BATCH else made.mode
    placed = tuple(_placed(transformation, {}, planned) for transformation in made.transformations)
    return replace(
        made, transformations=placed, name=topology.name, location=topology.location, files=topology.files, mode=mode
    )


def _filled(shape: Sequence[Transformation], planned: Planned) -> tuple[Transformation, ...]:
    holes = {hole.handle: hole for hole in planned.program.holes}
    job = next(
        (
            candidate
            for candidate in planned.place.answer.jobs
            if candidate.graph is not None and _all_known(candidate, planned)
        ),
        None,
    )
    parts = _Parts() if job is None else _parts(job, planned, frozenset(t.id for t in shape))
    renamed = {handle: parts.results[hole.step] for handle, hole in holes.items() if hole.step in parts.results}
    found: list[Transformation] = []
    for transformation in shape:
        hole = holes.get(transformation.id)
        if hole is None:
            found.append(_with_inputs(transformation, renamed))
        elif hole.step in parts.by_step:
            found += parts.by_step[hole.step]
        else:
            found.append(replace(transformation, unknown=_why(transformation, hole, planned.place.answer)))
    submitted = len(holes) == 1 and not parts.results and bool(parts.by_step)
    return tuple(_reached(found, parts) if submitted else found)


def _all_known(job: PlannedJob, planned: Planned) -> bool:
    """Whether all streams that the plan reads are transformations of this job."""
    assert job.parts is not None
    return all(planned.program.streams[place].handle is not None for place in job.parts["streams"].values())


def _with_inputs(transformation: Transformation, renamed: Mapping[str, str]) -> Transformation:
    inputs = tuple(renamed.get(input_, input_) for input_ in transformation.inputs)
    return transformation if inputs == transformation.inputs else replace(transformation, inputs=inputs)


def _why(transformation: Transformation, hole: TableHole, answer: PlannedScript) -> Unknown:
    """The reason why nothing is known of a hole, instead of the reader's reason."""
    assert transformation.unknown is not None
    own = next((job for job in answer.jobs if job.statement == hole.step and job.failure is not None), None)
    why = answer.failure or (None if own is None else own.failure)
    if own is not None and own.refused and why and not why.startswith(REFUSED):
        why = f"{REFUSED}{why}"
    return transformation.unknown if why is None else replace(transformation.unknown, reason=why)


def _parts(job: PlannedJob, planned: Planned, taken: frozenset[str]) -> _Parts:
    assert job.graph is not None
    assert job.parts is not None
    graph = named_graph(job.graph)
    handles = handles_of(graph)
    streams = {handles[int(number)]: place for number, place in job.parts["streams"].items() if int(number) in handles}
    own = {handle: number for number, handle in handles.items()}
    renamed = _names(planned_topology(job, planned.place).transformations, streams, planned.program, taken)
    step_of: dict[str, int] = {}
    found = _Parts()
    waiting: list[Transformation] = []
    for transformation in planned_topology(job, planned.place).transformations:
        number = own.get(transformation.id)
        if transformation.id in streams:
            continue
        if number is None:  # virtual: it belongs to what is declared after it
            waiting.append(transformation)
            continue
        if (transformation.name or "") and str(transformation.name).startswith(_MARK):
            waiting = []
            continue
        step = _step(number, job.parts["ranges"])
        if step is None:
            step = next((step_of[input_] for input_ in transformation.inputs if input_ in step_of), None)
        for member in (*waiting, transformation):
            if step is not None:
                step_of[member.id] = step
                placed = replace(_placed(member, renamed, planned), location=planned.program.steps[step].location)
                found.by_step.setdefault(step, []).append(placed)
        waiting = []
    for step, number in ((int(step), number) for step, number in job.parts["results"].items()):
        if number in handles:
            found.results[step] = renamed.get(handles[number], handles[number])
    return found


def _step(number: int, ranges: Sequence[Sequence[int]]) -> int | None:
    return next((step for step, first, last in ranges if first < number < last), None)


def _names(
    transformations: Sequence[Transformation], streams: Mapping[str, int], program: TableProgram, taken: frozenset[str]
) -> dict[str, str]:
    """Handle in the plan → handle in the program's topology."""
    found: dict[str, str] = {}
    for transformation in transformations:
        place = streams.get(transformation.id)
        if place is not None:
            found[transformation.id] = program.streams[place].handle or transformation.id
        elif transformation.id in taken:
            found[transformation.id] = f"{transformation.id} of a table"
    return found


def _placed(transformation: Transformation, renamed: Mapping[str, str], planned: Planned) -> Transformation:
    parallelism = transformation.parallelism
    if isinstance(parallelism, int) and parallelism in planned.marks:
        parallelism = planned.marks[parallelism]
    return replace(
        transformation,
        id=renamed.get(transformation.id, transformation.id),
        inputs=tuple(renamed.get(input_, input_) for input_ in transformation.inputs),
        parallelism=parallelism,
    )


def _reached(shape: Sequence[Transformation], parts: _Parts) -> list[Transformation]:
    """What a submitted statement reads, as Flink comes to it: from the end of the plan, inputs first, sources ahead."""
    by_id = {member.id: member for member in shape}
    order: list[str] = []
    seen: set[str] = set()
    for last in [member.id for ones in parts.by_step.values() for member in ones]:
        pending = [(last, False)]
        while pending:
            current, expanded = pending.pop()
            if expanded:
                order.append(current)
            elif current not in seen:
                seen.add(current)
                pending.append((current, True))
                pending.extend((input_, False) for input_ in reversed(by_id[current].inputs))
    reached = [member for member in shape if member.id in seen]
    sources = [m for m in reached if m.kind.source or (m.kind is Kind.UNKNOWN and not m.inputs)]
    first = {source.id for source in sources}
    return [*sources, *(by_id[id_] for id_ in order if id_ not in first)]
