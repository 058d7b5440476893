"""Savepoints on disk, read and written by Flink: the states that a job registered, and one made fit for a planned job.

Runs in the child process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.jvm import array_list, java, user_loader
from checker.extract.runtime.capture.type_shapes import kept_types
from checker.extract.sql.states.snapshots import KEYED_KINDS, OPERATOR_KINDS

Record = dict[str, Any]
_METADATA = "_metadata"


def states_in(folder: Path) -> dict[str, list[Record]]:
    """Operator id → its states. Raises jpype.JException where Flink can't read them."""
    return {
        str(operator.getOperatorID().toHexString()): list(_states(operator))
        for operator in _metadata(folder).getOperatorStates()
    }


def _metadata(folder: Path) -> Any:
    stream = java("java.io.DataInputStream")(java("java.io.FileInputStream")(str(folder / _METADATA)))
    try:
        return java("runtime.checkpoint.Checkpoints").loadCheckpointMetadata(stream, user_loader(), str(folder))
    finally:
        stream.close()


def _states(operator: Any) -> Iterator[Record]:
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
    value, key = _serializer(meta, "VALUE_SERIALIZER"), _serializer(meta, "KEY_SERIALIZER")
    found = kept_types(kind, value, key)
    return {**found, "ttl": None} if kind.startswith(("operator", "broadcast")) else found


def _serializer(meta: Any, key: str) -> Any:
    snapshot = meta.getTypeSerializerSnapshot(key)
    return None if snapshot is None else snapshot.restoreSerializer()


def prepared(given: Path, pipeline: Any, folder: Path) -> bool:
    """Write the savepoint that a planned job can be started from into ``folder``, which must not exist.

    Operators of the planned job keep what is theirs by key, timers included. What sources, sinks and their coordinators
    keep is taken out: only the connector itself can read it. State of operators that the planned job does not have
    stays as it is, so Flink refuses it as it would in production. Files of the savepoint are linked to, never changed.

    ``given`` is the folder of the savepoint. Returns whether its keyed state is in files of RocksDB, which no other
    backend reads. Raises jpype.JException for metadata that this Flink does not read.
    """
    folder.mkdir(parents=True)
    for path in given.iterdir():
        if path.name != _METADATA:
            os.symlink(path.absolute(), folder / path.name)
    metadata = _metadata(given)
    hashes = java("streaming.api.graph.StreamGraphHasherV2")().traverseStreamGraphAndGenerateHashes(pipeline)
    own = {bytes(found).hex() for found in hashes.values()}
    files_of_rocksdb = False
    for operator in metadata.getOperatorStates():
        subtasks = {int(entry.getKey()): entry.getValue() for entry in operator.getSubtaskStates().entrySet()}
        handles = [handle for subtask in subtasks.values() for handle in subtask.getManagedKeyedState()]
        files_of_rocksdb |= any("Incremental" in str(handle.getClass().getSimpleName()) for handle in handles)
        if str(operator.getOperatorID().toHexString()) in own and not operator.isFullyFinished():
            _keep_keyed_state(operator, subtasks)
    kept = java("runtime.checkpoint.metadata.CheckpointMetadata")(
        metadata.getCheckpointId(), metadata.getOperatorStates(), array_list([])
    )
    stream = java("java.io.FileOutputStream")(str(folder / _METADATA))
    try:
        java("runtime.checkpoint.Checkpoints").storeCheckpointMetadata(kept, stream)
    finally:
        stream.close()
    return files_of_rocksdb


def _keep_keyed_state(operator: Any, subtasks: dict[int, Any]) -> None:
    for number, subtask in subtasks.items():
        builder = java("runtime.checkpoint.OperatorSubtaskState").builder()
        builder.setManagedKeyedState(subtask.getManagedKeyedState()).setRawKeyedState(subtask.getRawKeyedState())
        operator.putState(number, builder.build())
    field = java("runtime.checkpoint.OperatorState").class_.getDeclaredField("coordinatorState")
    field.setAccessible(True)
    field.set(operator, None)
