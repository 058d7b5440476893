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
    Environment,
    Keyed,
    Stream,
)
from checker.extract.python.interpreter.values import Class, Instance, Value
from checker.model.declared_state import StateDescriptor
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind, constant_digest
from checker.model.unknowns import Location, Maybe, Unknown

_CALLS = {"process": "process", "keyed": "keyed-process", "co": "co-process", "keyed-co": "keyed-co-process",
          "window": "window", "broadcast": "broadcast-process",
          "keyed-broadcast": "keyed-broadcast-process"}  # fmt: skip
"""Kind of Python operator → what the call is in a topology."""


def declare(
    kind: Kind,
    name: Maybe[str] | None,
    inputs: Iterable[Draft],
    at: Location,
    **settings: Any,
) -> Draft:
    """A transformation that a call at a place makes."""
    site = CallSite((), str(kind), (at.file, place_of(at.line, at.column)))
    return Draft(site, kind, at, tuple(inputs), name, **settings)


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
    if facts is not None:
        step.function = facts.class_name
        for name in ("state", "stateful", "committer", "global_committer", "pre_write", "pre_commit", "post_commit"):
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


def operator(stream: Stream, name: str, function: Value, output_type: Value, at: Location) -> Stream:
    """A Python operator of a stream or keyed stream."""
    keyed = isinstance(stream, Keyed)
    step = python_step(stream.env, [stream.step], name, "keyed" if keyed else "process", at, function)
    if isinstance(stream, Keyed):
        step.key, step.key_type, step.key_at = stream.key, stream.key_type, stream.key_at
    return Stream(stream.env, step, elements_of(output_type))


def key_by(stream: Stream, key: Maybe[str], key_type: Maybe[str], at: Location) -> Keyed:
    """A Python operator that adds the key, then a hash partition."""
    origin = stream.origin if isinstance(stream, Keyed) and stream.origin is not None else stream
    step = python_step(
        origin.env,
        [origin.step],
        KEY_BY_MAP,
        "process",
        at,
        function_values=(constant_digest("key", key),) if isinstance(key, str) else (),
    )
    return Keyed(
        origin.env, virtual(Kind.PARTITION, [step], at, partitioner=PartitionerKind.HASH), origin.elements, origin,
        key, key_type,
    )  # fmt: skip


def keyed_values(stream: Stream, at: Location) -> Stream:
    """The elements of a keyed stream without their keys; any other stream as it is."""
    if not isinstance(stream, Keyed):
        return stream
    result = operator(stream, KEYED_VALUES, None, None, at)
    result.elements = stream.origin.elements if stream.origin else UNTYPED
    return result


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


def source(env: Environment, kind: Kind, name: Maybe[str] | None, parallelism: Parallelism, at: Location) -> Stream:
    """A source: not registered, reached through what reads it."""
    step = declare(kind, name, (), at, parallelism=parallelism)
    env.sources.append(step)
    return Stream(env, step)
