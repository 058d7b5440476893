"""Two streams: connect, join, coGroup, interval join, and pattern streams."""

from __future__ import annotations

from collections.abc import Callable

from checker.extract.java.flink_api import drafts, function_facts, settings, streams, table, windows
from checker.extract.java.flink_api.flink_values import StreamValue
from checker.extract.java.interpreter.call_record import Call
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import Value
from checker.model.topology import Kind, PartitionerKind, StateDescriptor, StateKind, Unknown

Handler = Callable[[Run, StreamValue, Call], Value | None]


def _connect(run: Run, stream: StreamValue, call: Call) -> Value:
    other = streams.as_stream(run, call.arguments[0], call.site)
    if other.type == "BroadcastStream":
        return StreamValue("BroadcastConnectedStream", stream.env, None, (stream, other), dict(other.extra))
    return StreamValue("ConnectedStreams", stream.env, None, (stream, other))


def _pair(kind: str) -> Handler:
    def handler(run: Run, stream: StreamValue, call: Call) -> Value:
        other = streams.as_stream(run, call.arguments[0], call.site)
        return StreamValue(kind, stream.env, None, (stream, other))

    return handler


def _window(run: Run, stream: StreamValue, call: Call) -> Value:
    assigner = (
        windows.assigner_name(run, call.arguments[0]) if call.arguments else Unknown("a window that is not known")
    )
    return StreamValue(stream.type, stream.env, None, stream.parts, {**stream.extra, "assigner": assigner})


def _with(key: str) -> Handler:
    def handler(run: Run, stream: StreamValue, call: Call) -> Value:
        value: object = True
        if key == "trigger" and call.arguments:
            value = windows.trigger_state(run, call.arguments[0])
        return StreamValue(stream.type, stream.env, None, stream.parts, {**stream.extra, key: value})

    return handler


def _apply(run: Run, stream: StreamValue, call: Call) -> Value:
    """Both inputs tagged by a map each, then union, keyBy and one window operator."""
    left, right = stream.parts
    taggers = []
    for place, part in enumerate((left, right), start=1):
        parallelism = part.draft.parallelism if part.draft is not None else stream.env.parallelism
        taggers.append(
            drafts.make(
                run,
                stream.env,
                Kind.OPERATOR,
                call.site,
                inputs=streams.inputs_of(part),
                suffix=f"#tag{place}",
                name="Map",
                operator="map",
                parallelism=parallelism,
                stateful=False,
            )
        )
    union = drafts.make(run, stream.env, Kind.UNION, call.site, inputs=tuple(taggers), suffix="#union")
    keyed = drafts.make(
        run, stream.env, Kind.PARTITION, call.site, inputs=(union,), suffix="#key", partitioner=PartitionerKind.HASH
    )
    function = run.soften(call.arguments[0]) if call.arguments else None
    assigner = stream.extra.get("assigner")
    states = windows.window_state(run, "apply", stream.extra, [function] if function is not None else [])
    draft = drafts.make(
        run, stream.env, Kind.OPERATOR, call.site, inputs=(keyed,), name=windows.window_name(run, assigner),
        operator="window", window=assigner, keyed=True, state=states, stateful=True,
        function=function_facts.class_name(run, function) if function is not None else None,
    )  # fmt: skip
    return StreamValue("SingleOutputStreamOperator", stream.env, draft)


def _interval_join(run: Run, stream: StreamValue, call: Call) -> Value:
    """Both keyed inputs are keyed once more."""
    keyed = tuple(
        streams.partition(run, part, PartitionerKind.HASH, call.site, "KeyedStream", f"#key{place}")
        for place, part in enumerate(stream.parts, start=1)
    )
    both = StreamValue("ConnectedStreams", stream.env, None, keyed)
    state = (
        StateDescriptor(name="LEFT_BUFFER", kind=StateKind.MAP),
        StateDescriptor(name="RIGHT_BUFFER", kind=StateKind.MAP),
        StateDescriptor(name="_timer_state/event_CLEANUP_TIMER", kind=StateKind.TIMERS),
        StateDescriptor(name="_timer_state/processing_CLEANUP_TIMER", kind=StateKind.TIMERS),
    )
    return streams.operator(
        run,
        both,
        call.arguments[0] if call.arguments else None,
        call.site,
        name="Interval Join",
        operator="interval-join",
        keyed=True,
        state=state,
        stateful=True,
    )


_CEP_STATE = (
    StateDescriptor(name="nfaStateName", kind=StateKind.VALUE),
    StateDescriptor(name="eventQueuesStateName", kind=StateKind.MAP),
    StateDescriptor(name="sharedBuffer-events", kind=StateKind.MAP),
    StateDescriptor(name="sharedBuffer-entries-with-lockable-edges", kind=StateKind.MAP),
    StateDescriptor(name="sharedBuffer-events-count", kind=StateKind.MAP),
    StateDescriptor(name="_timer_state/event_watermark-callbacks", kind=StateKind.TIMERS),
    StateDescriptor(name="_timer_state/processing_watermark-callbacks", kind=StateKind.TIMERS),
)


def _pattern(run: Run, stream: StreamValue, call: Call) -> Value:
    source = stream.parts[0]
    keyed = table.is_a(source.type, "KeyedStream")
    if not keyed:
        source = streams.partition(run, source, PartitionerKind.HASH, call.site, "KeyedStream", "#key")
    made = streams.operator(
        run, source, None, call.site, name="CepOperator" if keyed else "GlobalCepOperator", operator="cep",
        state=_CEP_STATE, stateful=True, keyed=True, chaining=streams.object_chaining(run),
        function=function_facts.class_name(run, run.soften(call.arguments[-1])) if call.arguments else None,
    )  # fmt: skip
    if not keyed and made.draft is not None:
        settings.force_non_parallel(run, made.draft)
    return made


HANDLERS: dict[tuple[str, str], Handler] = {
    ("DataStream", "connect"): _connect,
    ("DataStream", "join"): _pair("JoinedStreams"),
    ("DataStream", "coGroup"): _pair("CoGroupedStreams"),
    ("KeyedStream", "intervalJoin"): _pair("IntervalJoin"),
    **{
        (kind, name): handler
        for kind in ("JoinedStreams", "CoGroupedStreams")
        for name, handler in (
            ("window", _window), ("trigger", _with("trigger")), ("evictor", _with("evictor")), ("apply", _apply),
            ("with", _apply),
        )
    },
    ("IntervalJoin", "process"): _interval_join,
    **{("PatternStream", name): _pattern for name in ("select", "flatSelect", "process")},
}  # fmt: skip
