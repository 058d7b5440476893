"""Sinks: what ``print``, ``add_sink``, ``sink_to`` and ``execute_and_collect`` declare."""

from __future__ import annotations

from checker.extract.connectors.tables import ConnectorFacts
from checker.extract.datastream.records import Draft
from checker.extract.python.flink_api.connectors import called, connector, shown
from checker.extract.python.flink_api.element_types import Elements
from checker.extract.python.flink_api.operators import declare, java_step, keyed_values, of_connector, operator, unseen
from checker.extract.python.flink_api.streams import Sink, Stream
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import External, Value
from checker.model.flink_releases import NEWEST
from checker.model.topology import Kind
from checker.model.unknowns import Cause, Location, Unknown

STRING = External("pyflink.common.Types.STRING")
_ROW_FACTORIES = ("for_row_type", "for_schema")
"""Factories of bulk writers that want rows of the Table API: a step that makes those comes before the sink."""


def print_sink(stream: Stream, textual: bool, at: Location) -> Sink:
    """``print``: objects and rows become text first."""
    stream = keyed_values(stream, at)
    if textual:
        stream = operator(stream, "map", None, STRING, at)
    return _register(stream, Kind.LEGACY_SINK, "Print to Std. Out", None, at)


def add_sink(stream: Stream, at: Location) -> Sink:
    """``add_sink``: one operator whatever the function is."""
    return _register(keyed_values(stream, at), Kind.LEGACY_SINK, "Unnamed", None, at)


def sink_to(stream: Stream, sink: Value, derived_from: str, flink: str | None, at: Location) -> Sink:
    """``sink_to``: how many operators it is, the connector tables know; some sinks put one before themselves."""
    facts = connector(sink, flink)
    if facts is None or facts.topology is not None:
        why = facts.topology.reason if facts and facts.topology else "a sink that the connector tables do not know"
        unknown = Unknown(f"{shown(sink)}: {why}", Cause.CONNECTOR, None, at, derived_from=derived_from or None)
        return Sink(unseen(stream.env, [stream.step], unknown, at))
    if called(sink, "set_topic_selector"):
        stream = operator(stream, "map", None, None, at)
    if called(sink, "for_bulk_format"):
        stream = _as_rows(stream, sink, at)
    return _register(stream, Kind.SINK, "Sink", facts, at)


def _as_rows(stream: Stream, sink: Value, at: Location) -> Stream:
    made = called(sink, "for_bulk_format")
    named = dict(made.keywords) if made else {}
    factory = named.get("writer_factory", made.arguments[1] if made and len(made.arguments) > 1 else None)
    if not isinstance(factory, External):
        raise stopped("the writer factory of a bulk format is not known", Cause.CONNECTOR, at)
    if factory.simple in _ROW_FACTORIES:
        return Stream(stream.env, java_step(stream, "Process", "process", at, stream.env.parallelism), Elements(False))
    return stream


def _register(stream: Stream, kind: Kind, name: str, facts: ConnectorFacts | None, at: Location) -> Sink:
    step = declare(kind, name, [stream.step], at, parallelism=stream.env.parallelism)
    of_connector(step, facts)
    stream.env.registered.append(step)
    return Sink(step)


def collect_sink(target: Draft, flink: str | None, at: Location) -> Draft:
    """What ``execute_and_collect`` puts behind a stream, after PyFlink fused the operators before it.

    Since 2.0 its uid holds a number that counts all transformations of the process.
    """
    uid = None
    if int((flink or NEWEST).partition(".")[0]) >= 2:
        why = "Flink makes the uid of a collecting sink of a counter"
        uid = Unknown(why, Cause.NON_DETERMINISTIC, None, at, derived_from="a counter of Flink")
    return declare(Kind.LEGACY_SINK, "Data stream collect sink", [target], at, uid=uid, parallelism=1)
