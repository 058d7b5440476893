"""Static helpers of Flink (``AsyncDataStream``, ``DataStreamUtils``, ``CEP``), and ``new`` of streams and operators.

Programs make streams and transformations themselves that go below the DataStream API.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checker.extract.datastream import table
from checker.extract.datastream.records import Draft
from checker.extract.datastream.table import ApiCall
from checker.extract.java.flink_api import drafts, element_types, jobs, operators, sinks, unknowns
from checker.extract.java.flink_api.keys import types as key_types
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import ExternalObject, ListValue, Settings, Value
from checker.extract.java.syntax.class_index import External
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import Exchange, Kind, PartitionerKind
from checker.model.unknowns import Cause, Maybe, Unknown


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """A static helper around streams; None for every other call."""
    simple = external.simple
    if simple == "AsyncDataStream" and call.arguments:
        stream = operators.as_stream(run, call.arguments[0], call.site)
        queue = StateDescriptor(name="_async_wait_operator_state_", kind=StateKind.OPERATOR_LIST)
        element = element_types.element_of(run, stream, call, argument=True)
        made = operators.operator(
            run, stream, call.arguments[1] if len(call.arguments) > 1 else None, call.site,
            name="async wait operator", operator="async-wait", yielding=True, stateful=True,
            state=element_types.of_elements(run, (queue,), element),
        )  # fmt: skip
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
    row = table.lookup("DataStream", "executeAndCollect")
    if call.name.startswith("collect") and row is not None:
        return sinks.execute_and_collect(run, stream, call, row)
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


# -- what programs make themselves ------------------------------------------------------------------------------------


def create(run: Run, external: External, call: Call) -> Value | None:
    """The stream or transformation that ``new`` makes; None for other classes."""
    given = call.arguments
    simple = external.simple
    if call.node is None:
        return None
    given = [run.settle(value) for value in given]
    if simple in ("DataStream", "SingleOutputStreamOperator", "KeyedStream"):
        return _stream(run, simple, call.having(arguments=given))
    if simple == "MultipleConnectedStreams":
        env = next((value for value in given if isinstance(value, EnvValue)), jobs.default(run))
        return StreamValue("MultipleConnectedStreams", env)
    if simple in ("MultipleInputTransformation", "KeyedMultipleInputTransformation"):
        return _multiple(run, simple, call.having(arguments=given))
    if simple == "UnionTransformation":
        env = _env(run, given)
        union = drafts.make(run, env, Kind.UNION, call.site, inputs=_drafts(given))
        return StreamValue("Transformation", env, union)
    if simple == "PartitionTransformation":
        return _partition(run, call.having(arguments=given))
    if simple == "SideOutputTransformation":
        inputs = _drafts(given)
        tag, _ = operators.tag_of(run, given[1]) if len(given) > 1 else (Unknown("a tag that is not known"), None)
        draft = drafts.make(run, _env(run, given), Kind.SIDE_OUTPUT, call.site, inputs=inputs, tag=tag)
        return StreamValue("Transformation", _env(run, given), draft)
    return None


def _env(run: Run, given: Sequence[Value]) -> EnvValue:
    for value in given:
        if isinstance(value, EnvValue):
            return value
        if isinstance(value, StreamValue):
            return value.env
        if isinstance(value, ListValue):
            for element in value.elements or ():
                if isinstance(element, StreamValue):
                    return element.env
    return jobs.default(run)


def _drafts(given: Sequence[Value]) -> tuple[Draft, ...]:
    found: list[Draft] = []
    for value in given:
        if isinstance(value, StreamValue) and value.draft is not None:
            found.append(value.draft)
        elif isinstance(value, ListValue):
            found.extend(_drafts(list(value.elements or ())))
    return tuple(found)


def _stream(run: Run, simple: str, call: Call) -> Value | None:
    transformation = next((value for value in call.arguments if isinstance(value, StreamValue)), None)
    if transformation is None:
        return None
    if simple == "KeyedStream" and transformation.type != "Transformation":
        return operators.partition(run, transformation, PartitionerKind.HASH, call.site, "KeyedStream")
    return StreamValue(simple, _env(run, call.arguments), transformation.draft, extra=transformation.extra)


def _multiple(run: Run, simple: str, call: Call) -> Value:
    env = jobs.default(run)
    parallelism: Any = drafts.maybe_int(call.arguments[3]) if len(call.arguments) > 3 else env.parallelism
    draft = drafts.make(
        run, env, Kind.OPERATOR, call.site, register=False, registered=False, operator="multiple-input",
        name=drafts.maybe_text(call.arguments[0]) if call.arguments else None, parallelism=parallelism,
        keyed=simple.startswith("Keyed"),
    )  # fmt: skip
    return StreamValue("Transformation", env, draft)


_PARTITIONERS = {
    "ForwardPartitioner": PartitionerKind.FORWARD, "RebalancePartitioner": PartitionerKind.REBALANCE,
    "RescalePartitioner": PartitionerKind.RESCALE, "ShufflePartitioner": PartitionerKind.SHUFFLE,
    "BroadcastPartitioner": PartitionerKind.BROADCAST, "GlobalPartitioner": PartitionerKind.GLOBAL,
    "KeyGroupStreamPartitioner": PartitionerKind.HASH, "CustomPartitionerWrapper": PartitionerKind.CUSTOM,
}  # fmt: skip


def _partition(run: Run, call: Call) -> Value:
    kind: Maybe[PartitionerKind] = Unknown("a partitioner that is not known", location=run.location(call.site))
    exchange: Exchange | None = None
    for value in call.arguments[1:]:
        if isinstance(value, ExternalObject):
            kind = _PARTITIONERS.get(value.type.simple, kind)
            if value.type.simple in ("StreamExchangeMode", "ShuffleMode") and value.calls:
                exchange = Exchange.__members__.get(value.calls[-1][0])
    env = _env(run, call.arguments)
    if isinstance(kind, Unknown):
        return StreamValue(
            "Transformation", env, unknowns.stream(run, env, kind, _drafts(call.arguments[:1]), call.site).draft
        )
    draft = drafts.make(
        run, env, Kind.PARTITION, call.site, inputs=_drafts(call.arguments[:1]), partitioner=kind, exchange=exchange
    )
    return StreamValue("Transformation", env, draft)


def add_input(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``MultipleInputTransformation.addInput``."""
    if stream.draft is not None:
        run.memory.assign(stream.draft, "inputs", (*stream.draft.inputs, *_drafts(list(call.arguments))))
    return stream


def connected_transform(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value | None:
    """``new MultipleConnectedStreams(env).transform(transformation)``."""
    made = run.settle(call.arguments[0]) if call.arguments else None
    if isinstance(made, StreamValue):
        return StreamValue("SingleOutputStreamOperator", stream.env, made.draft)
    return None
