"""Two streams (connect, join, coGroup, interval join), pattern streams, and Flink's static helpers around streams."""

from dataclasses import replace

from checker.extract.datastream import table
from checker.extract.datastream.table import ApiCall
from checker.extract.java.flink_api import element_types, function_facts, jobs, operators, windows
from checker.extract.java.flink_api.element_types import Element
from checker.extract.java.flink_api.keys import types as key_types
from checker.extract.java.flink_api.states.types import joined
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_of, expression_text
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, Lambda, MethodRef, Settings, Value
from checker.extract.java.syntax.class_index import External
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.declared_state import ClassShape, StateDescriptor, StateKind
from checker.model.topology import Kind, PartitionerKind
from checker.model.unknowns import CODE, Cause, Maybe, Unknown


def connect(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``connect``, also with a broadcast stream."""
    second = operators.as_stream(run, call.arguments[0], call.site)
    if second.type == "BroadcastStream":
        return StreamValue("BroadcastConnectedStream", stream.env, None, (stream, second), dict(second.extra))
    return StreamValue("ConnectedStreams", stream.env, None, (stream, second))


def pair(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``join``, ``coGroup`` and ``intervalJoin``."""
    second = operators.as_stream(run, call.arguments[0], call.site)
    return StreamValue(row.gives, stream.env, None, (stream, second))


def join(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """Both inputs tagged by a map each, then union, keyBy and one window operator."""
    left, right = stream.parts
    taggers = []
    for place, part in enumerate((left, right), start=1):
        parallelism = part.draft.parallelism if part.draft is not None else stream.env.parallelism
        tagger = jobs.make(
            run, stream.env, Kind.OPERATOR, call.site, inputs=part.inputs, suffix=f"#tag{place}",
            name="Map", operator="map", parallelism=parallelism, stateful=False,
        )  # fmt: skip
        taggers.append(tagger)
    union = jobs.make(run, stream.env, Kind.UNION, call.site, inputs=tuple(taggers), suffix="#union")
    keyed = jobs.make(
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
    key = key_types.of_all([stream.extra.get(f"key{place}", key_types.NO_KEY) for place in (0, 1)])
    draft = jobs.make(
        run, stream.env, Kind.OPERATOR, call.site, inputs=(keyed,), name=windows.window_name(run, assigner),
        operator="window", window=assigner, keyed=True, state=states, stateful=True, key_type=key.type,
        key_classes=key.classes, key=key.part,
        function=function_facts.class_name(run, function) if function is not None else None,
    )  # fmt: skip
    return StreamValue("SingleOutputStreamOperator", stream.env, draft)


def _tagged_union(
    both: list[tuple[Maybe[str] | None, tuple[ClassShape, ...]]],
) -> tuple[Maybe[str], tuple[ClassShape, ...]]:
    """What joins keep: elements of either side with a mark."""
    unknown = [type_ for type_, _ in both if isinstance(type_, Unknown)]
    if unknown:
        described = " and ".join(
            str(type_.derived_from) if isinstance(type_, Unknown) else str(type_) for type_, _ in both
        )
        return replace(unknown[0], derived_from=described), ()
    classes = joined(*(shapes for _, shapes in both))
    return f"TaggedUnion<{', '.join(str(type_) for type_, _ in both)}>", classes


def key_of(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``where`` and ``equalTo``: the keys of one side of a join."""
    place = int(call.name == "equalTo")
    given = [run.soften(value) for value in call.arguments]
    key = key_types.key_of(run, given, element_types.element_of(run, stream.parts[place]), call)
    return StreamValue(stream.type, stream.env, None, stream.parts, {**stream.extra, f"key{place}": key})


def interval_join(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """Both keyed inputs are keyed once more."""
    keyed = tuple(
        operators.partition(
            run, part, PartitionerKind.HASH, call.site, "KeyedStream", f"#key{place}", key=key_types.joined(part)
        )
        for place, part in enumerate(stream.parts, start=1)
    )
    states = list(row.state)
    for place in (0, 1):
        buffer = (replace(states[place], key_type="Long"),)
        (states[place],) = element_types.of_elements(run, buffer, element_types.element_of(run, stream.parts[place]))
    function = call.arguments[0] if call.arguments else None
    both = StreamValue("ConnectedStreams", stream.env, None, keyed)
    return operators.operator(
        run, both, function, call.site, name=row.name, operator=row.operator, keyed=True, state=tuple(states),
        stateful=True,
    )  # fmt: skip


def pattern(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value | None:
    """``select``, ``flatSelect`` and ``process`` of a pattern stream, which give one output each.

    With two functions and no tag for what came too late, as Flink 1.x takes them, a map behind the operator joins both
    outputs: that is not read.
    """
    source = stream.parts[0]
    given = [run.soften(argument) for argument in call.arguments]
    if len(given) == 2 and _selects(run, given[1]):
        return None
    function = given[0 if len(given) == 2 else -1] if given else None
    keyed = table.is_a(source.type, "KeyedStream")
    if not keyed:
        source = operators.partition(
            run, source, PartitionerKind.HASH, call.site, "KeyedStream", "#key", key=key_types.ONE_KEY
        )
    made = operators.operator(
        run, source, None, call.site, name="CepOperator" if keyed else "GlobalCepOperator", operator=row.operator,
        state=_cep_state(run, stream, source, row), stateful=True, keyed=True, chaining=run.api.operator_objects,
        function=None if function is None else function_facts.class_name(run, function),
    )  # fmt: skip
    if not keyed and made.draft is not None:
        jobs.set_attribute(run, made.draft, "non_parallel", True)
    return made


def _selects(run: Run, value: Value) -> bool:
    """Whether it is a function, and not the type of what a function gives."""
    bases = ("PatternSelectFunction", "PatternFlatSelectFunction")
    return isinstance(value, Lambda | MethodRef) or function_facts.base_among(run, value, bases) is not None


_CONDITIONS = frozenset({"where", "or", "until", "subtype", "within", "getName"})
"""Calls on a pattern that add no stage to it and change the name of none."""


def _cep_state(run: Run, stream: StreamValue, source: StreamValue, row: ApiCall) -> tuple[StateDescriptor, ...]:
    """Events, and partial matches that wait in a stage of the pattern, known by its name."""
    event, classes = element_types.written(run, element_types.element_of(run, source), "the events")
    given = run.soften(stream.extra["pattern"][0]) if stream.extra.get("pattern") else None
    unknown = Unknown("cannot tell the pattern's stages", Cause.EXTERNAL)
    stages: Maybe[str] = unknown
    if isinstance(given, ExternalObject) and given.type.simple == "Pattern":
        calls = [(name, handed) for name, handed in given.calls if name not in _CONDITIONS]
        shown = ", ".join(f"{name} {' '.join(map(described_as, handed))}".strip() for name, handed in calls)
        made = expression_text(shown, Cause.EXTERNAL)
        if all(isinstance(argument, Constant | ExternalObject) for _, handed in calls for argument in handed):
            stages = f"NFAState[{shown}]"
        else:
            stages = replace(unknown, derived_from=made if made == NEEDS_CODE else f"{CODE}{made}")
    elif given is not None:
        stages = replace(unknown, derived_from=expression_of(given, Cause.EXTERNAL))
    begun = given.unknown.location if isinstance(given, ExternalObject) else None
    return tuple(
        replace(state, value_type=stages, ttl=False, location=begun) if state.name == "nfaStateName"
        else replace(state, value_type=event, classes=classes) if state.name in row.of_elements
        else state
        for state in row.state
    )  # fmt: skip


# -- static helpers around streams -------------------------------------------------------------------------------------


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
    if simple == "CEP" and call.name == "pattern" and call.arguments:
        stream = operators.as_stream(run, call.arguments[0], call.site)
        return StreamValue("PatternStream", stream.env, None, (stream,), {"pattern": call.arguments[1:2]})
    if simple == "GlobalConfiguration":
        return Settings({}, False, "the cluster's configuration file")
    if simple == "Transformation" and call.name == "getNewNodeId":
        return run.opaque("a transformation's number", Cause.NON_DETERMINISTIC, call.site)
    return None
