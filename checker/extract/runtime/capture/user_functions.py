"""The user function of an operator inside the JVM, and what becomes of its states.

Runs in the child process. ``described`` says what is known before Flink sets the job up, ``with_states`` adds what that
registered. Sources and sinks are not set up: they would reach for their systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checker.extract.runtime.capture.class_code import digest
from checker.extract.runtime.capture.held_objects import Objects, objects_of, simple_names
from checker.extract.runtime.capture.jvm import comes_with_flink, java, private
from checker.extract.runtime.capture.later_states import asks_later
from checker.model.unknowns import CODE, Cause

Record = dict[str, Any]

_NOT_SET_UP = "what it keeps is not known: sources and sinks are not set up, they would reach for their systems"
_CHECKPOINTED = frozenset({"CheckpointedFunction", "ListCheckpointed"})
_WITHOUT_STATE = frozenset(
    {"StreamMap", "StreamFlatMap", "StreamFilter", "StreamProject", "ProcessOperator", "CoStreamMap", "CoStreamFlatMap",
     "CoProcessOperator", "TimestampsAndWatermarksOperator"}
)  # fmt: skip
"""Operators of Flink that keep nothing themselves; their functions can do so on keyed streams, or as checkpointed."""


def describe(factory: Any, operator: Any, operator_class: Any, *, keyed: bool) -> Record:
    """``function``, and ``state`` with ``stateful`` where set-up adds nothing, else what ``with_states`` needs."""
    simple = str(operator_class.getName()).rpartition(".")[2]
    if simple in ("SinkWriterOperator", "SourceOperator"):
        return _connector(factory, simple)
    if simple in ("CommitterOperator", "GlobalCommitterOperator"):
        return {"stateful": True, "state": [_state("streaming_committer_raw_states", "operator-list")]}
    function = _function(factory, operator)
    record: Record = {"function": None if function is None else class_name(function)}
    objects = objects_of(factory)
    checkpointed = not objects.interfaces.isdisjoint(_CHECKPOINTED)
    ends = {"StreamSource", "StreamSink"}.intersection(simple_names(operator_class))
    if ends and not ("StreamSource" in ends and function is not None and comes_with_flink(function.getClass())):
        if not checkpointed and not keyed:
            return {**record, **_known([])}
        return {**record, **_unknown(_NOT_SET_UP, _digest(factory, objects, operator_class), checkpointed)}
    if simple in _WITHOUT_STATE and not keyed and not checkpointed:
        return {**record, **_known([])}
    later = objects.unreadable
    if later is None and (keyed or checkpointed or not comes_with_flink(operator_class)):
        later = _asks_later(objects, operator_class)
    code = _digest(factory, objects, operator_class)
    return {**record, "later": later, "with_records": list(objects.of_triggers), "code": code}


def with_states(node: Record, registered: Sequence[Record], failure: str | None) -> Record:
    """A node's record with the states of the operator, or why they are not known."""
    if "with_records" not in node:
        return node
    rest = {key: value for key, value in node.items() if key not in ("later", "with_records", "code")}
    if failure is not None:
        return {**rest, **_unknown(failure, node["code"], False)}
    states = list({(s["name"], s["kind"]): s for s in (*registered, *node["with_records"])}.values())
    if node["later"] is None:
        return {**rest, **_known(states)}
    more = _reason(node["later"], node["code"])
    return {**rest, "state": [*states, {"name": more, "kind": more}], "stateful": bool(states) or more}


def _asks_later(objects: Objects, operator_class: Any) -> str | None:
    import jpype

    try:
        return asks_later(_classes(objects, operator_class), objects.lambdas)
    except jpype.JException as error:
        return f"its class files can't be read: {error.getMessage()}"


def _digest(factory: Any, objects: Objects, operator_class: Any) -> str | None:
    """What decides which states an operator asks for: its code, and the values that it takes along.

    None where not all of it is seen.
    """
    import jpype

    if objects.unreadable is not None:
        return None
    owners = [owner for owner, _, _ in objects.lambdas]
    try:
        values = bytes(java("util.InstantiationUtil").serializeObject(factory))
        return digest([*_classes(objects, operator_class), *owners], values)
    except jpype.JException:  # what can't be serialized can't run either; or its class files are of a newer Java
        return None


def _classes(objects: Objects, operator_class: Any) -> tuple[str, ...]:
    return *objects.functions, *objects.others, str(operator_class.getName()).replace(".", "/")


def _known(states: list[Record]) -> Record:
    return {"state": states, "stateful": bool(states)}


def _unknown(why: str, code: str | None, stateful: bool) -> Record:
    return {"state": _reason(why, code), "stateful": stateful or _reason(why, code)}


def _reason(why: str, code: str | None) -> Record:
    made = {} if code is None else {"derived_from": f"{CODE}{code}"}
    return {"unknown": why, "cause": str(Cause.EXTERNAL), **made}


def class_name(value: Any) -> str:
    """The class of an object; of a lambda the class around it, for its own name differs from run to run."""
    return str(value.getClass().getName()).partition("$$Lambda")[0]


def _connector(factory: Any, simple: str) -> Record:
    connector = private(factory, "sink" if simple == "SinkWriterOperator" else "source")
    record: Record = {"function": None if connector is None else class_name(connector)}
    if simple == "SourceOperator":
        record["state"] = [_state("SourceReaderState", "operator-list"), _state("coordinator", "coordinator")]
        return record
    interfaces = set() if connector is None else _interface_names(connector.getClass())
    record["stateful"] = bool(interfaces & {"StatefulSink", "SupportsWriterState"})
    record["state"] = [_state("writer_raw_states", "operator-list")] if record["stateful"] else []
    if "Sink" not in interfaces:
        why = "a sink of the old interface decides in the job whether its writer has state"
        record["state"] = record["stateful"] = _reason(why, None)
    return record


def _function(factory: Any, operator: Any) -> Any:
    for holder in (factory, operator):
        if holder is not None and hasattr(holder, "getUserFunction"):
            function = holder.getUserFunction()
            while function is not None and hasattr(function, "getWrappedFunction"):
                function = function.getWrappedFunction()
            return function
    return None


def _state(name: str, kind: str) -> Record:
    return {"name": name, "kind": kind, "value_type": None}


def _interface_names(cls: Any) -> set[str]:
    names = set()
    while cls is not None:
        for interface in cls.getInterfaces():
            names |= {str(interface.getSimpleName())} | _interface_names(interface)
        cls = cls.getSuperclass()
    return names
