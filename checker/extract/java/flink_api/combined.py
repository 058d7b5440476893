"""Two streams: connect, join, coGroup, interval join, and pattern streams."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from checker.extract.java.flink_api import drafts, element_types, function_facts, operators, settings, table, windows
from checker.extract.java.flink_api.element_types import Element
from checker.extract.java.flink_api.keys import types as key_types
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_of
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, Instance, Value
from checker.extract.java.state.java_types import of_class, supertype
from checker.model.declared_state import ClassShape, StateDescriptor, StateKind
from checker.model.topology import Kind, PartitionerKind
from checker.model.unknowns import Cause, Maybe, Unknown

Handler = Callable[[Run, StreamValue, Call], Value | None]


def _connect(run: Run, stream: StreamValue, call: Call) -> Value:
    second = operators.as_stream(run, call.arguments[0], call.site)
    if second.type == "BroadcastStream":
        return StreamValue("BroadcastConnectedStream", stream.env, None, (stream, second), dict(second.extra))
    return StreamValue("ConnectedStreams", stream.env, None, (stream, second))


def _pair(kind: str) -> Handler:
    def handler(run: Run, stream: StreamValue, call: Call) -> Value:
        second = operators.as_stream(run, call.arguments[0], call.site)
        return StreamValue(kind, stream.env, None, (stream, second))

    return handler


def _window(run: Run, stream: StreamValue, call: Call) -> Value:
    extra = {**stream.extra, "assigner": windows.assigner_name(run, call.arguments[0])}
    return StreamValue(stream.type, stream.env, None, stream.parts, extra)


def _with(key: str) -> Handler:
    def handler(run: Run, stream: StreamValue, call: Call) -> Value:
        value: object = windows.trigger_state(run, call.arguments[0]) if key == "trigger" else True
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
                inputs=operators.inputs_of(part),
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
    both = [element_types.written(run, element_types.element_of(run, part)) for part in (left, right)]
    union_type, classes = _tagged_union(both)
    states = windows.window_state(run, "apply", stream.extra, [function] if function is not None else [], Element())
    if not isinstance(states, Unknown):
        states = tuple(
            replace(state, value_type=union_type, classes=classes) if state.name == "window-contents" else state
            for state in states
        )
    key = _key_of_both(stream)
    draft = drafts.make(
        run, stream.env, Kind.OPERATOR, call.site, inputs=(keyed,), name=windows.window_name(run, assigner),
        operator="window", window=assigner, keyed=True, state=states, stateful=True, key_type=key.type,
        key_classes=key.classes, key=key.part,
        function=function_facts.class_name(run, function) if function is not None else None,
        functions_at=function_facts.places(run, [function] if function is not None else []),
    )  # fmt: skip
    return StreamValue("SingleOutputStreamOperator", stream.env, draft)


def _tagged_union(
    both: list[tuple[Maybe[str] | None, tuple[ClassShape, ...]]],
) -> tuple[Maybe[str], tuple[ClassShape, ...]]:
    """What joins keep: elements of either side with a mark."""
    unknown = [type_ for type_, _ in both if isinstance(type_, Unknown)]
    classes = {shape.name: shape for _, shapes in both for shape in shapes}
    if unknown:
        described = " and ".join(
            str(type_.derived_from) if isinstance(type_, Unknown) else str(type_) for type_, _ in both
        )
        return replace(unknown[0], derived_from=described), ()
    return f"TaggedUnion<{', '.join(str(type_) for type_, _ in both)}>", tuple(
        classes[name] for name in sorted(classes)
    )


def _selected(place: int) -> Handler:
    """``where`` and ``equalTo``: the keys of one side of a join."""

    def handler(run: Run, stream: StreamValue, call: Call) -> Value:
        given = [run.soften(value) for value in call.arguments]
        key = key_types.key_of(run, given, element_types.element_of(run, stream.parts[place]), call)
        extra = {**stream.extra, f"key{place}": key}
        return StreamValue(stream.type, stream.env, None, stream.parts, extra)

    return handler


def _key_of_both(stream: StreamValue) -> key_types.Key:
    keys = [stream.extra.get(f"key{place}", key_types.NO_KEY) for place in (0, 1)]
    parts = tuple(StreamValue("KeyedStream", stream.env, None, (), {"key": key}) for key in keys)
    return key_types.joined(StreamValue("ConnectedStreams", stream.env, None, parts))


def _interval_join(run: Run, stream: StreamValue, call: Call) -> Value:
    """Both keyed inputs are keyed once more."""
    keyed = tuple(
        operators.partition(
            run, part, PartitionerKind.HASH, call.site, "KeyedStream", f"#key{place}", key=key_types.joined(part)
        )
        for place, part in enumerate(stream.parts, start=1)
    )
    buffers = [
        element_types.of_elements(
            run,
            (StateDescriptor(name=name, kind=StateKind.MAP, key_type="Long"),),
            _joined_element(run, stream, place, call),
        )
        for place, name in enumerate(("LEFT_BUFFER", "RIGHT_BUFFER"))
    ]
    both = StreamValue("ConnectedStreams", stream.env, None, keyed)
    state = (
        *buffers[0],
        *buffers[1],
        StateDescriptor(name="_timer_state/event_CLEANUP_TIMER", kind=StateKind.TIMERS),
        StateDescriptor(name="_timer_state/processing_CLEANUP_TIMER", kind=StateKind.TIMERS),
    )
    return operators.operator(
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


def _joined_element(run: Run, stream: StreamValue, place: int, call: Call) -> Element:
    """What one side of an interval join holds: by the stream, else by the join function's type arguments."""
    found = element_types.element_of(run, stream.parts[place])
    if found.type is None and found.text is None and call.arguments:
        function = run.soften(call.arguments[0])
        if isinstance(function, Instance):
            join = supertype(run.index, of_class(function.decl), "ProcessJoinFunction")
            if join is not None and len(join.arguments) == 3 and join.arguments[place].known:
                return Element(join.arguments[place])
    return found


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
        source = operators.partition(run, source, PartitionerKind.HASH, call.site, "KeyedStream", "#key")
    made = operators.operator(
        run, source, None, call.site, name="CepOperator" if keyed else "GlobalCepOperator", operator="cep",
        state=_cep_state(run, stream, source), stateful=True, keyed=True, chaining=run.api.operator_objects,
        function=function_facts.class_name(run, run.soften(call.arguments[-1])) if call.arguments else None,
        functions_at=function_facts.places(run, call.arguments[-1:]),
    )  # fmt: skip
    if not keyed and made.draft is not None:
        settings.force_non_parallel(run, made.draft)
    return made


_CONDITIONS = frozenset({"where", "or", "until", "subtype", "within", "getName"})
"""Calls on a pattern that add no stage to it and change the name of none."""
_CALLED = re.compile(r"(?:^Pattern\.|\.)(\w+)\(")


def _cep_state(run: Run, stream: StreamValue, source: StreamValue) -> tuple[StateDescriptor, ...]:
    """Events, and partial matches that wait in a stage of the pattern, known by its name."""
    event, classes = element_types.written(run, element_types.element_of(run, source), "the events")
    pattern = run.soften(stream.extra["pattern"][0]) if stream.extra.get("pattern") else None
    stages: Maybe[str] = Unknown("the pattern's stages are not known", Cause.EXTERNAL)
    if isinstance(pattern, ExternalObject) and pattern.type.simple == "Pattern":
        calls = [(name, given) for name, given in pattern.calls if name not in _CONDITIONS]
        if all(isinstance(argument, Constant | ExternalObject) for _, given in calls for argument in given):
            shown = (
                f"{name} {' '.join(described_as(argument) for argument in given)}".strip() for name, given in calls
            )
            stages = f"NFAState[{', '.join(shown)}]"
    if isinstance(stages, Unknown) and pattern is not None:
        derived_from = expression_of(pattern, Cause.EXTERNAL)
        stages = _stages_of_text(derived_from or "") or replace(stages, derived_from=derived_from)
    kept = {"eventQueuesStateName", "sharedBuffer-events"}
    return tuple(
        replace(state, value_type=stages) if state.name == "nfaStateName"
        else replace(state, value_type=event, classes=classes) if state.name in kept
        else state
        for state in _CEP_STATE
    )  # fmt: skip


def _stages_of_text(text: str) -> str | None:
    """The stages of a pattern that is described by a chain of calls, None where one of them is not known."""
    shown: list[str] = []
    while text:
        called = _CALLED.match(text)
        end = _closing(text, called.end()) if called is not None else -1
        if called is None or end < 0:
            return None
        given, text = text[called.end() : end], text[end + 1 :]
        if called[1] not in _CONDITIONS:
            if "#" in given or "…" in given:
                return None
            shown.append(f"{called[1]} {given}".strip())
    return f"NFAState[{', '.join(shown)}]" if shown else None


def _closing(text: str, start: int) -> int:
    """The end of the parenthesis that was opened before ``start``, -1 without one."""
    depth, quote = 1, ""
    for place in range(start, len(text)):
        sign = text[place]
        if quote:
            quote = "" if sign == quote and text[place - 1] != "\\" else quote
        elif sign in "'\"":
            quote = sign
        else:
            depth += (sign == "(") - (sign == ")")
            if depth == 0:
                return place
    return -1


HANDLERS: dict[tuple[str, str], Handler] = {
    ("DataStream", "connect"): _connect,
    ("DataStream", "join"): _pair("JoinedStreams"),
    ("DataStream", "coGroup"): _pair("CoGroupedStreams"),
    ("KeyedStream", "intervalJoin"): _pair("IntervalJoin"),
    **{
        (kind, name): handler
        for kind in ("JoinedStreams", "CoGroupedStreams")
        for name, handler in (
            ("where", _selected(0)), ("equalTo", _selected(1)),
            ("window", _window), ("trigger", _with("trigger")), ("evictor", _with("evictor")), ("apply", _apply),
            ("with", _apply),
        )
    },
    ("IntervalJoin", "process"): _interval_join,
    **{("PatternStream", name): _pattern for name in ("select", "flatSelect", "process")},
}  # fmt: skip
