"""A savepoint of a real job, made fit for a planned job whose connectors are stand-ins.

Operators of the planned job keep what is theirs by key, timers included. What sources, sinks and their coordinators
keep is taken out: only the connector itself can read it. State of operators that the planned job does not have stays
as it is, so Flink refuses it as it would in production. Files of the savepoint are linked to, never changed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.jvm import array_list, java

_METADATA = "_metadata"


def prepared(given: Path, pipeline: Any, folder: Path) -> bool:
    """Write the savepoint that a planned job can be started from into ``folder``, which must not exist.

    ``given`` is the folder of the savepoint. Returns whether its keyed state is in files of RocksDB, which no other
    backend reads. Raises jpype.JException for metadata that this Flink does not read.
    """
    folder.mkdir(parents=True)
    for path in given.iterdir():
        if path.name != _METADATA:
            os.symlink(path.absolute(), folder / path.name)
    metadata = _loaded(given)
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


def _loaded(given: Path) -> Any:
    stream = java("java.io.DataInputStream")(java("java.io.FileInputStream")(str(given / _METADATA)))
    loader = java("java.lang.Thread").currentThread().getContextClassLoader()
    try:
        return java("runtime.checkpoint.Checkpoints").loadCheckpointMetadata(stream, loader, str(given))
    finally:
        stream.close()


def _keep_keyed_state(operator: Any, subtasks: dict[int, Any]) -> None:
    for number, subtask in subtasks.items():
        builder = java("runtime.checkpoint.OperatorSubtaskState").builder()
        builder.setManagedKeyedState(subtask.getManagedKeyedState()).setRawKeyedState(subtask.getRawKeyedState())
        operator.putState(number, builder.build())
    field = java("runtime.checkpoint.OperatorState").class_.getDeclaredField("coordinatorState")
    field.setAccessible(True)
    field.set(operator, None)
