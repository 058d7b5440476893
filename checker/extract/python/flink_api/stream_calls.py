"""Calls on streams: plain, keyed, windowed, connected and broadcast ones, by what the table says that they make.

Source: ``pyflink/datastream/data_stream.py`` of 1.20 and 2.3, and what these versions were seen to build.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from checker.extract.datastream import table
from checker.extract.datastream.table import ApiCall
from checker.extract.interpreting.memory import MISSING
from checker.extract.python.flink_api import operators
from checker.extract.python.flink_api.jobs import submit
from checker.extract.python.flink_api.keys.selector_texts import key_text, place_of
from checker.extract.python.flink_api.operators import (
    java_step,
    joined_states,
    key_by,
    keyed_values,
    operator,
    python_step,
    virtual,
)
from checker.extract.python.flink_api.settings_calls import is_setting, set_by, text, unsupported
from checker.extract.python.flink_api.states import KNOWN_BASES, firing, record, states_of, trigger_states
from checker.extract.python.flink_api.streams import (
    KEYED_VALUES,
    PARTITION_CUSTOM_MAP,
    PICKLED,
    UNTYPED,
    Broadcast,
    Connected,
    Descriptor,
    Elements,
    Keyed,
    Stream,
    Windowed,
    calls_to,
    elements_of,
    type_text,
)
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, stopped
from checker.extract.python.interpreter.values import (
    Arguments,
    Class,
    External,
    Instance,
    Opaque,
    Value,
    reason_of,
    unknown,
    why,
)
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import Kind, PartitionerKind
from checker.model.unknowns import NAMED_ANEW, Cause, Location, Maybe, Unknown

_ERROR = ("Exception", "BaseException")
_TAKES = {"map": "MapFunction", "flat_map": "FlatMapFunction", "filter": "FilterFunction", "reduce": "ReduceFunction"}
"""Calls that refuse objects of other classes, unless they can be called."""
_CLASSES: tuple[tuple[type, str], ...] = (
    (Keyed, "KeyedStream"), (Stream, "DataStream"), (Windowed, "WindowedStream"), (Connected, "ConnectedStreams"),
    (Broadcast, "BroadcastStream"),
)  # fmt: skip


def stream_call(run: Run, owner: Any, call: Call) -> Value:
    """A method of a stream, or of streams that are windowed, connected or broadcast."""
    simple = next(name for kind, name in _CLASSES if isinstance(owner, kind))
    simple = "BroadcastConnectedStream" if isinstance(owner, Broadcast) and owner.second is not None else simple
    if isinstance(owner, Stream) and is_setting(call.name):
        return _set(run, owner, call)
    if isinstance(owner, Keyed) and call.name in ("cache", "get_name"):
        raise RaiseSignal(_ERROR)
    row = table.lookup_python(simple, call.name)
    return unsupported(call) if row is None else HANDLERS[row.makes](run, owner, call, row)


def _set(run: Run, stream: Stream, call: Call) -> Value:
    """Setters exist on what an operator or source gives; Flink has none for partitionings and unions."""
    if isinstance(stream, Keyed):
        raise RaiseSignal(_ERROR)
    if stream.step.kind.virtual and call.name != "set_description":
        raise RaiseSignal(("Py4JError", *_ERROR))
    return set_by(run, stream, stream.step, call)


def _refused(run: Run, owner: Any, call: Call, row: ApiCall) -> Value:
    raise RaiseSignal(_ERROR)


def _opaque(run: Run, owner: Any, call: Call, row: ApiCall) -> Value:
    return unknown(f"cannot tell the result of {call.name}", Cause.OTHER, call.place)


def _environment(run: Run, owner: Stream | Windowed, call: Call, row: ApiCall) -> Value:
    return owner.stream.env if isinstance(owner, Windowed) else owner.env


# -- operators with a function of the script -------------------------------------------------------------------------

_REDUCED = Unknown("PyFlink names the state of a reduce anew in every run", Cause.EXTERNAL, derived_from=NAMED_ANEW)


def _operator(run: Run, owner: Stream | Connected | Broadcast, call: Call, row: ApiCall) -> Stream:
    """``map``, ``flat_map``, ``filter``, ``process``, ``reduce`` and the sums."""
    function = call.argument(0, "func") if row.function is not None else None
    if isinstance(owner, Connected):
        return _with_states(run, _connected(owner, call, row, function), function, call.place)
    if isinstance(owner, Broadcast):
        return _with_states(run, _broadcast_process(run, owner, call, row, function), function, call.place)
    if call.name in _TAKES and _of_another_class(function, _TAKES[call.name]):
        raise RaiseSignal(("TypeError", *_ERROR))
    reduces = row.python == "Reduce"
    made = operator(owner, row.python or "", function, None if reduces else call.argument(1, "output_type"), call.place)
    if reduces:
        made.step.state = (StateDescriptor(name=_REDUCED, kind=StateKind.REDUCING, location=call.place),)
    if reduces or row.operator == "filter":
        source = owner.origin if isinstance(owner, Keyed) and owner.origin is not None else owner
        made.elements = source.elements
    return _with_states(run, made, function, call.place)


def _of_another_class(function: Value, wanted: str) -> bool:
    if not isinstance(function, Instance) or function.of.member("__call__") is not MISSING:
        return False
    bases = [base for base in function.of.lineage() if not isinstance(base, Class)]
    known = all(isinstance(base, External) and base.path.startswith(KNOWN_BASES) for base in bases)
    return known and all(base.simple != wanted for base in bases)


def _with_states(run: Run, made: Stream, function: Value, at: Location, trigger: Value = None) -> Stream:
    """PyFlink refuses ``get_state`` and the like where there is no key, so other functions register none."""
    if made.step.keyed:
        found = states_of(run, function, at), trigger_states(run, trigger, at)
        made.step.state = joined_states(made.step.state, *found)
    return made


def _connected(pair: Connected, call: Call, row: ApiCall, function: Value) -> Stream:
    first, second = pair.first, pair.second
    keyed = isinstance(first, Keyed) and isinstance(second, Keyed)
    name = "Keyed Co-Process" if keyed and row.makes == "process" else row.python or ""
    kind, inputs = "keyed-co" if keyed else "co", [first.step, second.step]
    step = python_step(first.env, inputs, name, kind, call.place, function, by=first if keyed else None)
    if isinstance(first, Keyed) and isinstance(second, Keyed):
        keys = (first.key, second.key)
        unread = next((key for key in keys if isinstance(key, Unknown)), None)
        step.key = unread or " and ".join(map(str, keys))
    return Stream(first.env, step, elements_of(call.argument(1, "output_type")))


def _broadcast_process(run: Run, pair: Broadcast, call: Call, row: ApiCall, function: Value) -> Stream:
    """``process`` of a stream connected with a broadcast one: a Java transformation that is never fused."""
    main = pair.second
    assert main is not None
    keyed = isinstance(main, Keyed)
    step = python_step(
        main.env, [main.step, pair.stream.step], "Keyed-Co-Process-Broadcast" if keyed else row.python or "",
        "keyed-broadcast" if keyed else "broadcast", call.place, function, by=main,
    )  # fmt: skip
    step.state = tuple(_broadcast_state(run, descriptor, call.place) for descriptor in pair.descriptors)
    return Stream(main.env, step, elements_of(call.argument(1, "output_type")))


def _broadcast_state(run: Run, descriptor: Value, at: Location) -> StateDescriptor:
    if isinstance(descriptor, Descriptor):
        return replace(record(run, descriptor), kind=StateKind.BROADCAST, ttl=False)
    return StateDescriptor(name=Unknown("a broadcast state", location=at), kind=StateKind.BROADCAST, location=at)


def _timestamps(run: Run, stream: Stream, call: Call, row: ApiCall) -> Stream:
    """``assign_timestamps_and_watermarks``: with an assigner of its own it is three operators."""
    strategy, at, marks = call.argument(0, "watermark_strategy"), call.place, row.python or ""
    if not isinstance(strategy, External):
        raise stopped("cannot tell the watermark strategy", Cause.OTHER, at)
    if all(built.simple != "with_timestamp_assigner" for built in calls_to(strategy)):
        step = java_step(stream, marks, "assign-timestamps", at, stream.step.parallelism)
        return Stream(stream.env, step, UNTYPED if isinstance(stream, Keyed) else stream.elements)
    if isinstance(stream, Keyed):
        raise RaiseSignal(("TypeError", *_ERROR))
    before = python_step(stream.env, [stream.step], "Extract-Timestamp", "process", at)
    marked = java_step(Stream(stream.env, before), marks, "assign-timestamps", at, before.parallelism)
    after = java_step(Stream(stream.env, marked), "Remove-Timestamp", "map", at, stream.env.parallelism)
    return Stream(stream.env, after, stream.elements)


# -- keys, partitions, several streams -------------------------------------------------------------------------------


def _key_by(run: Run, owner: Stream | Connected, call: Call, row: ApiCall) -> Value:
    if isinstance(owner, Stream):
        return _keyed(run, owner, call)
    key_type = call.argument(2, "key_type")
    first = call.having(call.argument(0, "key_selector1"), key_type)
    second = call.having(call.argument(1, "key_selector2"), key_type)
    return Connected(_keyed(run, owner.first, first), _keyed(run, owner.second, second))


def _keyed(run: Run, stream: Stream, call: Call) -> Keyed:
    key_type = type_text(call.argument(1, "key_type"))
    pickled = not isinstance(key_type, str) or PICKLED in key_type
    origin = stream.origin if isinstance(stream, Keyed) and stream.origin is not None else stream
    selector = call.argument(0, "key_selector")
    keyed = key_by(stream, key_text(run, selector, origin, pickled=pickled), key_type, call.place)
    keyed.key_at = place_of(selector)
    return keyed


def _partition(run: Run, stream: Stream, call: Call, row: ApiCall) -> Stream:
    kind = row.partitioner or PartitionerKind.BROADCAST
    step = virtual(Kind.PARTITION, [stream.step], call.place, partitioner=kind)
    return Stream(stream.env, step, stream.elements)


def _broadcast(run: Run, stream: Stream, call: Call, row: ApiCall) -> Value:
    made = _partition(run, stream, call, row)
    return Broadcast(made, descriptors=tuple(call.arguments.all())) if call.arguments.all() else made


def _partition_custom(run: Run, stream: Stream, call: Call, row: ApiCall) -> Stream:
    """A Python operator that computes the partition, the partition, and one that takes it off again."""
    before = python_step(stream.env, [stream.step], PARTITION_CUSTOM_MAP, "process", call.place)
    middle = virtual(Kind.PARTITION, [before], call.place, partitioner=PartitionerKind.CUSTOM)
    after = python_step(stream.env, [middle], KEYED_VALUES, "process", call.place)
    return Stream(stream.env, after, stream.elements)


def _union(run: Run, stream: Stream, call: Call, row: ApiCall) -> Stream:
    """Keyed streams give their values."""
    others = call.positional
    unclear = next((member for member in others if not isinstance(member, Stream)), None)
    if unclear is not None or call.keywords:
        raise _not_a_stream("a stream of the union", unclear, call.place)
    plain = [keyed_values(member, call.place) for member in (stream, *others)]
    step = virtual(Kind.UNION, [member.step for member in plain], call.place)
    return Stream(plain[0].env, step, plain[0].elements)


def _connect(run: Run, stream: Stream, call: Call, row: ApiCall) -> Value:
    second = call.argument(0, "ds")
    if isinstance(second, Broadcast):
        return Broadcast(second.stream, stream, second.descriptors)
    if isinstance(second, Stream):
        return Connected(stream, second)
    raise _not_a_stream("the stream that is connected", second, call.place)


def _not_a_stream(what: str, value: Value, at: Location) -> Exception:
    return stopped(f"cannot tell {what} ({why(value, 'it is not a stream').reason})", Cause.OTHER, at)


def _side_output(run: Run, stream: Stream, call: Call, row: ApiCall) -> Stream:
    """``get_side_output``: PyFlink puts a ``Map`` behind it."""
    if stream.step.kind in (Kind.PARTITION, Kind.UNION):
        raise RaiseSignal(("Py4JError", *_ERROR))
    tag = call.argument(0, "output_tag")
    known = isinstance(tag, External) and tag.simple == "OutputTag"
    given = Arguments(list(tag.arguments), dict(tag.keywords)) if known else Arguments([], {})
    reason = why(tag, "it is not an OutputTag").reason
    open_ = Unknown(f"cannot tell the output tag ({reason})", Cause.OTHER, None, call.place)
    named = text(run, given.get(0, "tag_id"), "the tag", call.place) if known else open_
    step = virtual(Kind.SIDE_OUTPUT, [stream.step], call.place, tag=named)
    made = operator(Stream(stream.env, step), "Map", None, given.get(1, "type_info"), call.place)
    if not known:
        made.elements = Elements(open_, made.elements.type)
    return made


# -- windows -----------------------------------------------------------------------------------------------------------


def _window_all(run: Run, stream: Stream, call: Call, row: ApiCall) -> Windowed:
    return _window(run, key_by(stream, "one key for all", PICKLED, call.place), call, row)


def _window(run: Run, stream: Keyed, call: Call, row: ApiCall) -> Windowed:
    if call.name == "count_window":
        slide = call.argument(1, "slide", 0)
        counted: Maybe[str] = "CountTumblingWindowAssigner" if slide == 0 else "CountSlidingWindowAssigner"
        counted = reason_of(slide) if isinstance(slide, Opaque) else counted
        sizes = [call.argument(0, "size"), *([] if slide == 0 else [slide])]
        return Windowed(stream, counted, _windows(counted, sizes))
    given = call.argument(0, "window_assigner")
    name = _assigner(given, call.place)
    own = given.of.ancestors() if isinstance(given, Instance) else []
    bases = [base.simple for above in own for base in above.bases if isinstance(base, External)]
    merges = any("Session" in base or base == "MergingWindowAssigner" for base in (*bases, str(name)))
    return Windowed(stream, name, _windows(name, list(given.arguments) if isinstance(given, External) else []), merges)


def _windows(assigner: Maybe[str], sizes: list[Value]) -> Maybe[str]:
    """What windows are compared by. PyFlink numbers count windows: an element's number divided by their size."""
    if isinstance(assigner, Unknown) or not assigner.startswith("Count"):
        return assigner
    unknown = next((reason_of(size) for size in sizes if isinstance(size, Opaque)), None)
    return unknown or f"{assigner}({', '.join(map(str, sizes))})"


def _assigner(value: Value, at: Location) -> Maybe[str]:
    """The class name of a window assigner, which names the operator."""
    if isinstance(value, Instance):
        return value.of.name
    dynamic = any(built.simple == "with_dynamic_gap" for built in calls_to(value))
    for part in (part for built in calls_to(value) for part in reversed(built.path.split("."))):
        if part.endswith(("Windows", "Assigner")):
            return table.assigner(part, dynamic=dynamic)
    reason = why(value, "it is not one of Flink's").reason
    return Unknown(f"cannot tell the window assigner ({reason})", Cause.OTHER, None, at)


_MERGED = StateDescriptor(name="merging-window-set", kind=StateKind.MAP, ttl=False)


def _trigger(run: Run, owner: Windowed, call: Call, row: ApiCall) -> Value:
    owner.trigger = call.argument(0, "trigger")
    return owner


def _lateness(run: Run, owner: Windowed, call: Call, row: ApiCall) -> Value:
    owner.late = True
    return owner


def _window_result(run: Run, owner: Windowed, call: Call, row: ApiCall) -> Stream:
    """``reduce``, ``aggregate``, ``apply`` and ``process`` of a windowed stream; a plain reduce keeps the type."""
    keyed = owner.stream
    folds = call.name in ("reduce", "aggregate")
    takes = {"apply": "window_function", "process": "process_window_function"}.get(call.name, f"{call.name}_function")
    function = call.argument(0, takes)
    further = call.argument(1, "window_function") if folds else None
    output_type = call.argument({"reduce": 2, "aggregate": 3}.get(call.name, 1), "output_type")
    kept = output_type is None and call.name == "reduce" and further is None
    step = python_step(
        keyed.env, [keyed.step], owner.assigner, "window", call.place, function, further, window=owner.windows,
        trigger=firing(owner.trigger), late=owner.late, by=keyed,
    )  # fmt: skip
    kind = {"reduce": StateKind.REDUCING, "aggregate": StateKind.AGGREGATING}.get(call.name, StateKind.LIST)
    content = type_text(call.argument(2, "accumulator_type")) if call.name == "aggregate" else keyed.elements.type
    step.state = (
        StateDescriptor(name="window-contents", kind=kind, value_type=content, ttl=False, location=call.place),
        *((_MERGED,) if owner.merges else ()),
    )
    made = Stream(keyed.env, step, keyed.elements if kept else elements_of(output_type))
    return _with_states(run, made, function if further is None else further, call.place, owner.trigger)


# -- ends ------------------------------------------------------------------------------------------------------------


def _execute_and_collect(run: Run, stream: Stream, call: Call, row: ApiCall) -> Value:
    run.jobs.append(submit(run, stream.env, call.place, stream))
    return unknown(
        "the elements that a job collects", Cause.NON_DETERMINISTIC, call.place, run.fresh("execute_and_collect()")
    )


HANDLERS: dict[str, Callable[[Run, Any, Call, ApiCall], Value]] = {
    "operator": _operator, "process": _operator, "timestamps": _timestamps, "key-by": _key_by,
    "partition": _partition, "partition-custom": _partition_custom, "broadcast": _broadcast, "union": _union,
    "connect": _connect, "side-output": _side_output, "window": _window, "window-all": _window_all,
    "trigger": _trigger, "lateness": _lateness, "window-result": _window_result, "legacy-sink": operators.print_sink,
    "add-sink": operators.add_sink, "sink-to": operators.sink_to, "execute-and-collect": _execute_and_collect,
    "environment": _environment, "configuration": _opaque, "opaque": _opaque,
    "same": lambda run, owner, call, row: owner, "refused": _refused,
}  # fmt: skip
"""What a row of the table makes → who makes it."""
