"""Calls on the objects of the DataStream API: rows of the table, and the few calls that need more than a row."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from checker.extract.datastream import table
from checker.extract.datastream.table import ApiCall, words
from checker.extract.java.flink_api import combined, element_types, function_facts, jobs, sinks, unknowns, windows
from checker.extract.java.flink_api.jobs import refuse
from checker.extract.java.flink_api.keys import types as key_types
from checker.extract.java.flink_api.operators import (
    as_stream,
    broadcast_descriptors,
    declared,
    is_keyed,
    operator,
    partition,
    tag_of,
)
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, Choice, Constant, Instance, Lambda, ListValue, Value
from checker.extract.java.syntax.nodes import library_ancestor
from checker.extract.java.syntax.tree import text
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind
from checker.model.unknowns import Cause, Maybe, Unknown

Handler = Callable[[Run, StreamValue, Call, ApiCall], Value | None]


def call(run: Run, stream: StreamValue, call: Call) -> Value:
    """A method of a stream, sink, window, join, ..."""
    made = _call(run, stream, call)
    element_types.remember(run, stream, call, made)
    return made


def _call(run: Run, stream: StreamValue, call: Call) -> Value:
    changed = jobs.set_on_operator(run, stream, call)
    if changed is not None:
        return changed
    row = table.lookup(stream.type, call.name)
    made = HANDLERS[row.makes](run, stream, call, row) if row is not None else None
    if made is not None:
        return made
    if call.name in _NOT_EVALUATED:
        left = run.opaque(f"{call.name}() of a stream is not evaluated", Cause.UNSUPPORTED, call.site)
        return element_types.information(stream, left) if call.name == "getType" else left
    unknown = run.unknown(
        f"{call.name}() of {stream.type} is an unknown call of the DataStream API", Cause.UNSUPPORTED, call.site
    )
    return unknowns.escaped(run, unknown, call.having(arguments=[stream, *call.arguments]))


_NOT_EVALUATED = words("not_evaluated")


def _partition(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    return partition(run, stream, row.partitioner or PartitionerKind.REBALANCE, call.site)


def _options(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> dict[str, Any]:
    """What the row says of the operator."""
    state = element_types.of_elements(run, row.state, element_types.element_of(run, stream, call))
    options: dict[str, Any] = {"name": row.name, "operator": row.operator, "state": state}
    if row.parallelism == "input" and stream.draft is not None:
        options["parallelism"] = stream.draft.parallelism
    elif isinstance(row.parallelism, int):
        options["parallelism"] = row.parallelism
    return options


def _legacy_sink(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    return declared(run, stream, row, call.site, Kind.LEGACY_SINK, **_options(run, stream, call, row))


def _operator(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    function = call.arguments[row.function] if row.function is not None and call.arguments else None
    return operator(run, stream, function, call.site, **_options(run, stream, call, row))


def _key_by(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    given = [run.soften(value) for value in call.arguments]
    if stream.type == "ConnectedStreams" or (stream.parts and stream.draft is None):
        parts = tuple(
            partition(
                run, part, PartitionerKind.HASH, call.site, "KeyedStream", f"#{place + 1}",
                key=key_types.key_of(run, [*given[place : place + 1], *given[2:]],
                                     element_types.element_of(run, part), call),
            )
            for place, part in enumerate(stream.parts)
        )  # fmt: skip
        return StreamValue(stream.type, stream.env, None, parts)
    key = key_types.key_of(run, given, element_types.element_of(run, stream, call), call)
    return partition(run, stream, PartitionerKind.HASH, call.site, "KeyedStream", key=key)


def _broadcast(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    if not call.arguments:
        return partition(run, stream, PartitionerKind.BROADCAST, call.site)
    return partition(
        run,
        stream,
        PartitionerKind.BROADCAST,
        call.site,
        "BroadcastStream",
        descriptors=broadcast_descriptors(run, call),
    )


def _union(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    others: list[Value] = []
    for value in map(run.settle, call.arguments):
        known = isinstance(value, ListValue) and value.elements is not None
        others.extend(value.elements or () if known and isinstance(value, ListValue) else (value,))
    streams = [stream, *(as_stream(run, member, call.site) for member in others)]
    inputs = tuple(draft for stream in streams for draft in stream.inputs)
    draft = jobs.make(run, stream.env, Kind.UNION, call.site, inputs=inputs)
    return StreamValue("DataStream", stream.env, draft)


def _process(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    function = run.soften(call.arguments[0]) if call.arguments else NULL
    bases = table.process_functions()
    base = function_facts.base_among(run, function, bases)
    if base is None and isinstance(function, Choice):
        function = run.settle(function)
        base = function_facts.base_among(run, function, bases)
    if base is None:
        if is_keyed(stream):
            defaults = {
                "KeyedStream": "KeyedProcessFunction",
                "ConnectedStreams": "KeyedCoProcessFunction",
                "BroadcastConnectedStream": "KeyedBroadcastProcessFunction",
            }
            base = defaults.get(stream.type)
        if base is None:
            return _operator(run, stream, call, row)
        unkeyed = {"KeyedProcessFunction": "ProcessFunction", "KeyedCoProcessFunction": "CoProcessFunction"}.get(base)
        if unkeyed is not None and run.api.unkeyed_functions_on_keyed_streams and not isinstance(function, Lambda):
            shown: Maybe[str] = replace(
                jobs.unknown(function), reason=f"cannot tell whether a function is a {unkeyed} or a {base}",
                location=run.location(call.site), options=(bases[base][0], bases[unkeyed][0]),
            )  # fmt: skip
            return operator(run, stream, function, call.site, name=shown, operator=bases[base][1])
    name, slug = bases[base]
    options: dict[str, Any] = {}
    if slug == "process" and not run.api.unkeyed_functions_on_keyed_streams:
        _, stateful = function_facts.state_of(run, function)
        options["stateful"] = False if stateful is None else stateful
    return operator(
        run, stream, function, call.site, name=name, operator=slug, state=stream.extra.get("descriptors", ()), **options
    )


def _transform(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``transform(name, type, operator or factory)``: the operator's own chaining strategy counts."""
    made = [value for value in call.arguments if not isinstance(value, Constant)]
    implementation = run.settle(made[-1]) if made else NULL
    name = jobs.maybe_text(call.arguments[0]) if call.arguments else None
    states, stateful = function_facts.state_of(run, implementation)
    key = key_types.joined(stream)
    draft = jobs.make(
        run, stream.env, Kind.OPERATOR, call.site, inputs=stream.inputs, name=name, operator="custom",
        key_type=key.type, key_classes=key.classes, key=key.part, key_at=key.at,
        function=function_facts.class_name(run, implementation), chaining=_operator_chaining(run, implementation),
        keyed=is_keyed(stream), state=states, stateful=stateful,
    )  # fmt: skip
    return StreamValue("SingleOutputStreamOperator", stream.env, draft)


def _operator_chaining(run: Run, value: Value) -> Maybe[ChainingStrategy]:
    """Operators of 1.x choose it themselves, factories in every release."""
    name = function_facts.class_name(run, value)
    names = (*(function_facts.ancestry(run, value) or ()), name or "Factory")
    chooses = any(known.endswith("Factory") for known in names) and not _leaves_chaining(run, value)
    if not run.api.operators_choose_chaining and not chooses:
        return ChainingStrategy.ALWAYS
    made = expression_of(value, Cause.CONNECTOR)
    return Unknown(f"cannot tell the chaining strategy of {name or 'an operator'}", Cause.CONNECTOR, derived_from=made)


def _leaves_chaining(run: Run, value: Value) -> bool:
    """Whether a factory of the program leaves the chaining strategy as ``AbstractStreamOperatorFactory`` has it."""
    above = library_ancestor(run.index, value.decl) if isinstance(value, Instance) else None
    if not isinstance(value, Instance) or above is None or above.simple != "AbstractStreamOperatorFactory":
        return False
    return not any("hainingStrategy" in text(owner.node) for owner in run.index.lineage(value.decl))


def _side_output(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    tag, kind = tag_of(run, call.arguments[0] if call.arguments else NULL)
    if isinstance(tag, str) and kind is not None and stream.draft is not None:
        wanted = stream.extra.setdefault("tags", {})
        if wanted.get(tag, kind) != kind:
            return refuse("A side output with a matching id was already requested with a different type.")
        run.memory.put(wanted, tag, kind)
    draft = jobs.make(run, stream.env, Kind.SIDE_OUTPUT, call.site, inputs=stream.inputs, tag=tag)
    return StreamValue("SideOutputDataStream", stream.env, draft)


def _enable_async_state(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    run.memory.assign(stream, "extra", {**stream.extra, "asynchronous": True})
    return stream


def _cache(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    draft = jobs.make(run, stream.env, Kind.CACHE, call.site, inputs=stream.inputs)
    return StreamValue("CachedDataStream", stream.env, draft)


HANDLERS: dict[str, Handler] = {
    "same": lambda run, stream, call, row: stream,
    "partition": _partition,
    "partition-custom": _partition,
    "operator": _operator,
    "timestamps": _operator,
    "legacy-sink": _legacy_sink,
    "key-by": _key_by,
    "refused": lambda run, stream, call, row: refuse("Cannot override partitioning for KeyedStream."),
    "broadcast": _broadcast,
    "union": _union,
    "process": _process,
    "transform": _transform,
    "side-output": _side_output,
    "async-state": _enable_async_state,
    "cache": _cache,
    "environment": lambda run, stream, call, row: stream.env,
    "configuration": lambda run, stream, call, row: stream.env,
    "transformation": lambda run, stream, call, row: StreamValue(
        "Transformation", stream.env, stream.draft, extra=stream.extra
    ),
    "inputs": lambda run, stream, call, row: stream.parts[call.name == "getSecondInput"],
    "opaque": lambda run, stream, call, row: None,
    "connect": combined.connect,
    "pair": combined.pair,
    "key-of": combined.key_of,
    "join": combined.join,
    "interval-join": combined.interval_join,
    "pattern": combined.pattern,
    "window": windows.window,
    "window-all": windows.window_all,
    "trigger": windows.trigger,
    "lateness": lambda run, stream, call, row: windows.more_said(run, stream, late=True),
    "evictor": lambda run, stream, call, row: windows.more_said(run, stream, evictor=True),
    "window-result": windows.result,
    "add-sink": sinks.add_sink,
    "sink-to": sinks.sink_to,
    "collect": sinks.collect,
    "execute-and-collect": sinks.execute_and_collect,
}
"""What a row of the table makes → who makes it."""
