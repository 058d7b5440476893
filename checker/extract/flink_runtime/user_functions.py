"""The user function of an operator inside the JVM, and the state that it and the operator register.

Runs in the child process. State found in fields and constants of the byte code is exact; where a class reaches for
state in a way that the scan does not follow, the answer says so instead of listing what it saw.
"""

from __future__ import annotations

from typing import Any

from checker.extract.flink_runtime.class_files import BadClassFileError, ClassFile, read_class

Record = dict[str, Any]

KINDS = {
    "ValueStateDescriptor": "value",
    "ListStateDescriptor": "list",
    "MapStateDescriptor": "map",
    "ReducingStateDescriptor": "reducing",
    "AggregatingStateDescriptor": "aggregating",
    "FoldingStateDescriptor": "aggregating",
}
_STATE_METHODS = frozenset({"getState", "getListState", "getMapState", "getReducingState", "getAggregatingState"})
_OPERATOR_STATE_METHODS = frozenset({"getUnionListState", "getBroadcastState"})
_STORES = ("RuntimeContext", "KeyedStateStore", "OperatorStateStore", "StateInitializationContext",
           "FunctionInitializationContext")  # fmt: skip
_TIMED = ("KeyedProcessOperator", "KeyedCoProcessOperator", "WindowOperator", "EvictingWindowOperator",
          "IntervalJoinOperator", "CepOperator", "CoBroadcastWithKeyedOperator")  # fmt: skip
_WITHOUT_STATE = ("StreamExecCalc", "BatchExecCalc", "ExpressionReducer", "ConstraintEnforcer", "WatermarkAssigner",
                  "InputConversion", "OutputConversion", "ExpandOperator", "SinkOperator", "RowTimeMiniBatchAssigner",
                  "StreamSink", "StreamSource", "StreamProject", "TimestampsAndWatermarksOperator")  # fmt: skip


_CHECKPOINTED = {"CheckpointedFunction", "ListCheckpointed"}
_HIDDEN = "the function takes part in checkpoints, with state that was not found in its fields or code"
_BASES = ("java.", "org.apache.flink.api.", "org.apache.flink.streaming.api.")
"""Packages of the base classes of functions, which register no state themselves."""


def describe(factory: Any, operator: Any, operator_class: Any) -> Record:
    """``function``, ``state``, and ``stateful`` (true, false, ``{"unknown": why}``; None = follows)."""
    simple = str(operator_class.getName()).rpartition(".")[2]
    if simple in ("SinkWriterOperator", "SourceOperator"):
        return _connector(factory, simple)
    if simple in ("CommitterOperator", "GlobalCommitterOperator"):
        return {"stateful": True, "state": [_state("streaming_committer_raw_states", "operator-list")]}
    function = _function(factory, operator)
    state = _own_state(operator, simple)
    stateful: bool | Record | None = True if state else None
    target = function if function is not None else operator
    if target is not None:
        found, unclear = _of_object(target)
        state.extend(s for s in found if s not in state)
        if unclear:
            stateful = stateful or {"unknown": unclear}
            return {"function": class_name(target), "state": {"unknown": unclear}, "stateful": stateful}
        if stateful is None and not state:
            hidden = _interface_names(target.getClass()) & _CHECKPOINTED
            stateful = {"unknown": _HIDDEN} if hidden else _flinks_own(operator_class, function)
    elif not state:
        stateful = _flinks_own(operator_class, None)
    return {"function": None if function is None else class_name(function), "state": state, "stateful": stateful}


def class_name(value: Any) -> str:
    """The class of an object; of a lambda the class around it, for its own name differs from run to run."""
    return str(value.getClass().getName()).partition("$$Lambda")[0]


def _connector(factory: Any, simple: str) -> Record:
    from checker.extract.flink_runtime.graph_dump import private

    connector = private(factory, "sink" if simple == "SinkWriterOperator" else "source")
    record: Record = {"function": None if connector is None else class_name(connector)}
    if simple == "SourceOperator":
        record["state"] = [_state("SourceReaderState", "operator-list"), _state("coordinator", "coordinator")]
        return record
    interfaces = set() if connector is None else _interface_names(connector.getClass())
    record["stateful"] = bool(interfaces & {"StatefulSink", "SupportsWriterState"})
    if "Sink" not in interfaces:
        record["stateful"] = {"unknown": "a sink of the old interface decides in the job whether its writer has state"}
    return record


def _flinks_own(operator_class: Any, function: Any) -> bool | Record | None:
    """False where no state was found and the operator is known to keep none of its own."""
    name = str(operator_class.getName())
    if not name.startswith("org.apache.flink.") or name.startswith("org.apache.flink.streaming.api.operators."):
        return False
    if name.rpartition(".")[2].startswith(_WITHOUT_STATE) or name.rpartition("$")[2].startswith(_WITHOUT_STATE):
        return False
    if function is not None:
        return None
    return {"unknown": f"whether {name.rpartition('.')[2]} keeps state is not known"}


def _function(factory: Any, operator: Any) -> Any:
    for holder in (factory, operator):
        if holder is not None and hasattr(holder, "getUserFunction"):
            function = holder.getUserFunction()
            while function is not None and hasattr(function, "getWrappedFunction"):
                function = function.getWrappedFunction()
            return function
    return None


def _own_state(operator: Any, simple: str) -> list[Record]:
    """What Flink's operators register themselves."""
    from checker.extract.flink_runtime.graph_dump import private

    state: list[Record] = []
    if operator is not None and simple in ("WindowOperator", "EvictingWindowOperator"):
        descriptor = private(operator, "windowStateDescriptor") or private(operator, "evictingWindowStateDescriptor")
        if descriptor is not None:
            state.append(_described(descriptor))
    if simple.startswith("StreamGroupedReduce"):
        state.append(_state("_op_state", "value"))
    if simple == "IntervalJoinOperator":
        state += [_state("LEFT_BUFFER", "map"), _state("RIGHT_BUFFER", "map")]
    if simple == "AsyncWaitOperator":
        state.append(_state("_async_wait_operator_state_", "operator-list"))
    if simple in _TIMED:
        state.append(_state("timers", "timers"))
    return state


def _of_object(target: Any) -> tuple[list[Record], str | None]:
    """Descriptors that an object holds in fields or makes in its code; and why that may not be all."""
    state = _in_fields(target)
    classes = _code_of(target.getClass())
    if classes is None:
        return state, "the function's class file can't be read"
    operator_state = _operator_kinds(classes)
    for one in classes:
        for use in one.descriptors:
            if use.name is None:
                return state, "the function makes a state descriptor whose name is no constant"
            kind = KINDS[use.descriptor]
            found = _state(use.name, operator_state.get(kind, kind), use.type)
            if found["name"] not in [s["name"] for s in state]:
                state.append(found)
    for found in state:
        found["kind"] = operator_state.get(found["kind"], found["kind"])
    if not state and _asks_for_state(classes):
        return state, "the function asks for state, with a descriptor that is made elsewhere"
    return state, _hands_on(classes)


def _in_fields(target: Any) -> list[Record]:
    state = []
    cls = target.getClass()
    while cls is not None and not str(cls.getName()).startswith(("org.apache.flink.", "java.")):
        for field in cls.getDeclaredFields():
            if str(field.getType().getSimpleName()) in KINDS:
                field.setAccessible(True)
                value = field.get(target)
                if value is not None:
                    state.append(_described(value))
        cls = cls.getSuperclass()
    return state


def _described(descriptor: Any) -> Record:
    """A descriptor object: its name, kind, and value type as Flink prints it."""
    from checker.extract.flink_runtime.graph_dump import private

    name = descriptor.getName() if hasattr(descriptor, "getName") else descriptor.getStateId()
    cls = descriptor.getClass()
    while str(cls.getSimpleName()) not in KINDS and cls.getSuperclass() is not None:
        cls = cls.getSuperclass()
    information = private(descriptor, "typeInfo")
    serializer = None
    if information is None and hasattr(descriptor, "isSerializerInitialized") and descriptor.isSerializerInitialized():
        serializer = str(descriptor.getSerializer().getClass().getName())
    record = _state(str(name), KINDS.get(str(cls.getSimpleName()), "value"))
    record["value_type"] = None if information is None else str(information.toString())
    record["serializer"] = serializer
    return record


def _state(name: str, kind: str, value_type: str | None = None) -> Record:
    return {"name": name, "kind": kind, "value_type": value_type}


def _code_of(cls: Any) -> list[ClassFile] | None:
    """The class and its superclasses up to Flink's own; an empty list for a lambda, None where one can't be read."""
    import jpype

    found: list[ClassFile] = []
    while cls is not None and not str(cls.getName()).startswith(_BASES):
        name = str(cls.getName())
        if "$$Lambda" in name:
            return found
        loader = cls.getClassLoader()
        stream = None if loader is None else loader.getResourceAsStream(name.replace(".", "/") + ".class")
        if stream is None:
            return None
        output = jpype.JClass("java.io.ByteArrayOutputStream")()
        jpype.JClass("org.apache.flink.util.IOUtils").copyBytes(stream, output)
        try:
            found.append(read_class(bytes(output.toByteArray())))
        except BadClassFileError:
            return None
        cls = cls.getSuperclass()
    return found


def _operator_kinds(classes: list[ClassFile]) -> dict[str, str]:
    """Which descriptors stand for operator state: told by the store that the class asks."""
    calls = [call for one in classes for call in one.calls]
    kinds = {}
    stores = {c.name for c in calls if c.owner.endswith("OperatorStateStore")}
    keyed = {c.name for c in calls if c.owner.endswith(("RuntimeContext", "KeyedStateStore"))}
    if "getUnionListState" in stores:
        kinds["list"] = "operator-union-list"
    elif "getListState" in stores and "getListState" not in keyed:
        kinds["list"] = "operator-list"
    if any(c.name == "getBroadcastState" for c in calls) and "getMapState" not in keyed:
        kinds["map"] = "broadcast"
    return kinds


def _asks_for_state(classes: list[ClassFile]) -> bool:
    wanted = _STATE_METHODS | _OPERATOR_STATE_METHODS
    return any(call.name in wanted and call.owner.endswith(_STORES) for one in classes for call in one.calls)


def _hands_on(classes: list[ClassFile]) -> str | None:
    """A helper that is handed a context or a store may register state that the scan does not see."""
    for one in classes:
        for call in one.calls:
            arguments = call.signature.partition(")")[0]
            if any(f"/{store};" in arguments for store in _STORES) and not call.owner.startswith("org/apache/flink/"):
                owner = call.owner.rpartition("/")[2]
                if call.name not in ("open", "initializeState", "setRuntimeContext"):
                    return f"the function hands its state store on to {owner}.{call.name}"
    return None


def _interface_names(cls: Any) -> set[str]:
    names = set()
    while cls is not None:
        for one in cls.getInterfaces():
            names |= {str(one.getSimpleName())} | _interface_names(one)
        cls = cls.getSuperclass()
    return names
