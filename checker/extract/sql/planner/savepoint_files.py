"""Savepoints on disk, read by Flink: the states that a job registered; what operators say of their state.

Runs in the child process.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.jvm import java, private, user_loader
from checker.extract.runtime.capture.type_shapes import kept_types
from checker.extract.sql.planner.planning import KEYED_KINDS, OPERATOR_KINDS
from checker.model.nested import Json

_METADATA = "_metadata"


def states_in(folder: Path) -> dict[str, list[Json]]:
    """Operator id → its states. Raises jpype.JException where Flink can't read them."""
    return {
        str(operator.getOperatorID().toHexString()): list(_states(operator))
        for operator in _metadata(folder).getOperatorStates()
    }


def _metadata(folder: Path) -> Any:
    with closing(java("java.io.DataInputStream")(java("java.io.FileInputStream")(str(folder / _METADATA)))) as stream:
        return java("runtime.checkpoint.Checkpoints").loadCheckpointMetadata(stream, user_loader(), str(folder))


def _states(operator: Any) -> Iterator[Json]:
    if operator.getCoordinatorState() is not None:
        yield {"name": "coordinator", "kind": "coordinator", "value_type": None}
    for subtask in operator.getStates():
        for handle in subtask.getManagedKeyedState():
            proxy = _read(handle, java("runtime.state.KeyedBackendSerializationProxy")(user_loader()))
            yield from map(_state, proxy.getStateMetaInfoSnapshots())
        for handle in subtask.getManagedOperatorState():
            proxy = _read(handle, java("runtime.state.OperatorBackendSerializationProxy")(user_loader()))
            yield from map(_state, proxy.getOperatorStateMetaInfoSnapshots())
            yield from map(_state, proxy.getBroadcastStateMetaInfoSnapshots())


def _read(handle: Any, proxy: Any) -> Any:
    with closing(handle.openInputStream()) as stream:
        proxy.read(java("core.memory.DataInputViewStreamWrapper")(stream))
    return proxy


def _state(meta: Any) -> Json:
    keys = java("runtime.state.metainfo.StateMetaInfoSnapshot$CommonOptionsKeys")
    keyed = meta.getOption(keys.KEYED_STATE_TYPE)
    distributed = meta.getOption(keys.OPERATOR_STATE_DISTRIBUTION_MODE)
    if str(meta.getBackendStateType()) == "PRIORITY_QUEUE":
        return {"name": str(meta.getName()), "kind": "timers", "value_type": None}
    kind = OPERATOR_KINDS[str(distributed)] if keyed is None else KEYED_KINDS[str(keyed)]
    return {"name": str(meta.getName()), "kind": str(kind), **_types(meta, str(kind))}


def _types(meta: Any, kind: str) -> Json:
    value, key = _serializer(meta, "VALUE_SERIALIZER"), _serializer(meta, "KEY_SERIALIZER")
    found = kept_types(kind, value, key)
    return {**found, "ttl": None} if kind.startswith(("operator", "broadcast")) else found


def _serializer(meta: Any, key: str) -> Any:
    snapshot = meta.getTypeSerializerSnapshot(key)
    return None if snapshot is None else snapshot.restoreSerializer()


_RUNTIME = "org.apache.flink.table.runtime."
_OF_PYTHON = f"{_RUNTIME}operators.python.aggregate."
_LENGTH = "etentionTime"
_CLEANED_BY_TIMERS = frozenset({"minRetentionTime", "maxRetentionTime"})
_READS = re.compile(r"\bin1\.\w+\((\d+)")
_DEPTH = 3
"""How deep functions lie in their operators."""


def retentions(operator: Any, depth: int = 0) -> dict[str, int]:
    """Field → milliseconds, of an operator and the functions in it; fields that say 0 are left out."""
    found: dict[str, int] = {}
    cls = operator.getClass()
    while cls is not None and str(cls.getName()).startswith(("org.apache.flink.table.", "org.apache.flink.streaming.")):
        for field in cls.getDeclaredFields():
            name, kind = str(field.getName()), str(field.getType().getName())
            if kind == "long" and name.endswith(_LENGTH) and name not in _CLEANED_BY_TIMERS:
                field.setAccessible(True)
                found[name] = int(field.getLong(operator))
            elif kind.endswith(".StateTtlConfig"):
                field.setAccessible(True)
                found |= _configured(name, field.get(operator))
            elif depth < _DEPTH and not field.getType().isPrimitive():
                field.setAccessible(True)
                value = field.get(operator)
                if value is not None and str(value.getClass().getName()).startswith(_RUNTIME):
                    found |= retentions(value, depth + 1)
        cls = cls.getSuperclass()
    return {name: length for name, length in found.items() if length > 0}


def _configured(name: str, config: Any) -> dict[str, int]:
    if config is None or not config.isEnabled():
        return {}
    length = config.getTimeToLive() if hasattr(config, "getTimeToLive") else config.getTtl()
    return {name: int(length.toMillis() if hasattr(length, "toMillis") else length.toMilliseconds())}


def accumulators(operator: Any) -> list[str] | None:
    """The types of what functions in Python keep as bytes; none of Pandas' functions, whose operators keep rows.

    None for other operators. They are known by name: not every Flink can load the stand-ins' classes.
    """
    if not str(operator.getClass().getName()).startswith(_OF_PYTHON):
        return None
    functions = [info.getPythonFunction() for info in private(operator, "functions") or ()]
    return [
        str(private(function, "accumulatorType") or private(function, "accumulatorTypeString"))
        if hasattr(function, "getAccumulatorType")
        else str(function.toString())  # of PyFlink's own
        for function in functions
        if str(function.getPythonFunctionKind()) != "PANDAS"
    ]


def stages(operator: Any) -> str | None:
    """The stages of a pattern, the first one first, as ``pattern_fit`` reads them; None for other operators.

    Flink gives each repetition of a stage a name with a number behind it. No match waits in one that others go through
    without an element (PROCEED), such as what follows a loop.
    """
    factory = private(operator, "nfaFactory")
    if factory is None:
        return None
    states = sorted(
        (state for state in private(factory, "states") if not state.isFinal()), key=lambda s: not s.isStart()
    )
    counted = Counter(str(state.getName()).partition(":")[0] for state in states)
    entered = {
        str(edge.getTargetState().getName()).partition(":")[0]
        for state in states
        for edge in state.getStateTransitions()
        if str(edge.getAction().name()) != "PROCEED"
    }
    waits = {next(iter(counted)), *entered}
    shown = ", ".join(f"begin '{n}', times {count}{'' if n in waits else ', passed'}" for n, count in counted.items())
    return f"NFAState[{shown}]"


def within(operator: Any) -> int | None:
    """How long matches of a pattern wait, in milliseconds, which no description says; None for other operators."""
    factory = private(operator, "nfaFactory")
    return None if factory is None else int(private(factory, "windowTime"))


def key_fields(selector: Any) -> list[int] | None:
    """The places of a row that are its key, as the code generated for a ``RowDataKeySelector`` reads them."""
    projection = private(selector, "generatedProjection")
    if projection is None:
        return None
    return [int(place) for place in dict.fromkeys(_READS.findall(str(projection.getCode())))]
