"""The Java classes behind the connectors of PyFlink, and what the connector tables know of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from checker.extract.connectors.tables import SERVERS, ConnectorFacts, classes_of_pyflink, lookup
from checker.extract.datastream.table import ApiCall, camel
from checker.extract.python.flink_api.element_types import Elements
from checker.extract.python.flink_api.operators import declare, java_step, keyed_values, of_connector, operator, unseen
from checker.extract.python.flink_api.streams import Sink, Stream
from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Arguments, Class, External, Instance, Opaque, Value
from checker.model.flink_releases import NEWEST
from checker.model.topology import Kind
from checker.model.unknowns import Cause, Location, Unknown


def connector(value: Value, flink: str | None) -> ConnectorFacts | None:
    """What is known of the Java class behind a connector of PyFlink, builders seen through."""
    calls: dict[str, list[object]] = {}
    built = value
    while isinstance(built, External):
        if built.called:
            calls.setdefault(camel(built.simple), []).extend(
                a for a in built.arguments if isinstance(a, str | int | bool)
            )
        name = next((part for part in built.path.split(".") if part in classes_of_pyflink()), None)
        if built.before is None:
            return None if name is None else lookup(classes_of_pyflink()[name], flink or NEWEST, calls)
        built = built.before
    return None


def read_by(source: Value, facts: ConnectorFacts | None) -> tuple[Value, ...]:
    """What names the topics, streams or tables that a source reads."""
    built = source
    while facts is not None and isinstance(built, External):
        made = facts.reads == "new" and built.simple in classes_of_pyflink()
        if built.called and (made or camel(built.simple) == facts.reads):
            given = built.arguments[:1] if made else built.arguments
            given = given or tuple(value for key, value in built.keywords if key == "topics")
            return tuple(name for part in given for name in (part if isinstance(part, list) else [part]))
        built = built.before
    return ()


def addresses(source: Value, facts: ConnectorFacts | None) -> Iterator[Value]:
    """What names the servers of what a source reads: an argument of a builder's method, a property, a dictionary."""
    built = source
    while facts is not None and isinstance(built, External):
        key = built.arguments[0] if built.arguments else None
        if camel(built.simple) == facts.at or (isinstance(key, str) and key == SERVERS):
            yield from built.arguments[-1:]
        for given in (*built.arguments, *(value for _, value in built.keywords)):
            if isinstance(given, dict) and SERVERS in given:
                yield given[SERVERS]
        built = built.before


def shown(value: Value) -> str:
    """The name of a connector in messages."""
    if isinstance(value, External):
        root = value
        while root.before is not None:
            root = root.before
        return root.path
    if isinstance(value, Instance):
        return value.of.name
    return value.name if isinstance(value, Opaque | Class) and value.name else "this sink"


def called(value: Value, method: str) -> External | None:
    """The call of a method on the way to an object, or on the way to one that it was built with."""
    pending: list[Value] = [value]
    for _ in range(200):
        if not pending:
            break
        part = pending.pop()
        if isinstance(part, External):
            if part.called and part.simple == method:
                return part
            pending += [part.before, *part.arguments, *(keyword for _, keyword in part.keywords)]
    return None


_STRING = External("pyflink.common.Types.STRING")
_ROW_FACTORIES = ("for_row_type", "for_schema")
"""Factories of bulk writers that want rows of the Table API: a step that makes those comes before the sink."""


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
    if facts is None or facts.topology is not None:
        why = facts.topology.reason if facts and facts.topology else "a sink that the connector tables do not know"
        derived_from = described(run, sink) or None
        reason = Unknown(f"{shown(sink)}: {why}", Cause.CONNECTOR, None, call.place, derived_from=derived_from)
        return Sink(unseen(stream.env, [stream.step], reason, call.place))
    if called(sink, "set_topic_selector"):
        stream = operator(stream, "Map", None, None, call.place)
    if (bulk := called(sink, "for_bulk_format")) is not None:
        stream = _as_rows(stream, bulk, call.place)
    return _registered(stream, Kind.SINK, row, facts, call.place)


def _as_rows(stream: Stream, made: External, at: Location) -> Stream:
    factory = Arguments(list(made.arguments), dict(made.keywords)).get(1, "writer_factory")
    if not isinstance(factory, External):
        raise stopped("the writer factory of a bulk format is not known", Cause.CONNECTOR, at)
    if factory.simple in _ROW_FACTORIES:
        return Stream(stream.env, java_step(stream, "Process", "process", at, stream.env.parallelism), Elements(False))
    return stream


def _registered(stream: Stream, kind: Kind, row: ApiCall, facts: ConnectorFacts | None, at: Location) -> Sink:
    step = declare(kind, row.python, [stream.step], at, parallelism=stream.env.parallelism)
    of_connector(step, facts)
    stream.env.registered.append(step)
    return Sink(step)
