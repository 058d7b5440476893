"""The states that Flink registered when it set a job up, read from the job's savepoint by the Flink that took it.

Runs in the child process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checker.extract.runtime.capture.jvm import java
from checker.extract.runtime.capture.private_fields import private
from checker.extract.runtime.capture.type_shapes import type_of_serializer
from checker.extract.sql.states.snapshots import KEYED_KINDS, OPERATOR_KINDS

Record = dict[str, Any]


def states_in(folder: str) -> dict[str, list[Record]]:
    """Operator id → its states. Raises jpype.JException where Flink can't read them."""
    return {
        str(operator.getOperatorID().toHexString()): list(_states(operator))
        for operator in _metadata(folder).getOperatorStates()
    }


def _metadata(folder: str) -> Any:
    stream = java("java.io.DataInputStream")(java("java.io.FileInputStream")(f"{folder}/_metadata"))
    try:
        return java("runtime.checkpoint.Checkpoints").loadCheckpointMetadata(stream, _loader(), folder)
    finally:
        stream.close()


def _loader() -> Any:
    return java("java.lang.Thread").currentThread().getContextClassLoader()


def _states(operator: Any) -> Iterator[Record]:
    if operator.getCoordinatorState() is not None:
        yield {"name": "coordinator", "kind": "coordinator", "value_type": None}
    for subtask in operator.getStates():
        for handle in subtask.getManagedKeyedState():
            proxy = _read(handle, java("runtime.state.KeyedBackendSerializationProxy")(_loader()))
            yield from map(_state, proxy.getStateMetaInfoSnapshots())
        for handle in subtask.getManagedOperatorState():
            proxy = _read(handle, java("runtime.state.OperatorBackendSerializationProxy")(_loader()))
            yield from map(_state, proxy.getOperatorStateMetaInfoSnapshots())
            yield from map(_state, proxy.getBroadcastStateMetaInfoSnapshots())


def _read(handle: Any, proxy: Any) -> Any:
    stream = handle.openInputStream()
    try:
        proxy.read(java("core.memory.DataInputViewStreamWrapper")(stream))
    finally:
        stream.close()
    return proxy


def _state(meta: Any) -> Record:
    keys = java("runtime.state.metainfo.StateMetaInfoSnapshot$CommonOptionsKeys")
    keyed = meta.getOption(keys.KEYED_STATE_TYPE)
    distributed = meta.getOption(keys.OPERATOR_STATE_DISTRIBUTION_MODE)
    if str(meta.getBackendStateType()) == "PRIORITY_QUEUE":
        return {"name": str(meta.getName()), "kind": "timers", "value_type": None}
    kind = OPERATOR_KINDS[str(distributed)] if keyed is None else KEYED_KINDS[str(keyed)]
    return {"name": str(meta.getName()), "kind": str(kind), **_types(meta, str(kind))}


def _types(meta: Any, kind: str) -> Record:
    """The types of what is kept: of a list the element's, of a map the key's and the value's."""
    value = _serializer(meta, "VALUE_SERIALIZER")
    key = _serializer(meta, "KEY_SERIALIZER")
    if kind == "list":
        value = value.getElementSerializer()
    elif kind == "map":
        key, value = value.getKeySerializer(), value.getValueSerializer()
    ttl = "Ttl" in str(value.getClass().getSimpleName())
    if ttl:
        value = private(value, "fieldSerializers")[1]
    value_type, classes = type_of_serializer(value)
    key_type, more = (None, []) if key is None else type_of_serializer(key)
    return {
        "key_type": key_type,
        "value_type": value_type,
        "serializer": str(value.getClass().getName()) if value_type is None else None,
        "ttl": None if kind.startswith(("operator", "broadcast")) else ttl,
        "classes": [*classes, *(found for found in more if found not in classes)],
    }


def _serializer(meta: Any, key: str) -> Any:
    snapshot = meta.getTypeSerializerSnapshot(key)
    return None if snapshot is None else snapshot.restoreSerializer()
