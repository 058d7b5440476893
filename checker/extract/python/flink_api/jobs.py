"""What ``execute`` submits: the registered steps, fused as PyFlink fuses them, in Flink's order."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Protocol

from checker.extract.python.flink_api.configuration import AUTOMATIC
from checker.extract.python.flink_api.fusing import Same, align, fuse
from checker.extract.python.flink_api.sinks import collect_sink
from checker.extract.python.flink_api.streams import Environment, Step, Stream
from checker.extract.python.flink_api.transformations import transformation
from checker.extract.python.interpreter.signals import RaiseSignal, StoppedError, stopped
from checker.model.table_programs import TableStep
from checker.model.topology import Mode, Transformation
from checker.model.unknowns import Cause, Location, Maybe, Unknown

Key = tuple[str, int, int, str, int]
"""Where a step is declared: file, line, column, kind, and which one of that place it is."""


MAX_STEPS = 2_000
"""Operators of one job, and streams in one union, beyond which a script is not followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One submitted job: its transformations with the key of each, the first part of its handle, and its settings."""

    keys: tuple[Key, ...] = ()
    bases: tuple[str, ...] = ()
    transformations: tuple[Transformation, ...] = ()
    """Ids are places in ``keys``."""
    max_parallelism: Maybe[int] | None = None
    chaining: Maybe[bool] = True
    chain_different_max_parallelism: Maybe[bool] = True
    mode: Maybe[Mode] = Mode.STREAMING
    state_backend: Maybe[str] | None = None
    unknown: Unknown | None = None
    """Why nothing of it is known."""
    table_steps: tuple[TableStep, ...] = ()
    """All calls of the Table API before it was submitted."""
    handed: tuple[tuple[int | None, Maybe[str], tuple[str, ...]], ...] = ()
    """Streams that were handed to the Table API: place, None for one of another job, type of elements, their names."""
    holes: tuple[tuple[int, int], ...] = ()
    """Place of a transformation, and the call of the Table API that it stands for."""
    parallelism: Maybe[int] | None = None
    steps: tuple[Step, ...] = field(default=(), compare=False, repr=False)
    location: Location | None = None


def submit(
    env: Environment,
    default: Maybe[int],
    at: Location,
    same: Same,
    collected: Stream | None = None,
    flink: str | None = None,
) -> Job:
    """The job that an environment executes; its registered steps are gone then, as in Flink.

    Raises RaiseSignal where Flink refuses to execute nothing.
    """
    registered, env.registered = env.registered, []
    if not registered and collected is None:
        raise RaiseSignal(("IllegalStateException", "Py4JJavaError", "Exception", "BaseException"))
    if env.open is not None:
        return Job(unknown=env.open, location=at)
    try:
        _check_size(registered, at)
        align(registered)
        fused, replaced = registered, dict[int, Step]()
        if same(env.python_chaining, True):
            fused, replaced = fuse(registered, default, same)
        if collected is not None:
            target = collected.step
            while id(target) in replaced:
                target = replaced[id(target)]
            fused = [*fused, collect_sink(target, flink, at)]
    except StoppedError as stopped:
        env.open = stopped.unknown if stopped.unknown.location is not None else replace(stopped.unknown, location=at)
        return Job(unknown=env.open, location=at)
    return _job(env, fused, at)


def _check_size(registered: list[Step], at: Location) -> None:
    """Raises StoppedError for implausible graphs: too many operators, or unions of unions without end."""
    inputs: dict[int, int] = {}
    for step in _inputs_first(registered):
        size = sum(inputs[id(before)] for before in step.inputs) if step.kind.virtual else 1
        inputs[id(step)] = size
        if size > MAX_STEPS:
            raise stopped(f"a union of more than {MAX_STEPS} streams", Cause.LIMIT, at)
    if len(inputs) > MAX_STEPS:
        raise stopped(f"a job of more than {MAX_STEPS} operators", Cause.LIMIT, at)


def _job(env: Environment, fused: list[Step], at: Location) -> Job:
    ordered = _ordered(env, fused)
    number = {id(step): place for place, step in enumerate(ordered)}
    seen: Counter[tuple[str, int, int, str]] = Counter()
    keys: list[Key] = []
    for step in ordered:
        where = step.location or Location("", 0)
        place = (where.file, where.line, where.column, str(step.kind))
        keys.append((*place, seen[place]))
        seen[place] += 1
    iterations = _iterations(ordered, [key[:4] for key in keys])
    return Job(
        keys=tuple(keys),
        bases=tuple(_base(step) for step in ordered),
        parallelism=env.parallelism,
        steps=tuple(ordered),
        transformations=tuple(
            transformation(
                step, str(place), tuple(str(number[id(input_)]) for input_ in step.inputs), iterations[place]
            )
            for place, step in enumerate(ordered)
        ),
        max_parallelism=env.max_parallelism,
        chaining=env.chaining,
        chain_different_max_parallelism=env.chain_different_max_parallelism,
        mode=_mode(env),
        state_backend=env.state_backend,
        location=at,
    )


def _iterations(ordered: list[Step], places: list[tuple[str, int, int, str]]) -> list[str | None]:
    """For operators of one call: digests of their functions and of all before them."""
    made: dict[int, str | None] = {}
    counts = Counter(places)
    found: list[str | None] = []
    for step, place in zip(ordered, places, strict=True):
        parts = [part.content for part in step.fused or (step,)]
        parts += [made.get(id(before)) for before in step.inputs]
        known = None if None in parts else "\0".join(part or "" for part in parts)
        digest = None if known is None else hashlib.sha256(known.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        made[id(step)] = digest
        found.append(digest if counts[place] > 1 and not step.kind.virtual else None)
    return found


def _mode(env: Environment) -> Maybe[Mode]:
    if not isinstance(env.mode, Unknown) or env.mode.derived_from != AUTOMATIC:
        return env.mode
    descriptions = [text for text in env.source_descriptions if text]
    known = len(descriptions) == len(env.source_descriptions)
    return replace(env.mode, derived_from="; ".join(descriptions) if known else None)


def _base(step: Step) -> str:
    if isinstance(step.uid, str) and step.uid:
        return step.uid
    return step.name if isinstance(step.name, str) and step.name else str(step.kind)


def _ordered(env: Environment, fused: list[Step]) -> list[Step]:
    """Inputs first; sources in the order in which the script made them."""
    order = _inputs_first([step for step in fused if not (step.kind.source or step.kind.virtual)])
    seen = {id(step) for step in order}
    sources = [step for step in env.sources if id(step) in seen]
    return [*sources, *(step for step in order if not step.kind.source)]


def _inputs_first(roots: list[Step]) -> list[Step]:
    """Steps and all before them, each after its inputs."""
    order: list[Step] = []
    seen: set[int] = set()
    for root in roots:
        pending: list[tuple[Step, bool]] = [(root, False)]
        while pending:
            step, expanded = pending.pop()
            if expanded:
                order.append(step)
            elif id(step) not in seen:
                seen.add(id(step))
                pending.append((step, True))
                pending.extend((before, False) for before in reversed(step.inputs))
    return order


class Tables(Protocol):
    """What a script has asked of the Table API so far."""

    table_steps: list[TableStep]
    table_streams: list[tuple[Step, Maybe[str], tuple[str, ...]]]


def submit_table(run: Tables, env: Environment, hole: Step, default: Maybe[int], at: Location, same: Same) -> Job:
    """The job of a statement or table that is executed: what the planner makes of it, and all that it reads.

    Source: ``ChainingOptimizingExecutor`` of flink-python. What a statement does not read takes no part in fusing.
    """
    if env.open is not None:
        return Job(unknown=env.open, location=at)
    align(env.registered)
    submitted = [hole]
    if same(env.python_chaining, True):
        reached = _inputs_first(submitted)
        read_by = Counter(id(before) for step in reached for before in step.inputs if before.python)
        if len(env.tabled) > 1 and any(readers > 1 for readers in read_by.values()):
            why = "by which of its readers PyFlink fuses a Python operator that tables read is not known"
            return Job(unknown=Unknown(why, Cause.UNSUPPORTED, 'extract = "flink"', at), location=at)
        submitted, _ = fuse(submitted, default, same)
    return with_tables(run, _job(env, submitted, at))


def with_tables(run: Tables, job: Job) -> Job:
    """A job with what the script has asked of the Table API so far."""
    holes = tuple((place, step.table_step) for place, step in enumerate(job.steps) if step.table_step is not None)
    if not holes:
        return job
    number = {id(part): place for place, step in enumerate(job.steps) for part in (*step.fused, step)}
    handed = tuple((number.get(id(step)), type_, names) for step, type_, names in run.table_streams)
    return replace(job, table_steps=tuple(run.table_steps), handed=handed, holes=holes)
