"""Transformations of the DataStream API of PyFlink: what each call declares, before PyFlink fuses Python operators.

Source: ``pyflink/datastream/data_stream.py`` of 1.20 and 2.3, and what these versions were seen to build.

The Java classes behind the connectors of PyFlink, and what the connector tables know of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from checker.extract.connectors.tables import SERVERS, ConnectorFacts, classes_of_pyflink, lookup
from checker.extract.datastream.records import CallSite, Draft, Parallelism
from checker.extract.datastream.table import ApiCall, camel
from checker.extract.interpreting.memory import place_of
from checker.extract.python.flink_api.streams import (
    KEY_BY_MAP,
    KEYED_VALUES,
    UNTYPED,
    Environment,
    Keyed,
    Sink,
    Stream,
    calls_to,
    elements_of,
    given_in,
)
from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Class, External, Instance, Opaque, Value
from checker.model.declared_state import StateDescriptor
from checker.model.flink_releases import NEWEST
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind, constant_digest
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_CALLS = {"process": "process", "keyed": "keyed-process", "co": "co-process", "keyed-co": "keyed-co-process",
          "window": "window", "broadcast": "broadcast-process",
          "keyed-broadcast": "keyed-broadcast-process"}  # fmt: skip
"""Kind of Python operator → what the call is in a topology."""


def declare(kind: Kind, name: Maybe[str] | None, inputs: Iterable[Draft], at: Location, **settings: Any) -> Draft:
    """A transformation that a call at a place makes."""
    site = CallSite((), str(kind), (at.file, place_of(at.line, at.column)))
    return Draft(site, kind, at, tuple(inputs), name, **settings)


def python_step(
    env: Environment, inputs: list[Draft], name: Maybe[str], python: str, at: Location, function: Value = None,
    further: Value = None, by: Stream | None = None, **settings: Any,
) -> Draft:  # fmt: skip
    """A registered Python operator, which runs a function, and a ``further`` one with what that gives.

    ``by``: the stream whose keys it has, if that is a keyed one.

    Keyed Python operators register their timers; the others keep state only where a function asks for it.
    """
    keyed = python.startswith(("keyed", "window"))
    if isinstance(by, Keyed):
        settings |= {"key": by.key, "key_type": by.key_type, "key_at": by.key_at}
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


def joined_states(*several: tuple[StateDescriptor, ...] | Unknown) -> tuple[StateDescriptor, ...] | Unknown:
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
    kind = "keyed" if isinstance(stream, Keyed) else "process"
    step = python_step(stream.env, [stream.step], name, kind, at, function, by=stream)
    return Stream(stream.env, step, elements_of(output_type))


def key_by(stream: Stream, key: Maybe[str], key_type: Maybe[str], at: Location) -> Keyed:
    """A Python operator that adds the key, then a hash partition."""
    origin = stream.origin if isinstance(stream, Keyed) and stream.origin is not None else stream
    values = (constant_digest("key", key),) if isinstance(key, str) else ()
    step = python_step(origin.env, [origin.step], KEY_BY_MAP, "process", at, function_values=values)
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
    register(env, step)
    return step


def register(env: Environment, step: Draft) -> None:
    """A step that stands for any number of operators, such as those of tables."""
    env.source_descriptions.append("" if step.unknown is None else step.unknown.derived_from or "")
    env.registered.append(step)


def source(env: Environment, kind: Kind, name: Maybe[str] | None, parallelism: Parallelism, at: Location) -> Stream:
    """A source: not registered, reached through what reads it."""
    step = declare(kind, name, (), at, parallelism=parallelism)
    env.sources.append(step)
    return Stream(env, step)


def connector(value: Value, flink: str | None) -> ConnectorFacts | None:
    """What is known of the Java class behind a connector of PyFlink, builders seen through."""
    calls: dict[str, list[object]] = {}
    name: str | None = None
    for built in calls_to(value):
        if built.called:
            given = (a for a in built.arguments if isinstance(a, str | int | bool))
            calls.setdefault(camel(built.simple), []).extend(given)
        name = next((part for part in built.path.split(".") if part in classes_of_pyflink()), None)
    return None if name is None else lookup(classes_of_pyflink()[name], flink or NEWEST, calls)


def read_by(source: Value, facts: ConnectorFacts) -> tuple[Value, ...]:
    """What names the topics, streams or tables that a source reads."""
    for built in calls_to(source):
        made = facts.reads == "new" and built.simple in classes_of_pyflink()
        if built.called and (made or camel(built.simple) == facts.reads):
            given = built.arguments[:1] if made else built.arguments
            given = given or tuple(value for key, value in built.keywords if key == "topics")
            return tuple(name for part in given for name in (part if isinstance(part, list) else [part]))
    return ()


def addresses(source: Value, facts: ConnectorFacts) -> Iterator[Value]:
    """What names the servers of what a source reads: an argument of a builder's method, a property, a dictionary."""
    for built in calls_to(source):
        key = built.arguments[0] if built.arguments else None
        if camel(built.simple) == facts.at or (isinstance(key, str) and key == SERVERS):
            yield from built.arguments[-1:]
        for given in (*built.arguments, *(value for _, value in built.keywords)):
            if isinstance(given, dict) and SERVERS in given:
                yield given[SERVERS]


def shown(value: Value) -> str:
    """The name of a connector in messages."""
    if isinstance(value, External):
        return [*calls_to(value)][-1].path
    if isinstance(value, Instance):
        return value.of.name
    return value.name if isinstance(value, Opaque | Class) and value.name else "this sink"


def called(value: Value, method: str) -> bool:
    """Whether a method was called on the way to an object, or on the way to one that it was built with."""
    return any(part.called and part.simple == method for part in given_in(value))


_STRING = External("pyflink.common.Types.STRING")


def print_sink(run: Run, stream: Stream, call: Call, row: ApiCall) -> Sink:
    """``print``: objects and rows become text first."""
    textual = stream.elements.textual
    if isinstance(textual, Unknown):
        symbol = run.fresh(f"print:{call.place}")
        tested = Opaque(replace(textual, derived_from=None), symbol, textual.derived_from or "")
        textual = choices.choose(run, tested, "what is printed are rows or Python objects", call.place)
    stream = keyed_values(stream, call.place)
    if textual:
        stream = operator(stream, "Map", None, _STRING, call.place)
    return _registered(stream, Kind.LEGACY_SINK, row, None, call.place)


def add_sink(run: Run, stream: Stream, call: Call, row: ApiCall) -> Sink:
    """``add_sink``: one operator whatever the function is."""
    return _registered(keyed_values(stream, call.place), Kind.LEGACY_SINK, row, None, call.place)


def sink_to(run: Run, stream: Stream, call: Call, row: ApiCall) -> Sink:
    """``sink_to``: how many operators it is, the connector tables know; some sinks put one before themselves."""
    sink = call.argument(0, "sink")
    facts = connector(sink, run.entry.flink)
    bulk = called(sink, "for_bulk_format")  # of rows, which a step before the sink may make
    if facts is None or facts.topology is not None or bulk:
        why = facts.topology.reason if facts and facts.topology else "a sink that the connector tables do not know"
        derived_from = described(run, sink) or None
        reason = Unknown(f"{shown(sink)}: {why}", Cause.CONNECTOR, None, call.place, derived_from=derived_from)
        return Sink(unseen(stream.env, [stream.step], reason, call.place))
    if called(sink, "set_topic_selector"):
        stream = operator(stream, "Map", None, None, call.place)
    return _registered(stream, Kind.SINK, row, facts, call.place)


def _registered(stream: Stream, kind: Kind, row: ApiCall, facts: ConnectorFacts | None, at: Location) -> Sink:
    step = declare(kind, row.python, [stream.step], at, parallelism=stream.env.parallelism)
    of_connector(step, facts)
    stream.env.registered.append(step)
    return Sink(step)
