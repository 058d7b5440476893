"""Windows on keyed and plain streams: what is said of them, and the calls that make the operator."""

from dataclasses import replace
from functools import partial
from typing import Any

from checker.extract.datastream import table
from checker.extract.datastream.table import ApiCall
from checker.extract.java.flink_api import element_types, function_facts, jobs, operators
from checker.extract.java.flink_api.element_types import Element
from checker.extract.java.flink_api.keys import types as key_types
from checker.extract.java.flink_api.states.held import reached_from
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Choice, ExternalObject, Instance, Lambda, MethodRef, Opaque, Value
from checker.extract.java.state.java_types import of_class, supertype
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import PartitionerKind
from checker.model.unknowns import Cause, Maybe, Unknown

_TIMERS = (
    StateDescriptor(name="_timer_state/event_window-timers", kind=StateKind.TIMERS),
    StateDescriptor(name="_timer_state/processing_window-timers", kind=StateKind.TIMERS),
)


def assigner_name(run: Run, value: Value) -> Maybe[str]:
    """Simple class name of a window assigner."""
    return run.agreed(value, _assigner_name, lambda: jobs.unknown(value))


def _assigner_name(value: Value) -> Maybe[str]:
    if isinstance(value, Instance):
        return value.decl.name
    if isinstance(value, ExternalObject):
        method = value.calls[0][0] if value.calls else ""
        if not any(name.startswith("org.apache.flink.") for name in value.type.candidates):
            return Unknown(f"cannot tell which windows {value.type.simple} assigns", Cause.EXTERNAL)
        return table.assigner(value.type.simple, dynamic=method == "withDynamicGap")
    return jobs.unknown(value)


def window(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """Windows on a keyed stream, or on both sides of a join."""
    kind = "WindowedStream" if stream.type == "KeyedStream" else stream.type
    return StreamValue(kind, stream.env, stream.draft, stream.parts, {**stream.extra, **_windows(run, stream, call)})


def window_all(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """Windows over everything: keyed by a constant, so with a HASH edge."""
    keyed = operators.partition(run, stream, PartitionerKind.HASH, call.site)
    extra = {"key": key_types.ONE_KEY, **_windows(run, stream, call)}
    return StreamValue("AllWindowedStream", stream.env, keyed.draft, extra=extra)


def _windows(run: Run, stream: StreamValue, call: Call) -> dict[str, Any]:
    """What a call says of windows: ``window``, ``countWindow`` or ``timeWindow``."""
    if call.name.startswith("count"):
        return {"assigner": "GlobalWindows", "counted": True, "evictor": len(call.arguments) > 1}
    if call.name.startswith("time"):
        time = "ProcessingTime" if stream.env.processing_time else "EventTime"
        return {"assigner": f"{'Tumbling' if len(call.arguments) < 2 else 'Sliding'}{time}Windows"}
    return {"assigner": assigner_name(run, call.arguments[0])}


def more_said(run: Run, stream: StreamValue, **extra: Any) -> Value:
    """The stream with more said of its windows; those of joins are new objects."""
    extra = {**stream.extra, **extra}
    if stream.parts:
        return StreamValue(stream.type, stream.env, None, stream.parts, extra)
    run.memory.assign(stream, "extra", extra)
    return stream


def trigger(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``trigger``, which Flink refuses on session windows where it can't merge."""
    if stream.extra.get("assigner") in table.SESSIONS and _never_merges(run, call.arguments[0]):
        throw("UnsupportedOperationException", _NO_MERGING)
    given = run.soften(call.arguments[0])
    return more_said(run, stream, trigger=trigger_state(run, given), fires=_firing(given))


_NO_MERGING = "A merging window assigner cannot be used with a trigger that does not support merging."


def _never_merges(run: Run, value: Value) -> bool:
    """Whether a trigger of the program leaves ``canMerge`` as Flink has it: false."""
    value = run.soften(value)
    if not isinstance(value, Instance):
        return isinstance(value, ExternalObject) and value.type.name == _DELTA
    above = [value.decl, *run.index.ancestors(value.decl)]
    own = [ancestor for ancestor in above if isinstance(ancestor, ClassDecl)]
    bases = {name for ancestor in above if not isinstance(ancestor, ClassDecl) for name in ancestor.candidates}
    return _TRIGGER in bases and not any(decl.methods_named("canMerge") for decl in own)


_TRIGGER = "org.apache.flink.streaming.api.windowing.triggers.Trigger"
_DELTA = "org.apache.flink.streaming.api.windowing.triggers.DeltaTrigger"


def _firing(value: Value) -> str | None:
    """The class of Flink that says when windows fire: what others only wrap; None for any other."""
    if not isinstance(value, ExternalObject):
        return None
    inner = _wrapped(value)
    return _firing(inner) if inner is not None else value.type.simple


def _wrapped(value: ExternalObject) -> Value | None:
    """The trigger that another one holds."""
    inner = value.arguments or (value.calls[0][1] if value.calls else ())
    return inner[0] if value.type.simple in ("PurgingTrigger", "ProcessingTimeoutTrigger") and inner else None


def trigger_state(run: Run, value: Value) -> tuple[StateDescriptor, ...] | Unknown:
    """The state that a trigger of Flink registers; any other is read like a function."""
    return run.agreed(value, partial(_trigger_state, run), lambda: jobs.unknown(value))


def _trigger_state(run: Run, value: Value) -> tuple[StateDescriptor, ...] | Unknown:
    if isinstance(value, ExternalObject):
        inner = _wrapped(value)
        if inner is not None:
            return trigger_state(run, inner)
        found = table.triggers().get(value.type.simple)
        if found is not None:
            return (found,)
    states, _ = function_facts.state_of(run, value)
    if isinstance(states, Unknown) or not isinstance(value, Instance):
        return states
    inside = (part.type.simple for part in reached_from(value) if isinstance(part, ExternalObject))
    return (*states, *(table.triggers()[name] for name in inside if name in table.triggers()))


_CONTENTS = {
    "reduce": StateKind.REDUCING, "aggregate": StateKind.AGGREGATING, "process": StateKind.LIST,
    "apply": StateKind.LIST, "sum": StateKind.REDUCING, "min": StateKind.REDUCING, "max": StateKind.REDUCING,
    "minBy": StateKind.REDUCING, "maxBy": StateKind.REDUCING, "fold": StateKind.AGGREGATING,
}  # fmt: skip


def window_state(
    run: Run, method: str, extra: dict[str, Any], functions: list[Value], element: Element
) -> tuple[StateDescriptor, ...] | Unknown:
    """The state of a window operator: its contents, timers, session bookkeeping, trigger, the function's own."""
    kind = StateKind.LIST if extra.get("evictor") else _CONTENTS[method]
    states = [_contents(run, kind, functions, element, evicting=bool(extra.get("evictor")))]
    assigner = extra.get("assigner")
    if isinstance(assigner, str) and assigner in table.SESSIONS:
        states.append(StateDescriptor(name="merging-window-set", kind=StateKind.LIST))
    trigger = extra.get("trigger")
    if isinstance(trigger, Unknown):
        return trigger
    if trigger:
        states.extend(trigger)
    elif trigger is None and extra.get("counted"):
        states.append(StateDescriptor(name="count", kind=StateKind.REDUCING))
    for function in functions:
        found, _ = function_facts.state_of(run, function)
        if isinstance(found, Unknown):
            return found
        states.extend(found)
    return (*(replace(state, refused=None) for state in states), *_TIMERS)


def _contents(
    run: Run, kind: StateKind, functions: list[Value], element: Element, *, evicting: bool
) -> StateDescriptor:
    """The elements or the accumulator; with an evictor, elements with their timestamps."""
    kept, location = element, None
    if kind is StateKind.AGGREGATING and not evicting:
        kept, location = _accumulator(run, functions), next(iter(function_facts.places(run, functions)), None)
    value, classes = element_types.written(run, kept, "what the window keeps")
    serializer = _ELEMENTS if evicting else None
    return StateDescriptor(
        name="window-contents", kind=kind, value_type=value, serializer=serializer, classes=classes, ttl=False,
        location=location,
    )  # fmt: skip


def _accumulator(run: Run, functions: list[Value]) -> Element:
    for function in functions:
        if isinstance(function, Instance):
            for base in ("AggregateFunction", "RichAggregateFunction", "FoldFunction"):
                found = supertype(run.index, of_class(function.decl), base)
                if found is not None and len(found.arguments) >= 2 and found.arguments[1].known:
                    return Element(found.arguments[1])
    return Element(derived_from="; ".join(expression_of(function, Cause.EXTERNAL) for function in functions))


_ELEMENTS = "org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer"


def _functions(run: Run, call: Call) -> list[Value]:
    """What a call on windows is given to run. Types may stand behind it: they are of Flink."""
    given = [run.soften(value) for value in call.arguments]
    pair = len(given) == 2 and call.name in ("aggregate", "reduce")
    unread = given[: 2 if pair else 1] if call.name in ("aggregate", "apply", "process", "reduce") else []
    return [
        value for n, value in enumerate(given)
        if isinstance(value, Instance | Lambda | MethodRef | Choice)
        or (isinstance(value, Opaque | ExternalObject) and n < len(unread))
    ]  # fmt: skip


def window_name(run: Run, assigner: Maybe[str] | None) -> Maybe[str] | None:
    """1.15 and newer: the assigner's class. Before that a long text, of which only the start is stable."""
    return assigner if run.api.windows_named_by_assigner else "Window"


_NAMED = frozenset({"reduce", "sum", "min", "max", "minBy", "maxBy", "aggregate"})
"""What names the operator of ``windowAll`` by its assigner; all else is a ``TriggerWindow``."""


def result(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``reduce``, ``process`` and so on: the window operator."""
    functions = _functions(run, call)
    assigner = stream.extra.get("assigner")
    alone, name = stream.type == "AllWindowedStream", window_name(run, assigner)
    if alone:
        whole = call.name != "aggregate" or len(call.arguments) > 1 or stream.extra.get("evictor")
        named = run.api.windows_named_by_assigner and call.name in _NAMED and whole
        name = assigner if named else "TriggerWindow"
    made = operators.operator(
        run, stream, None, call.site, name=name, operator="window-all" if alone else "window", window=assigner,
        trigger=stream.extra.get("fires"), late=stream.extra.get("late", False), keyed=True, stateful=True,
        state=window_state(run, call.name, stream.extra, functions, element_types.element_of(run, stream, call)),
        function=function_facts.class_name(run, functions[-1]) if functions else None,
    )  # fmt: skip
    if alone and made.draft is not None:
        jobs.set_attribute(run, made.draft, "non_parallel", True)
    return made
