"""Calls on streams: plain, keyed, windowed, connected and broadcast ones."""

from __future__ import annotations

from dataclasses import replace

from checker.extract.python.flink_api import operators, sinks
from checker.extract.python.flink_api.element_types import Elements
from checker.extract.python.flink_api.environment_calls import same_settings
from checker.extract.python.flink_api.jobs import submit
from checker.extract.python.flink_api.keys.selector_texts import key_text
from checker.extract.python.flink_api.settings_calls import SETTERS, set_on, text, unsupported
from checker.extract.python.flink_api.states.context import Descriptor
from checker.extract.python.flink_api.states.functions import KNOWN_BASES, states_of, trigger_states
from checker.extract.python.flink_api.states.records import record
from checker.extract.python.flink_api.states.types import PICKLED, type_text
from checker.extract.python.flink_api.streams import Broadcast, Connected, Keyed, Stream, Windowed
from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.call_record import Call
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, stopped
from checker.extract.python.interpreter.values import (
    MISSING,
    Arguments,
    Class,
    External,
    Instance,
    Opaque,
    Value,
    reason_of,
    unknown,
)
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import Kind, PartitionerKind
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_OPERATORS = frozenset({"map", "flat_map", "filter", "process"})
_SUMS = frozenset({"reduce", "sum", "min", "max", "min_by", "max_by"})
_PARTITIONS = {name: PartitionerKind(name) for name in ("shuffle", "rescale", "rebalance", "forward")}
_REFUSED = RaiseSignal(("Exception", "BaseException"))
_TAKES = {"map": "MapFunction", "flat_map": "FlatMapFunction", "filter": "FilterFunction", "reduce": "ReduceFunction"}
"""Calls that refuse objects of other classes, unless they can be called."""
_DYNAMIC = {
    "EventTimeSessionWindows": "DynamicEventTimeSessionWindows",
    "ProcessingTimeSessionWindows": "DynamicProcessingTimeSessionWindows",
}


def stream_call(run: Run, stream: Stream, call: Call) -> Value:
    """A method of a DataStream or KeyedStream."""
    keyed = isinstance(stream, Keyed)
    if keyed and (
        call.name in SETTERS
        or call.name in _PARTITIONS
        or call.name in ("partition_custom", "broadcast", "cache", "get_name")
    ):
        raise _REFUSED
    if call.name in SETTERS:
        return _set(run, stream, call)
    if call.name in _TAKES and _of_another_class(call.argument(0, "func"), _TAKES[call.name]):
        raise RaiseSignal(("TypeError", "Exception", "BaseException"))
    if call.name in _OPERATORS:
        function = call.argument(0, "func")
        return _with_states(
            run,
            operators.operator(stream, call.name, function, call.argument(1, "output_type"), call.place),
            function,
            call.place,
        )
    if call.name in _SUMS and keyed:
        function = call.argument(0, "func") if call.name == "reduce" else None
        return _with_states(run, operators.operator(stream, "reduce", function, None, call.place), function, call.place)
    if call.name == "key_by":
        return _keyed(run, stream, call)
    if call.name in _PARTITIONS:
        return operators.partition(stream, _PARTITIONS[call.name], call.place)
    if call.name == "broadcast":
        made = operators.partition(stream, PartitionerKind.BROADCAST, call.place)
        return Broadcast(made, descriptors=tuple(call.arguments.all())) if call.arguments.all() else made
    if call.name == "partition_custom":
        return operators.partition_custom(stream, call.place)
    if call.name == "union":
        return _union(stream, call)
    if call.name == "connect":
        return _connect(stream, call.argument(0, "ds"), call.place)
    if call.name == "window" and isinstance(stream, Keyed):
        return _window(stream, call)
    if call.name == "window_all":
        return _window(operators.key_by(stream, "one key for all", PICKLED, call.place), call)
    if call.name == "count_window" and isinstance(stream, Keyed):
        slide = call.argument(1, "slide", 0)
        name = _count_assigner(slide)
        sizes = [call.argument(0, "size"), *([] if slide == 0 else [slide])]
        return Windowed(stream, name, _windows(name, sizes))
    if call.name == "assign_timestamps_and_watermarks":
        return operators.timestamps(stream, call.argument(0, "watermark_strategy"), call.place)
    if call.name == "get_side_output":
        return _side_output(run, stream, call.argument(0, "output_tag"), call.place)
    if call.name in _ENDS:
        return _end(run, stream, call)
    if call.name == "get_execution_environment":
        return stream.env
    if call.name in ("get_type", "get_name", "get_execution_config"):
        return unknown(f"the result of {call.name}", Cause.OTHER, call.place)
    return unsupported(call)


def _of_another_class(function: Value, wanted: str) -> bool:
    if not isinstance(function, Instance) or not isinstance(function.of.member("__call__"), type(MISSING)):
        return False
    bases = [base for base in function.of.lineage() if not isinstance(base, Class)]
    known = all(isinstance(base, External) and base.path.startswith(KNOWN_BASES) for base in bases)
    return known and all(base.simple != wanted for base in bases)


def _keyed(run: Run, stream: Stream, call: Call) -> Keyed:
    key_type = type_text(call.argument(1, "key_type"))
    pickled = not isinstance(key_type, str) or PICKLED in key_type
    origin = stream.origin if isinstance(stream, Keyed) and stream.origin is not None else stream
    key = key_text(run, call.argument(0, "key_selector"), origin, pickled=pickled)
    return operators.key_by(stream, key, key_type, call.place)


def _with_states(run: Run, made: Stream, function: Value, at: Location, trigger: Value = None) -> Stream:
    """PyFlink refuses ``get_state`` and the like where there is no key, so other functions register none."""
    if made.step.keyed:
        found = states_of(run, function, at), trigger_states(run, trigger, at)
        made.step.state = operators.joined_states(made.step.state, *found)
    return made


_ENDS = ("print", "add_sink", "sink_to", "execute_and_collect")


def _end(run: Run, stream: Stream, call: Call) -> Value:
    if call.name == "print":
        textual = stream.elements.textual
        if isinstance(textual, Unknown):
            symbol = run.fresh(f"print:{call.place}")
            tested = Opaque(replace(textual, derived_from=None), symbol, textual.derived_from or "")
            textual = choices.choose(run, tested, "what is printed are rows or Python objects", call.place)
        return sinks.print_sink(stream, textual, call.place)
    if call.name == "add_sink":
        return sinks.add_sink(stream, call.place)
    if call.name == "sink_to":
        sink = call.argument(0, "sink")
        return sinks.sink_to(stream, sink, described(run, sink), run.entry.flink, call.place)
    run.jobs.append(submit(run, stream.env, call.place, same_settings(run, call.place), stream))
    return unknown(
        "the elements that a job collects", Cause.NON_DETERMINISTIC, call.place, run.fresh("execute_and_collect()")
    )


def _set(run: Run, stream: Stream, call: Call) -> Value:
    """Setters exist on what an operator or source gives; Flink has none for partitionings and unions."""
    if stream.step.kind.virtual and call.name not in ("set_description",):
        raise RaiseSignal(("Py4JError", "Exception", "BaseException"))
    return set_on(run, stream, stream.step, call)


def _union(stream: Stream, call: Call) -> Stream:
    others = call.positional
    unclear = next((member for member in others if not isinstance(member, Stream)), None)
    if unclear is not None or call.keywords:
        why = unclear.unknown.reason if isinstance(unclear, Opaque) else "it is not a stream"
        raise stopped(f"a stream of the union is not known: {why}", Cause.OTHER, call.place)
    return operators.union([stream, *others], call.place)


def _connect(stream: Stream, second: Value, at: Location) -> Value:
    if isinstance(second, Broadcast):
        return Broadcast(second.stream, stream, second.descriptors)
    if isinstance(second, Stream):
        return Connected(stream, second)
    why = second.unknown.reason if isinstance(second, Opaque) else "it is not a stream"
    raise stopped(f"the stream that is connected is not known: {why}", Cause.OTHER, at)


def _count_assigner(slide: Value) -> Maybe[str]:
    if isinstance(slide, Opaque):
        return reason_of(slide)
    return "CountTumblingWindowAssigner" if slide == 0 else "CountSlidingWindowAssigner"


def _window(stream: Keyed, call: Call) -> Windowed:
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
    dynamic = False
    built = value
    while isinstance(built, External):
        dynamic = dynamic or built.simple == "with_dynamic_gap"
        for part in reversed(built.path.split(".")):
            if part.endswith(("Windows", "Assigner")):
                return _DYNAMIC.get(part, part) if dynamic else part
        built = built.before
    reason = value.unknown.reason if isinstance(value, Opaque) else "it is not an assigner that is known"
    return Unknown(f"the window assigner is not known: {reason}", Cause.OTHER, None, at)


def _side_output(run: Run, stream: Stream, tag: Value, at: Location) -> Stream:
    if stream.step.kind in (Kind.PARTITION, Kind.UNION):
        raise RaiseSignal(("Py4JError", "Exception", "BaseException"))
    if isinstance(tag, External) and tag.simple == "OutputTag":
        arguments = Arguments(list(tag.arguments), dict(tag.keywords))
        name = text(run, arguments.get(0, "tag_id"), "the tag", at)
        return operators.side_output(stream, name, arguments.get(1, "type_info"), at)
    reason = tag.unknown.reason if isinstance(tag, Opaque) else "it is not an OutputTag"
    named = Unknown(f"the output tag is not known: {reason}", Cause.OTHER, None, at)
    made = operators.side_output(stream, named, None, at)
    made.elements = Elements(named, made.elements.type)
    return made


_MERGED = StateDescriptor(name="merging-window-set", kind=StateKind.MAP, ttl=False)


def windowed(run: Run, owner: Windowed, call: Call) -> Value:
    """A method of a WindowedStream or AllWindowedStream."""
    if call.name == "trigger":
        owner.trigger = call.argument(0, "trigger")
        return owner
    if call.name in ("allowed_lateness", "side_output_late_data"):
        return owner
    if call.name in ("reduce", "aggregate", "apply", "process"):
        place = {"reduce": 2, "aggregate": 3}.get(call.name, 1)
        typed = call.argument(place, "output_type")
        folded = call.name == "reduce" and call.argument(1, "window_function") is None
        function = call.argument(0, {"reduce": "reduce_function", "aggregate": "aggregate_function",
                                     "apply": "window_function"}.get(call.name, "process_window_function"))  # fmt: skip
        further = call.argument(1, "window_function") if call.name in ("reduce", "aggregate") else None
        made = operators.window(owner, function, further, typed, call.place, keeps_type=folded)
        kind = {"reduce": StateKind.REDUCING, "aggregate": StateKind.AGGREGATING}.get(call.name, StateKind.LIST)
        content_type = owner.stream.elements.type
        if call.name == "aggregate":
            content_type = type_text(call.argument(2, "accumulator_type"))
        made.step.state = (
            StateDescriptor(name="window-contents", kind=kind, value_type=content_type, ttl=False, location=call.place),
            *((_MERGED,) if owner.merges else ()),
        )
        return _with_states(run, made, function if further is None else further, call.place, owner.trigger)
    if call.name == "get_execution_environment":
        return owner.stream.env
    return unsupported(call)


def connected(run: Run, pair: Connected, call: Call) -> Value:
    """A method of ConnectedStreams."""
    if call.name == "key_by":
        selectors, key_type = (
            (call.argument(0, "key_selector1"), call.argument(1, "key_selector2")),
            call.argument(2, "key_type"),
        )
        first, second = (call.having(selector, key_type) for selector in selectors)
        return Connected(_keyed(run, pair.first, first), _keyed(run, pair.second, second))
    if call.name in ("map", "flat_map", "process"):
        function = call.argument(0, "func")
        made = operators.connected(pair, call.name, function, call.argument(1, "output_type"), call.place)
        return _with_states(run, made, function, call.place)
    return unsupported(call)


def broadcast(run: Run, pair: Broadcast, call: Call) -> Value:
    """A method of a BroadcastConnectedStream."""
    if call.name != "process" or pair.second is None:
        return unsupported(call)
    made = operators.broadcast_process(pair, call.argument(0, "func"), call.argument(1, "output_type"), call.place)
    made.step.state = tuple(_broadcast_state(run, descriptor, call.place) for descriptor in pair.descriptors)
    return _with_states(run, made, call.argument(0, "func"), call.place)


def _broadcast_state(run: Run, descriptor: Value, at: Location) -> StateDescriptor:
    if isinstance(descriptor, Descriptor):
        return replace(record(run, descriptor), kind=StateKind.BROADCAST, ttl=False)
    return StateDescriptor(name=Unknown("a broadcast state", location=at), kind=StateKind.BROADCAST, location=at)
