"""Sinks: what ``print``, ``add_sink`` and ``sink_to`` declare."""

from __future__ import annotations

from dataclasses import replace

from checker.extract.connectors.tables import ConnectorFacts
from checker.extract.datastream.table import ApiCall
from checker.extract.python.flink_api.connectors import called, connector, shown
from checker.extract.python.flink_api.element_types import Elements
from checker.extract.python.flink_api.operators import declare, java_step, keyed_values, of_connector, operator, unseen
from checker.extract.python.flink_api.streams import Sink, Stream
from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.call_record import Call
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Arguments, External, Opaque
from checker.model.topology import Kind
from checker.model.unknowns import Cause, Location, Unknown

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
