"""Static helpers of Flink: ``AsyncDataStream``, ``DataStreamUtils``, ``CEP``, table environments."""

from __future__ import annotations

from checker.extract.java.flink_api import drafts, element_types, operators, sinks, unknowns
from checker.extract.java.flink_api.keys import types as key_types
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Settings, Value
from checker.extract.java.syntax.class_index import External
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import Kind, PartitionerKind
from checker.model.unknowns import Cause, Unknown


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """A static helper around streams; None for every other call."""
    simple = external.simple
    if simple == "AsyncDataStream" and call.arguments:
        stream = operators.as_stream(run, call.arguments[0], call.site)
        queue = StateDescriptor(name="_async_wait_operator_state_", kind=StateKind.OPERATOR_LIST)
        element = element_types.element_of(run, stream, call, argument=True)
        made = operators.operator(
            run,
            stream,
            call.arguments[1] if len(call.arguments) > 1 else None,
            call.site,
            name="async wait operator",
            operator="async-wait",
            yielding=True,
            stateful=True,
            state=element_types.of_elements(run, (queue,), element),
        )
        element_types.remember(run, stream, call, made)
        return made
    if simple == "DataStreamUtils" and call.arguments:
        return _utils(run, call)
    if simple == "CEP" and call.name == "pattern" and call.arguments:
        stream = operators.as_stream(run, call.arguments[0], call.site)
        return StreamValue("PatternStream", stream.env, None, (stream,), {"pattern": call.arguments[1:2]})
    if simple == "StandardSinkTopologies" and call.name == "addGlobalCommitter" and call.arguments:
        return _global_committer(run, operators.as_stream(run, call.arguments[0], call.site), call.site)
    if simple == "GlobalConfiguration":
        return Settings({}, False, "the cluster's configuration file")
    if simple == "Transformation" and call.name == "getNewNodeId":
        return run.opaque("a transformation's number", Cause.NON_DETERMINISTIC, call.site)
    return None


def _utils(run: Run, call: Call) -> Value | None:
    stream = next((value for value in map(run.settle, call.arguments) if isinstance(value, StreamValue)), None)
    if stream is None:
        return None
    if call.name == "reinterpretAsKeyedStream":
        given = [run.soften(value) for value in call.arguments[1:]]
        key = key_types.key_of(run, given, element_types.element_of(run, stream, call), call)
        return operators.partition(run, stream, PartitionerKind.FORWARD, call.site, "KeyedStream", key=key)
    if call.name.startswith("collect"):
        return sinks.execute_and_collect(run, stream, call)
    unknown = Unknown(
        f"DataStreamUtils.{call.name}() is not modelled", Cause.UNSUPPORTED, None, run.location(call.site)
    )
    return unknowns.escaped(run, unknown, call)


def _global_committer(run: Run, stream: StreamValue, site: Site) -> Value:
    """``StandardSinkTopologies.addGlobalCommitter``: all to one operator of parallelism 1."""
    target = operators.partition(run, stream, PartitionerKind.GLOBAL, site, suffix="#global")
    draft = drafts.make(
        run, stream.env, Kind.OPERATOR, site, inputs=operators.inputs_of(target), name="Global Committer",
        operator="global-committer", parallelism=1, max_parallelism=1, stateful=True,
        state=(StateDescriptor(name="streaming_committer_raw_states", kind=StateKind.OPERATOR_LIST),),
    )  # fmt: skip
    return StreamValue("DataStreamSink", stream.env, draft)
