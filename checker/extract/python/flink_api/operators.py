"""Transformations of the DataStream API of PyFlink: what each call declares, before PyFlink fuses Python operators.

Source: ``pyflink/datastream/data_stream.py`` of 1.20 and 2.3, and what these versions were seen to build.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checker.extract.connectors.tables import ConnectorFacts
from checker.extract.datastream.records import CallSite, Draft, Parallelism
from checker.extract.interpreting.trace import place_of
from checker.extract.python.flink_api.element_types import UNTYPED, elements_of
from checker.extract.python.flink_api.streams import (
    KEY_BY_MAP,
    KEYED_VALUES,
    PARTITION_CUSTOM_MAP,
    Broadcast,
    Connected,
    Environment,
    Keyed,
    Stream,
    Windowed,
)
from checker.extract.python.interpreter.signals import RaiseSignal, stopped
from checker.extract.python.interpreter.values import Class, External, Instance, Value
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind
from checker.model.unknowns import NAMED_ANEW, Cause, Location, Maybe, Unknown

_CALLS = {"process": "process", "keyed": "keyed-process", "co": "co-process", "keyed-co": "keyed-co-process",
          "window": "window", "broadcast": "broadcast-process",
          "keyed-broadcast": "keyed-broadcast-process"}  # fmt: skip
"""Kind of Python operator → what the call is in a topology."""


_REDUCED = Unknown("PyFlink names the state of a reduce anew in every run", Cause.EXTERNAL, derived_from=NAMED_ANEW)


def declare(
    kind: Kind,
    name: Maybe[str] | None,
    inputs: Iterable[Draft],
    at: Location,
    *,
    holds: str | None = "",
    **settings: Any,
) -> Draft:
    """A transformation that a call at a place makes."""
    site = CallSite((), str(kind), (at.file, place_of(at.line, at.column)))
    return Draft(site, kind, at, tuple(inputs), name, holds=holds, **settings)


def python_step(
    env: Environment, inputs: list[Draft], name: Maybe[str], python: str, at: Location, function: Value = None,
    further: Value = None, *, keyed: bool = False, **settings: Any,
) -> Draft:  # fmt: skip
    """A registered Python operator, which runs a function, and a ``further`` one with what that gives.

    Keyed Python operators register their timers; the others keep state only where a function asks for it.
    """
    keyed = keyed or python.startswith(("keyed", "window"))
    named = [
        part.of.name if isinstance(part, Instance) else part.name
        for part in (function, further)
        if isinstance(part, Instance | Class)
    ]
    step = declare(
        Kind.OPERATOR, name, inputs, at, python=python, parallelism=env.parallelism, code=function, keyed=keyed,
        operator=_CALLS[python], function=", ".join(named) or None, chaining=ChainingStrategy.ALWAYS,
        stateful=keyed or python.endswith("broadcast"), **settings,
    )  # fmt: skip
    env.registered.append(step)
    return step


def joined_states(
    *several: tuple[StateDescriptor, ...] | Unknown,
) -> tuple[StateDescriptor, ...] | Unknown:
    """The states of all functions that run in one operator."""
    found: dict[object, StateDescriptor] = {}
    for states in several:
        if isinstance(states, Unknown):
            return states
        found.update(((state.name, state.kind), state) for state in states)
    return tuple(found.values())


def of_connector(step: Draft, facts: ConnectorFacts | None) -> None:
    """Take over what the connector tables say of a source or sink."""
    for name in ("state", "stateful", "committer", "global_committer", "pre_write", "pre_commit", "post_commit"):
        if facts is not None:
            setattr(step, name, getattr(facts, name))


def virtual(
    kind: Kind,
    inputs: list[Draft],
    at: Location,
    *,
    partitioner: PartitionerKind | None = None,
    tag: Maybe[str] | None = None,
) -> Draft:
    """A partitioning, union or side output: it runs as its (first) input does when it is made."""
    return declare(kind, None, inputs, at, partitioner=partitioner, tag=tag, parallelism=inputs[0].parallelism)


def java_step(stream: Stream, name: str, call: str, at: Location, parallelism: Parallelism) -> Draft:
    """A registered operator that runs in the JVM."""
    step = declare(Kind.OPERATOR, name, [stream.step], at, parallelism=parallelism, operator=call)
    stream.env.registered.append(step)
    return step


def operator(stream: Stream, call: str, function: Value, output_type: Value, at: Location) -> Stream:
    """``map``, ``flat_map``, ``filter``, ``process``, ``reduce`` and the sums of a stream or keyed stream."""
    keyed = isinstance(stream, Keyed)
    names = {"map": "Map", "flat_map": "FlatMap", "filter": "Filter", "reduce": "Reduce"}
    name = names.get(call, "KEYED PROCESS" if keyed else "PROCESS")
    step = python_step(stream.env, [stream.step], name, "keyed" if keyed else "process", at, function)
    source = stream.origin if isinstance(stream, Keyed) and stream.origin is not None else stream
    if isinstance(stream, Keyed):
        step.key, step.key_type = stream.key, stream.key_type
        if call == "reduce":
            step.state = (StateDescriptor(name=_REDUCED, kind=StateKind.REDUCING, location=at),)
    return Stream(stream.env, step, source.elements if call in ("filter", "reduce") else elements_of(output_type))


def key_by(stream: Stream, key: Maybe[str], key_type: Maybe[str], at: Location) -> Keyed:
    """A Python operator that adds the key, then a hash partition."""
    origin = stream.origin if isinstance(stream, Keyed) and stream.origin is not None else stream
    step = python_step(
        origin.env, [origin.step], KEY_BY_MAP, "process", at, holds=key if isinstance(key, str) else None
    )
    return Keyed(
        origin.env, virtual(Kind.PARTITION, [step], at, partitioner=PartitionerKind.HASH), origin.elements, origin,
        key, key_type,
    )  # fmt: skip


def keyed_values(stream: Stream, at: Location) -> Stream:
    """The elements of a keyed stream without their keys; any other stream as it is."""
    if not isinstance(stream, Keyed):
        return stream
    result = operator(stream, "map", None, None, at)
    result.step.name = KEYED_VALUES
    result.elements = stream.origin.elements if stream.origin else UNTYPED
    return result


def partition(stream: Stream, kind: PartitionerKind, at: Location) -> Stream:
    """A partitioning without settings of its own."""
    return Stream(stream.env, virtual(Kind.PARTITION, [stream.step], at, partitioner=kind), stream.elements)


def partition_custom(stream: Stream, at: Location) -> Stream:
    """A Python operator that computes the partition, the partition, and one that takes it off again."""
    stream = keyed_values(stream, at)
    before = python_step(stream.env, [stream.step], PARTITION_CUSTOM_MAP, "process", at)
    middle = virtual(Kind.PARTITION, [before], at, partitioner=PartitionerKind.CUSTOM)
    after = python_step(stream.env, [middle], KEYED_VALUES, "process", at)
    return Stream(stream.env, after, stream.elements)


def union(streams: list[Stream], at: Location) -> Stream:
    """``union``: keyed streams give their values."""
    plain = [keyed_values(stream, at) for stream in streams]
    step = virtual(Kind.UNION, [stream.step for stream in plain], at)
    return Stream(plain[0].env, step, plain[0].elements)


def timestamps(stream: Stream, strategy: Value, at: Location) -> Stream:
    """``assign_timestamps_and_watermarks``: with an assigner of its own it is three operators."""
    assigner = False
    built = strategy
    while isinstance(built, External):
        assigner = assigner or built.simple == "with_timestamp_assigner"
        built = built.before
    if not isinstance(strategy, External):
        raise stopped("the watermark strategy is not known", Cause.OTHER, at)
    if not assigner:
        step = java_step(stream, "Timestamps/Watermarks", "assign-timestamps", at, stream.step.parallelism)
        return Stream(stream.env, step, UNTYPED if isinstance(stream, Keyed) else stream.elements)
    if isinstance(stream, Keyed):
        raise RaiseSignal(("TypeError", "Exception", "BaseException"))
    before = python_step(stream.env, [stream.step], "Extract-Timestamp", "process", at)
    middle = Stream(stream.env, before)
    marks = java_step(middle, "Timestamps/Watermarks", "assign-timestamps", at, before.parallelism)
    after = java_step(Stream(stream.env, marks), "Remove-Timestamp", "map", at, stream.env.parallelism)
    return Stream(stream.env, after, stream.elements)


def window(
    windowed: Windowed, function: Value, further: Value, output_type: Value, at: Location, *, keeps_type: bool = False
) -> Stream:
    """``reduce``, ``aggregate``, ``apply`` and ``process`` of a windowed stream; a plain reduce keeps the type."""
    keyed = windowed.stream
    step = python_step(
        keyed.env, [keyed.step], windowed.assigner, "window", at, function, further, window=windowed.windows,
        key=keyed.key, key_type=keyed.key_type,
    )  # fmt: skip
    kept = output_type is None and keeps_type
    return Stream(keyed.env, step, keyed.elements if kept else elements_of(output_type))


def connected(pair: Connected, call: str, function: Value, output_type: Value, at: Location) -> Stream:
    """``map``, ``flat_map`` and ``process`` of two connected streams."""
    keyed = isinstance(pair.first, Keyed) and isinstance(pair.second, Keyed)
    name = {"map": "Co-Map", "flat_map": "Co-Flat Map"}.get(call, "Keyed Co-Process" if keyed else "Co-Process")
    inputs = [pair.first.step, pair.second.step]
    step = python_step(pair.first.env, inputs, name, "keyed-co" if keyed else "co", at, function)
    if isinstance(pair.first, Keyed) and isinstance(pair.second, Keyed):
        keys = (pair.first.key, pair.second.key)
        unread = next((key for key in keys if isinstance(key, Unknown)), None)
        step.key = unread or " and ".join(map(str, keys))
        step.key_type = pair.first.key_type
    return Stream(pair.first.env, step, elements_of(output_type))


def broadcast_process(pair: Broadcast, function: Value, output_type: Value, at: Location) -> Stream:
    """``process`` of a stream connected with a broadcast one: a Java transformation that is never fused."""
    assert pair.second is not None
    keyed = isinstance(pair.second, Keyed)
    name = "Keyed-Co-Process-Broadcast" if keyed else "Co-Process-Broadcast"
    inputs = [pair.second.step, pair.stream.step]
    python = "keyed-broadcast" if keyed else "broadcast"
    step = python_step(pair.second.env, inputs, name, python, at, function)
    if isinstance(pair.second, Keyed):
        step.key, step.key_type = pair.second.key, pair.second.key_type
    return Stream(pair.second.env, step, elements_of(output_type))


def side_output(stream: Stream, tag: Maybe[str], output_type: Value, at: Location) -> Stream:
    """``get_side_output``: PyFlink puts a ``Map`` behind it."""
    step = virtual(Kind.SIDE_OUTPUT, [stream.step], at, tag=tag)
    return operator(Stream(stream.env, step), "map", None, output_type, at)


def async_wait(stream: Stream, function: Value, output_type: Value, at: Location) -> Stream:
    """``AsyncDataStream`` (2.3): a Python operator of its own name."""
    keyed = isinstance(stream, Keyed)
    step = python_step(stream.env, [stream.step], "async wait operator", "process", at, function, keyed=keyed)
    return Stream(stream.env, step, elements_of(output_type))


def unseen(env: Environment, inputs: list[Draft], unknown: Unknown, at: Location) -> Draft:
    """A registered step that stands for any number of operators."""
    step = declare(Kind.UNKNOWN, None, inputs, at, unknown=unknown)
    env.source_descriptions.append(unknown.derived_from or "")
    env.registered.append(step)
    return step


def register(env: Environment, step: Draft) -> None:
    """What a call of the Table API adds to the environment."""
    env.source_descriptions.append("" if step.unknown is None else step.unknown.derived_from or "")
    env.registered.append(step)


def source(env: Environment, kind: Kind, name: Maybe[str], parallelism: Parallelism, at: Location) -> Stream:
    """A source: not registered, reached through what reads it."""
    step = declare(kind, name, (), at, parallelism=parallelism)
    env.sources.append(step)
    return Stream(env, step)
