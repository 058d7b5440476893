"""Windows on keyed and plain streams: builders, and the terminal calls that make the operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from checker.extract.java.flink_api import element_types, function_facts, operators, settings
from checker.extract.java.flink_api.drafts import unknown as unknown_value
from checker.extract.java.flink_api.element_types import Element
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Choice, ExternalObject, Instance, Lambda, MethodRef, Value
from checker.extract.java.state.java_types import of_class, supertype
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import PartitionerKind
from checker.model.unknowns import Cause, Maybe, Unknown

Handler = Callable[[Run, StreamValue, Call], Value | None]

_DYNAMIC = {
    ("EventTimeSessionWindows", "withDynamicGap"): "DynamicEventTimeSessionWindows",
    ("ProcessingTimeSessionWindows", "withDynamicGap"): "DynamicProcessingTimeSessionWindows",
}
_SESSIONS = frozenset({"EventTimeSessionWindows", "ProcessingTimeSessionWindows", *_DYNAMIC.values()})
_TIMERS = (
    StateDescriptor(name="_timer_state/event_window-timers", kind=StateKind.TIMERS),
    StateDescriptor(name="_timer_state/processing_window-timers", kind=StateKind.TIMERS),
)


def assigner_name(run: Run, value: Value) -> Maybe[str]:
    """Simple class name of a window assigner."""
    alternatives = run.alternatives(value)
    if len(alternatives) > 1:
        names = {assigner_name(run, alternative) for alternative in alternatives}
        return names.pop() if len(names) == 1 else unknown_value(value)
    value = alternatives[0]
    if isinstance(value, Instance):
        return value.decl.name
    if isinstance(value, ExternalObject):
        method = value.calls[0][0] if value.calls else ""
        if not any(name.startswith("org.apache.flink.") for name in value.type.candidates):
            return Unknown(f"which windows {value.type.simple} assigns is not known", Cause.EXTERNAL)
        return _DYNAMIC.get((value.type.simple, method), value.type.simple)
    return unknown_value(value)


def _window(run: Run, stream: StreamValue, call: Call) -> Value:
    extra = {**stream.extra, "assigner": assigner_name(run, call.arguments[0])}
    return StreamValue("WindowedStream", stream.env, stream.draft, extra=extra)


def _all(run: Run, stream: StreamValue, assigner: Maybe[str], site: Site, **extra: Any) -> Value:
    """A window over everything: keyed by a constant, so with a HASH edge."""
    keyed = operators.partition(run, stream, PartitionerKind.HASH, site)
    return StreamValue("AllWindowedStream", stream.env, keyed.draft, extra={"assigner": assigner, **extra})


def _window_all(run: Run, stream: StreamValue, call: Call) -> Value:
    return _all(run, stream, assigner_name(run, call.arguments[0]), call.site)


def _count_window(run: Run, stream: StreamValue, call: Call) -> Value:
    extra = {**stream.extra, "assigner": "GlobalWindows", "counted": True, "evictor": len(call.arguments) > 1}
    return StreamValue("WindowedStream", stream.env, stream.draft, extra=extra)


def _count_window_all(run: Run, stream: StreamValue, call: Call) -> Value:
    return _all(run, stream, "GlobalWindows", call.site, counted=True, evictor=len(call.arguments) > 1)


def _time_name(stream: StreamValue, given: Sequence[Value]) -> str:
    time = "ProcessingTime" if stream.env.processing_time else "EventTime"
    return f"{'Tumbling' if len(given) < 2 else 'Sliding'}{time}Windows"


def _time_window(run: Run, stream: StreamValue, call: Call) -> Value:
    extra = {**stream.extra, "assigner": _time_name(stream, call.arguments)}
    return StreamValue("WindowedStream", stream.env, stream.draft, extra=extra)


def _time_window_all(run: Run, stream: StreamValue, call: Call) -> Value:
    return _all(run, stream, _time_name(stream, call.arguments), call.site)


def _evictor(run: Run, stream: StreamValue, call: Call) -> Value:
    run.memory.assign(stream, "extra", {**stream.extra, "evictor": True})
    return stream


def _trigger(run: Run, stream: StreamValue, call: Call) -> Value:
    if stream.extra.get("assigner") in _SESSIONS and _never_merges(run, call.arguments[0]):
        throw("UnsupportedOperationException", _NO_MERGING)
    run.memory.assign(stream, "extra", {**stream.extra, "trigger": trigger_state(run, call.arguments[0])})
    return stream


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


def trigger_state(run: Run, value: Value) -> tuple[StateDescriptor, ...] | Unknown:
    """The state that a trigger of Flink registers; one of the repository is read like a function."""
    alternatives = run.alternatives(value)
    if len(alternatives) > 1:
        found_states = [trigger_state(run, alternative) for alternative in alternatives]
        same = all(found_state == found_states[0] for found_state in found_states)
        return found_states[0] if same else unknown_value(value)
    value = alternatives[0]
    if isinstance(value, Instance):
        states, _ = function_facts.state_of(run, value)
        return states
    if isinstance(value, ExternalObject):
        inner = value.arguments or (value.calls[0][1] if value.calls else ())
        if value.type.simple in ("PurgingTrigger", "ProcessingTimeoutTrigger") and inner:
            return trigger_state(run, inner[0])
        known = {
            "CountTrigger": StateDescriptor(name="count", kind=StateKind.REDUCING),
            "ContinuousEventTimeTrigger": StateDescriptor(name="fire-time", kind=StateKind.REDUCING),
            "ContinuousProcessingTimeTrigger": StateDescriptor(name="fire-time", kind=StateKind.REDUCING),
            "DeltaTrigger": StateDescriptor(name="last-element", kind=StateKind.VALUE),
        }
        found = known.get(value.type.simple)
        return (found,) if found is not None else ()
    return ()


_CONTENTS = {
    "reduce": StateKind.REDUCING, "aggregate": StateKind.AGGREGATING, "process": StateKind.LIST,
    "apply": StateKind.LIST, "sum": StateKind.REDUCING, "min": StateKind.REDUCING, "max": StateKind.REDUCING,
    "minBy": StateKind.REDUCING, "maxBy": StateKind.REDUCING, "fold": StateKind.AGGREGATING,
}  # fmt: skip
TERMINAL = tuple(_CONTENTS)


def window_state(
    run: Run, method: str, extra: dict[str, Any], functions: list[Value], element: Element
) -> tuple[StateDescriptor, ...] | Unknown:
    """The state of a window operator: its contents, timers, session bookkeeping, trigger, the function's own."""
    kind = StateKind.LIST if extra.get("evictor") else _CONTENTS[method]
    states = [_contents(run, kind, functions, element, evicting=bool(extra.get("evictor")))]
    assigner = extra.get("assigner")
    if isinstance(assigner, str) and assigner in _SESSIONS:
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
    kept = element
    if kind is StateKind.AGGREGATING and not evicting:
        kept = _accumulator(run, functions)
    value, classes = element_types.written(run, kept, "what the window keeps")
    serializer = _ELEMENTS if evicting else None
    return StateDescriptor(name="window-contents", kind=kind, value_type=value, serializer=serializer, classes=classes)


def _accumulator(run: Run, functions: list[Value]) -> Element:
    for function in functions:
        if isinstance(function, Instance):
            found = supertype(run.index, of_class(function.decl), "AggregateFunction")
            found = found or supertype(run.index, of_class(function.decl), "RichAggregateFunction")
            found = found or supertype(run.index, of_class(function.decl), "FoldFunction")
            if found is not None and len(found.arguments) >= 2 and found.arguments[1].known:
                return Element(found.arguments[1])
    return Element(derived_from="; ".join(expression_of(function, Cause.EXTERNAL) for function in functions))


_ELEMENTS = "org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer"


def _functions(run: Run, given: Sequence[Value]) -> list[Value]:
    softened = [run.soften(value) for value in given]
    return [value for value in softened if isinstance(value, Instance | Lambda | MethodRef | Choice)]


def _terminal(method: str) -> Handler:
    def handler(run: Run, stream: StreamValue, call: Call) -> Value:
        functions = _functions(run, call.arguments)
        assigner = stream.extra.get("assigner")
        return operators.operator(
            run, stream, None, call.site, name=window_name(run, assigner), operator="window", window=assigner,
            keyed=True, stateful=True,
            state=window_state(run, method, stream.extra, functions, element_types.element_of(run, stream, call)),
            function=function_facts.class_name(run, functions[-1]) if functions else None,
            functions_at=function_facts.places(run, functions),
        )  # fmt: skip

    return handler


def window_name(run: Run, assigner: Maybe[str] | None) -> Maybe[str] | None:
    """1.15 and newer: the assigner's class. Before that a long text, of which only the start is stable."""
    return assigner if run.api.windows_named_by_assigner else "Window"


def _terminal_all(method: str) -> Handler:
    def handler(run: Run, stream: StreamValue, call: Call) -> Value:
        functions = _functions(run, call.arguments)
        assigner = stream.extra.get("assigner")
        short = run.api.windows_named_by_assigner and (
            method in ("reduce", "sum", "min", "max", "minBy", "maxBy")
            or (method == "aggregate" and len(call.arguments) > 1)
        )
        if stream.extra.get("evictor") and method in ("reduce", "sum", "min", "max", "minBy", "maxBy", "aggregate"):
            short = run.api.windows_named_by_assigner
        made = operators.operator(
            run, stream, None, call.site, name=assigner if short else "TriggerWindow", operator="window-all",
            window=assigner, keyed=True, stateful=True,
            state=window_state(run, method, stream.extra, functions, element_types.element_of(run, stream, call)),
            function=function_facts.class_name(run, functions[-1]) if functions else None,
            functions_at=function_facts.places(run, functions),
        )  # fmt: skip
        if made.draft is not None:
            settings.force_non_parallel(run, made.draft)
        return made

    return handler


HANDLERS: dict[tuple[str, str], Handler] = {
    ("KeyedStream", "window"): _window,
    ("KeyedStream", "countWindow"): _count_window,
    ("KeyedStream", "timeWindow"): _time_window,
    ("DataStream", "windowAll"): _window_all,
    ("DataStream", "countWindowAll"): _count_window_all,
    ("DataStream", "timeWindowAll"): _time_window_all,
    ("WindowedStream", "trigger"): _trigger,
    ("AllWindowedStream", "trigger"): _trigger,
    ("WindowedStream", "evictor"): _evictor,
    ("AllWindowedStream", "evictor"): _evictor,
    **{("WindowedStream", method): _terminal(method) for method in TERMINAL},
    **{("AllWindowedStream", method): _terminal_all(method) for method in TERMINAL},
}
