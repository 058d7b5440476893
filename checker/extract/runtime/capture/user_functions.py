"""The user function of an operator inside the JVM, and the state that it and the operator register.

Runs in the child process. What the operator's objects hold is read from the JVM, what their code does with it from
their class files; where that leaves the user's own code, the answer says so instead of listing what it saw.
"""

from __future__ import annotations

import contextlib
from typing import Any

from checker.extract.runtime.bytecode.class_files import BadClassFileError, ClassFile, read_class
from checker.extract.runtime.bytecode.reachable_code import Classes, Reach
from checker.extract.runtime.bytecode.registered_states import Registered, registered
from checker.extract.runtime.capture.held_objects import Objects, described, objects_of, simple_names
from checker.extract.runtime.capture.jvm import java
from checker.extract.runtime.capture.private_fields import private
from checker.extract.runtime.capture.type_shapes import types_of_class

Record = dict[str, Any]

_WITHOUT_STATE = ("StreamExecCalc", "BatchExecCalc", "ExpressionReducer", "ConstraintEnforcer", "WatermarkAssigner",
                  "InputConversion", "OutputConversion", "ExpandOperator", "SinkOperator", "RowTimeMiniBatchAssigner",
                  "StreamSink", "StreamSource", "StreamProject", "TimestampsAndWatermarksOperator")  # fmt: skip
_HIDDEN = "the function takes part in checkpoints, with state that was not found in its code"
_LIBRARIES = ("java/", "javax/", "jdk/", "sun/", "scala/", "kotlin/", "kotlinx/")
_FLINK = "org/apache/flink/"
_BASES = ("AbstractStream", "AbstractUdf", "AbstractAsyncState")
"""How the names of the base classes of Flink's operators begin."""
_FOLLOWED_PACKAGES = ("org/apache/flink/cep/operator/", "org/apache/flink/cep/nfa/")
"""Flink's own packages in which operators hand their state store from class to class."""


def describe(factory: Any, operator: Any, operator_class: Any) -> Record:
    """``function``, ``state``, and ``stateful`` (true, false, ``{"unknown": why}``; None = follows)."""
    simple = str(operator_class.getName()).rpartition(".")[2]
    if simple in ("SinkWriterOperator", "SourceOperator"):
        return _connector(factory, simple)
    if simple in ("CommitterOperator", "GlobalCommitterOperator"):
        return {"stateful": True, "state": [_state("streaming_committer_raw_states", "operator-list")]}
    function = _function(factory, operator)
    objects = objects_of(factory, operator_class if operator is None else None)
    own = _own_state(operator, simple)
    found = _registered(objects, operator_class, own is None)
    record: Record = {"function": None if function is None else class_name(function)}
    state = list({(s["name"], s["kind"]): s for s in (*map(_with_types, found.states), *(own or ()))}.values())
    if not _merges_windows(factory if operator is None else operator):
        state = [s for s in state if s["name"] != "merging-window-set"]
    if "ListCheckpointed" in objects.interfaces:
        state.append(_state("_default_", "operator-list"))
    if "CoordinatedOperatorFactory" in _interface_names(factory.getClass()):
        state.append(_state("coordinator", "coordinator"))
    unclear = objects.unreadable or found.unclear
    if unclear is None and all(s["kind"] in ("timers", "coordinator") for s in state):
        unclear = _HIDDEN if "CheckpointedFunction" in objects.interfaces else None
    if unclear is not None:
        any_state = found.any_state or bool(state)
        return {**record, "state": {"unknown": unclear}, "stateful": any_state or {"unknown": unclear}}
    return {**record, "state": state, "stateful": True if state else _without_state(operator_class, objects)}


def _with_types(state: Record) -> Record:
    """A state that code registers by the classes of what it keeps, with the types that Flink extracts from them."""
    if "classes" in state or state["kind"] == "timers":
        return state
    classes: list[Record] = []
    typed = dict(state)
    for part in ("key_type", "value_type"):
        if state.get(part) is not None:
            typed[part], found = types_of_class(state[part])
            classes += [c for c in found if c not in classes]
    return {**typed, "classes": classes}


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
        record["state"] = record["stateful"] = {"unknown": why}
    return record


def _without_state(operator_class: Any, objects: Objects) -> bool | Record | None:
    """False where no state was found and the operator's own code was read or is known to keep none."""
    name = str(operator_class.getName())
    if _class_file(name.replace(".", "/")) is not None and not name.startswith("org.apache.flink.table."):
        return False
    if name.rpartition(".")[2].startswith(_WITHOUT_STATE) or name.rpartition("$")[2].startswith(_WITHOUT_STATE):
        return False
    return {"unknown": f"whether {name.rpartition('.')[2]} keeps state is not known"}


def _function(factory: Any, operator: Any) -> Any:
    for holder in (factory, operator):
        if holder is not None and hasattr(holder, "getUserFunction"):
            function = holder.getUserFunction()
            while function is not None and hasattr(function, "getWrappedFunction"):
                function = function.getWrappedFunction()
            return function
    return None


def _own_state(operator: Any, simple: str) -> list[Record] | None:
    """What operators register for each element of a list, which can't be read from their code; None for all others."""
    if operator is None or "CoBroadcastWith" not in simple:
        return None
    state = [{**described(d), "kind": "broadcast"} for d in private(operator, "broadcastStateDescriptors")]
    if simple.endswith("WithKeyedOperator"):
        state += [_state(f"_timer_state/{time}_user-timers", "timers") for time in ("event", "processing")]
    return state


def _merges_windows(holder: Any) -> bool:
    """Whether a window operator keeps the set of windows that it has merged."""
    assigner = private(holder, "windowAssigner")
    return assigner is None or "MergingWindowAssigner" in simple_names(assigner.getClass())


def _state(name: str, kind: str) -> Record:
    return {"name": name, "kind": kind, "value_type": None}


# -- class files ---------------------------------------------------------------------------------------------------


_files: dict[str, ClassFile | None] = {}


def _class_file(name: str) -> ClassFile | None:
    """A class file as the user's class loader finds it."""
    if name not in _files:
        loader = java("java.lang.Thread").currentThread().getContextClassLoader()
        stream = loader.getResourceAsStream(name + ".class")
        _files[name] = None
        if stream is not None:
            output = java("java.io.ByteArrayOutputStream")()
            java("util.IOUtils").copyBytes(stream, output)
            with contextlib.suppress(BadClassFileError):
                _files[name] = read_class(bytes(output.toByteArray()))
    return _files[name]


def _of_flink(name: str) -> bool:
    """Whether a class comes with the distribution: connectors in the user's jars do not."""
    parent = java("java.lang.ClassLoader").getSystemClassLoader()
    return parent.getResource(name + ".class") is not None


def _registered(objects: Objects, operator_class: Any, with_operator: bool) -> Registered:
    """What the code of an operator and of all that it holds registers."""
    operator = str(operator_class.getName()).replace(".", "/")
    functions = {*objects.functions, operator} if with_operator else {*objects.functions} - {operator}
    entered = set(functions)
    for name in list(entered):
        entered |= _above(name)
    packages = {_package(name) for name in (*functions, *objects.others, *(owner for owner, _ in objects.lambdas))}

    def load(name: str) -> ClassFile | None:
        if name in entered or name.startswith(_FOLLOWED_PACKAGES):
            return _class_file(name)
        if name.startswith((*_LIBRARIES, "[")) or _of_flink(name):
            return None
        found = _class_file(name)
        near = found is not None and (_package(name) in packages or found.mentions_package(_FLINK))
        return found if near else None

    reach = Reach(Classes(load), sorted(functions), objects.others, objects.lambdas)
    return registered(reach, objects.contents)


def _above(name: str) -> set[str]:
    """The superclasses of a class below the base classes of Flink, which only offer state."""
    found = set()
    file = _class_file(name)
    while file is not None and file.parent is not None:
        parent = file.parent
        if parent.startswith("java/") or parent.rpartition("/")[2].startswith(_BASES):
            break
        found.add(parent)
        file = _class_file(parent)
    return found


def _package(name: str) -> str:
    """The first two parts of a package: what one company's classes have in common."""
    return "/".join(name.split("/")[:-1][:2])


def _interface_names(cls: Any) -> set[str]:
    names = set()
    while cls is not None:
        for interface in cls.getInterfaces():
            names |= {str(interface.getSimpleName())} | _interface_names(interface)
        cls = cls.getSuperclass()
    return names
