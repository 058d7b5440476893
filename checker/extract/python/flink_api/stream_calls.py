"""Calls on streams: plain, keyed, windowed, connected and broadcast ones."""

from __future__ import annotations

from dataclasses import replace

from checker.extract.python.flink_api import operators, sinks
from checker.extract.python.flink_api.element_types import Elements
from checker.extract.python.flink_api.environment_calls import deployment_parallelism, same_settings
from checker.extract.python.flink_api.function_state import states_of
from checker.extract.python.flink_api.function_texts import key_text
from checker.extract.python.flink_api.jobs import submit
from checker.extract.python.flink_api.settings_calls import SETTERS, set_on, text, unsupported
from checker.extract.python.flink_api.state_context import Descriptor
from checker.extract.python.flink_api.state_types import PICKLED, type_text
from checker.extract.python.flink_api.streams import Broadcast, Connected, Keyed, Stream, Windowed
from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, StoppedError
from checker.extract.python.interpreter.values import Arguments, External, Instance, Opaque, Value, reason_of, unknown
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import Kind, PartitionerKind
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_OPERATORS = frozenset({"map", "flat_map", "filter", "process"})
_SUMS = frozenset({"reduce", "sum", "min", "max", "min_by", "max_by"})
_PARTITIONS = {name: PartitionerKind(name) for name in ("shuffle", "rescale", "rebalance", "forward")}
_REFUSED = RaiseSignal(("Exception", "BaseException"))
_DYNAMIC = {
    "EventTimeSessionWindows": "DynamicEventTimeSessionWindows",
    "ProcessingTimeSessionWindows": "DynamicProcessingTimeSessionWindows",
}


def call(run: Run, stream: Stream, name: str, arguments: Arguments, at: Location) -> Value:
    """A method of a DataStream or KeyedStream."""
    keyed = isinstance(stream, Keyed)
    if keyed and (
        name in SETTERS or name in _PARTITIONS or name in ("partition_custom", "broadcast", "cache", "get_name")
    ):
        raise _REFUSED
    if name in SETTERS:
        return _set(run, stream, name, arguments, at)
    if name in _OPERATORS:
        function = arguments.get(0, "func")
        return _with_states(
            run, operators.operator(stream, name, function, arguments.get(1, "output_type"), at), function, at
        )
    if name in _SUMS and keyed:
        function = arguments.get(0, "func") if name == "reduce" else None
        return _with_states(run, operators.operator(stream, "reduce", function, None, at), function, at)
    if name == "key_by":
        return _keyed(run, stream, arguments, at)
    if name in _PARTITIONS:
        return operators.partition(stream, _PARTITIONS[name], at)
    if name == "broadcast":
        made = operators.partition(stream, PartitionerKind.BROADCAST, at)
        return Broadcast(made, descriptors=tuple(arguments.all())) if arguments.all() else made
    if name == "partition_custom":
        return operators.partition_custom(stream, at)
    if name == "union":
        return _union(stream, arguments, at)
    if name == "connect":
        return _connect(stream, arguments.get(0, "ds"), at)
    if name == "window" and isinstance(stream, Keyed):
        return Windowed(stream, _assigner(arguments.get(0, "window_assigner"), at))
    if name == "window_all":
        return Windowed(
            operators.key_by(stream, "one key for all", PICKLED, at), _assigner(arguments.get(0, "window_assigner"), at)
        )
    if name == "count_window" and isinstance(stream, Keyed):
        return Windowed(stream, _count_assigner(arguments.get(1, "slide", 0)))
    if name == "assign_timestamps_and_watermarks":
        return operators.timestamps(stream, arguments.get(0, "watermark_strategy"), at)
    if name == "get_side_output":
        return _side_output(run, stream, arguments.get(0, "output_tag"), at)
    if name in _ENDS:
        return _end(run, stream, name, arguments, at)
    if name == "get_execution_environment":
        return stream.env
    if name in ("get_type", "get_name", "get_execution_config"):
        return unknown(f"the result of {name}", Cause.OTHER, at)
    return unsupported(name, at)


def _keyed(run: Run, stream: Stream, arguments: Arguments, at: Location) -> Keyed:
    key = key_text(run, arguments.get(0, "key_selector"))
    return operators.key_by(stream, key, type_text(arguments.get(1, "key_type")), at)


def _with_states(run: Run, made: Stream, function: Value, at: Location) -> Stream:
    """PyFlink refuses ``get_state`` and the like where there is no key, so other functions register none."""
    if made.step.keyed:
        made.step.registered = states_of(run, function, at)
    return made


_ENDS = ("print", "add_sink", "sink_to", "execute_and_collect")


def _end(run: Run, stream: Stream, name: str, arguments: Arguments, at: Location) -> Value:
    if name == "print":
        textual = stream.elements.textual
        if isinstance(textual, Unknown):
            symbol = run.fresh(f"print:{at}")
            tested = Opaque(replace(textual, derived_from=None), symbol, textual.derived_from or "")
            textual = choices.choose(run, tested, "what is printed are rows or Python objects", at)
        return sinks.print_sink(stream, textual, at)
    if name == "add_sink":
        return sinks.add_sink(stream, at)
    if name == "sink_to":
        sink = arguments.get(0, "sink")
        return sinks.sink_to(stream, sink, described(run, sink), run.entry.flink, at)
    run.jobs.append(
        submit(stream.env, deployment_parallelism(run), at, same_settings(run, at), stream, run.entry.flink)
    )
    return unknown("the elements that a job collects", Cause.EXTERNAL, at, run.fresh("execute_and_collect()"))


def _set(run: Run, stream: Stream, name: str, arguments: Arguments, at: Location) -> Value:
    """Setters exist on what an operator or source gives; Flink has none for partitionings and unions."""
    if stream.step.kind.virtual and name not in ("set_description",):
        raise RaiseSignal(("Py4JError", "Exception", "BaseException"))
    return set_on(run, stream, stream.step, name, arguments, at)


def _union(stream: Stream, arguments: Arguments, at: Location) -> Stream:
    others = arguments.positional
    unclear = next((other for other in others if not isinstance(other, Stream)), None)
    if unclear is not None or arguments.keywords:
        why = unclear.unknown.reason if isinstance(unclear, Opaque) else "it is no stream"
        raise StoppedError(Unknown(f"a stream of the union is not known: {why}", Cause.OTHER, None, at))
    return operators.union([stream, *others], at)


def _connect(stream: Stream, other: Value, at: Location) -> Value:
    if isinstance(other, Broadcast):
        return Broadcast(other.stream, stream, other.descriptors)
    if isinstance(other, Stream):
        return Connected(stream, other)
    why = other.unknown.reason if isinstance(other, Opaque) else "it is no stream"
    raise StoppedError(Unknown(f"the stream that is connected is not known: {why}", Cause.OTHER, None, at))


def _count_assigner(slide: Value) -> Maybe[str]:
    if isinstance(slide, Opaque):
        return reason_of(slide)
    return "CountTumblingWindowAssigner" if slide == 0 else "CountSlidingWindowAssigner"


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
    reason = value.unknown.reason if isinstance(value, Opaque) else "it is no assigner that is known"
    return Unknown(f"the window assigner is not known: {reason}", Cause.OTHER, None, at)


def _side_output(run: Run, stream: Stream, tag: Value, at: Location) -> Stream:
    if stream.step.kind in (Kind.PARTITION, Kind.UNION):
        raise RaiseSignal(("Py4JError", "Exception", "BaseException"))
    if isinstance(tag, External) and tag.simple == "OutputTag":
        arguments = Arguments(list(tag.arguments), dict(tag.keywords))
        name = text(run, arguments.get(0, "tag_id"), "the tag", at)
        return operators.side_output(stream, name, arguments.get(1, "type_info"), at)
    reason = tag.unknown.reason if isinstance(tag, Opaque) else "it is no OutputTag"
    named = Unknown(f"the output tag is not known: {reason}", Cause.OTHER, None, at)
    made = operators.side_output(stream, named, None, at)
    made.elements = Elements(named, made.elements.type)
    return made


def windowed(run: Run, owner: Windowed, name: str, arguments: Arguments, at: Location) -> Value:
    """A method of a WindowedStream or AllWindowedStream."""
    if name in ("trigger", "allowed_lateness", "side_output_late_data"):
        return owner
    if name in ("reduce", "aggregate", "apply", "process"):
        place = {"reduce": 2, "aggregate": 3}.get(name, 1)
        typed = arguments.get(place, "output_type")
        folded = name == "reduce" and arguments.get(1, "window_function") is None
        function = arguments.get(0, {"reduce": "reduce_function", "aggregate": "aggregate_function",
                                     "apply": "window_function"}.get(name, "process_window_function"))  # fmt: skip
        made = operators.window(owner, function, typed, at, keeps_type=folded)
        kind = {"reduce": StateKind.REDUCING, "aggregate": StateKind.AGGREGATING}.get(name, StateKind.LIST)
        held = owner.stream.elements.type
        if name == "aggregate":
            held = type_text(arguments.get(2, "accumulator_type"))
        made.step.states = (
            StateDescriptor(name="window-contents", kind=kind, value_type=held, ttl=False, location=at),
        )
        further = arguments.get(1, "window_function") if name in ("reduce", "aggregate") else None
        return _with_states(run, made, function if further is None else further, at)
    if name == "get_execution_environment":
        return owner.stream.env
    return unsupported(name, at)


def connected(run: Run, pair: Connected, name: str, arguments: Arguments, at: Location) -> Value:
    """A method of ConnectedStreams."""
    if name == "key_by":
        first = Arguments([arguments.get(0, "key_selector1"), arguments.get(2, "key_type")], {})
        second = Arguments([arguments.get(1, "key_selector2"), arguments.get(2, "key_type")], {})
        return Connected(_keyed(run, pair.first, first, at), _keyed(run, pair.second, second, at))
    if name in ("map", "flat_map", "process"):
        function = arguments.get(0, "func")
        made = operators.connected(pair, name, function, arguments.get(1, "output_type"), at)
        return _with_states(run, made, function, at)
    return unsupported(name, at)


def broadcast(run: Run, pair: Broadcast, name: str, arguments: Arguments, at: Location) -> Value:
    """A method of a BroadcastConnectedStream."""
    if name != "process" or pair.other is None:
        return unsupported(name, at)
    made = operators.broadcast_process(pair, arguments.get(0, "func"), arguments.get(1, "output_type"), at)
    made.step.states = tuple(_broadcast_state(descriptor, at) for descriptor in pair.descriptors)
    return _with_states(run, made, arguments.get(0, "func"), at)


def _broadcast_state(descriptor: Value, at: Location) -> StateDescriptor:
    if isinstance(descriptor, Descriptor):
        return replace(descriptor.state(), kind=StateKind.BROADCAST, ttl=False)
    return StateDescriptor(name=Unknown("a broadcast state", location=at), kind=StateKind.BROADCAST, location=at)
