"""Our records spelled as the recorded truth spells what Flink's own classes read."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from checker.model.savepoint import (
    ChannelHandle,
    CheckpointProperties,
    HeaderSource,
    KeyedHandle,
    KeyedHeader,
    KeyedKind,
    Offsets,
    OperatorHandle,
    OperatorHeader,
    SerializerSnapshot,
    StateMeta,
    StreamHandle,
    StreamKind,
    SubtaskState,
)
from checker.savepoint.headers import read_header
from checker.savepoint.metadata import MetadataReader, OperatorEntry
from checker.savepoint.places import PathMapping, SnapshotPlace

_STREAMS = {
    StreamKind.INLINE: "ByteStreamStateHandle",
    StreamKind.FILE: "FileStateHandle",
    StreamKind.RELATIVE: "RelativeFileStateHandle",
    StreamKind.SEGMENT: "SegmentFileStateHandle",
    StreamKind.EMPTY_SEGMENT: "EmptySegmentFileStateHandle",
}
_KEYED = {
    KeyedKind.CANONICAL: "KeyGroupsSavepointStateHandle",
    KeyedKind.HEAP: "KeyGroupsStateHandle",
    KeyedKind.INCREMENTAL: "IncrementalRemoteKeyedStateHandle",
    KeyedKind.CHANGELOG: "ChangelogStateBackendHandleImpl",
    KeyedKind.CHANGELOG_INLINE: "InMemoryChangelogStateHandle",
    KeyedKind.CHANGELOG_FILES: "ChangelogStateHandleStreamImpl",
}


class AsFlink:
    """One snapshot in the words of ``truth.json``."""

    def __init__(self, path: Path, mappings: tuple[PathMapping, ...]) -> None:
        self._place = SnapshotPlace(str(path), mappings)
        self._raw = Path(self._place.metadata).read_bytes()
        with self._place.open_metadata() as stream:
            reader = MetadataReader(stream, str(path), detail=True)
            self.operators = [self._operator(e, list(e.subtasks)) for e in reader.operators()]
            self.head = {
                "metadata_bytes": reader.size,
                "metadata_version": reader.version,
                "checkpoint_id": reader.checkpoint_id,
                "master_states": [
                    {"name": m.name, "version": m.version, "bytes": m.size} for m in reader.master_states
                ],
                "properties": properties(reader.properties()),
            }

    def _operator(self, entry: OperatorEntry, subtasks: list[SubtaskState]) -> dict[str, Any]:
        names: set[str] = set()
        parts = {str(s.index): self._subtask(s, names) for s in sorted(subtasks, key=lambda s: s.index)}
        coordinator = entry.coordinator.size if entry.coordinator else None
        return {
            "operator_id": entry.operator_id,
            "name": entry.name,
            "uid": entry.uid or None,
            "parallelism": entry.parallelism,
            "max_parallelism": entry.max_parallelism,
            "fully_finished": entry.fully_finished,
            "coordinator_state_bytes": coordinator,
            "state_size": (coordinator or 0) + sum(s.size for s in subtasks),
            "subtasks_present": [int(i) for i in parts],
            "finished_subtasks": [s.index for s in sorted(subtasks, key=lambda s: s.index) if s.finished],
            "has_state": any(s.has_state for s in subtasks),
            "state_names": sorted(names),
            "subtasks": parts,
        }

    def _subtask(self, state: SubtaskState, names: set[str]) -> dict[str, Any]:
        def some(handle: Any, make: Any) -> list[Any]:
            return [] if handle is None else [make(handle, names)]

        return {
            "finished": state.finished,
            "has_state": state.has_state,
            "state_size": state.size,
            "managed_operator": some(state.managed_operator, self._operator_handle),
            "raw_operator": some(state.raw_operator, self._operator_handle),
            "managed_keyed": some(state.managed_keyed, self._keyed_handle),
            "raw_keyed": some(state.raw_keyed, _raw_keyed),
            "input_channel": [self._channel(c, names) for c in state.input_channels],
            "result_subpartition": [self._channel(c, names) for c in state.result_subpartitions],
        }

    def _stream(self, handle: StreamHandle) -> dict[str, Any]:
        out: dict[str, Any] = {"type": _STREAMS[handle.kind], "size": handle.size}
        if handle.kind is StreamKind.INLINE:
            assert handle.position is not None
            out["handle_name"] = handle.name
            out["sha1"] = hashlib.sha1(self._raw[handle.position : handle.position + handle.size]).hexdigest()
        elif handle.kind is StreamKind.RELATIVE:
            out["relative_path"] = handle.path
        elif handle.kind in (StreamKind.SEGMENT, StreamKind.EMPTY_SEGMENT):
            out |= {"StartPos": handle.start, "Scope": handle.scope, "LogicalFileId": handle.logical_id}
        else:
            out["file_path"] = handle.path
        return out

    def _offsets(self, offsets: Offsets) -> list[int]:
        raw = self._raw[offsets.position : offsets.position + 8 * offsets.count]
        values = [int.from_bytes(raw[i : i + 8], "big") for i in range(0, len(raw), 8)]
        assert offsets.first == min((v for v in values if v), default=None)
        assert offsets.present == sum(1 for v in values if v)
        return values

    def _keyed_handle(self, handle: KeyedHandle, names: set[str]) -> dict[str, Any]:
        out: dict[str, Any] = {"type": _KEYED[handle.kind], "size": handle.size}
        for key, value in (
            ("StateHandleId", handle.handle_id),
            ("CheckpointId", handle.checkpoint_id),
            ("BackendIdentifier", handle.backend_id),
            ("CheckpointedSize", handle.checkpointed_size),
            ("MaterializationID", handle.materialization_id),
            ("StorageIdentifier", handle.storage_id),
        ):
            if value is not None:
                out[key] = value
        out["key_groups"] = _range(handle)
        if handle.offsets and handle.stream:
            out["offsets"] = self._offsets(handle.offsets)
            out["delegate"] = self._stream(handle.stream)
            out["keyed_header"] = self._keyed_header(handle.stream, handle.offsets.first, names)
        if handle.shared and handle.private and handle.stream:
            out["meta"] = self._stream(handle.stream)
            out["keyed_header"] = self._keyed_header(handle.stream, handle.stream.size, names)
            for key, files in (("shared", handle.shared), ("private", handle.private)):
                assert files.files is not None
                assert files.count == len(files.files)
                out[key] = [{"local_path": n, "handle": self._stream(h)} for n, h in files.files]
        if handle.kind is KeyedKind.CHANGELOG:
            out["materialized"] = [self._keyed_handle(h, names) for h in handle.base]
            out["non_materialized"] = [self._keyed_handle(h, names) for h in handle.delta]
        if handle.kind is KeyedKind.CHANGELOG_FILES:
            out["handles_and_offsets"] = [{"offset": o, "handle": self._stream(h)} for o, h in handle.files]
        return out

    def _keyed_header(self, stream: StreamHandle, end: int | None, names: set[str]) -> dict[str, Any]:
        header = read_header(self._place, HeaderSource(subtask=0, stream=stream, end=end), keyed=True)
        assert isinstance(header, KeyedHeader)
        assert header.complete
        return {
            "version": header.version,
            "compressed": header.compressed,
            "key_serializer": _snapshot(header.key_serializer),
            "states": [_meta(m, names) for m in header.states],
            "header_end": header.end,
        }

    def _operator_handle(self, handle: OperatorHandle, names: set[str]) -> dict[str, Any]:
        merging = handle.code == 17
        kind = "EmptyFileMerging" if handle.empty else "FileMerging" if merging else ""
        out: dict[str, Any] = {"type": f"{kind}OperatorStreamStateHandle", "size": handle.size}
        if merging:
            out["CheckpointedSize"] = handle.size
            out["TaskOwnedDirHandle"] = f"DirectoryStreamStateHandle{{directory={handle.task_owned_directory}}}"
            out["SharedDirHandle"] = f"DirectoryStreamStateHandle{{directory={handle.shared_directory}}}"
        out["partitions"] = {p.name: {"mode": p.mode.value, "offsets": self._offsets(p.offsets)} for p in handle.states}
        names.update(f"operator:{p.name}" for p in handle.states)
        out["delegate"] = self._stream(handle.stream)
        if handle.size:
            first = min((p.offsets.first for p in handle.states if p.offsets.first is not None), default=None)
            source = HeaderSource(subtask=0, stream=handle.stream, end=first)
            header = read_header(self._place, source, keyed=False)
            assert isinstance(header, OperatorHeader)
            assert header.complete
            out["operator_header"] = {
                "version": header.version,
                "compressed": header.compressed,
                "operator_states": [_meta(m, names) for m in header.operator_states],
                "broadcast_states": [_meta(m, names) for m in header.broadcast_states],
                "header_end": header.end,
            }
        return out

    def _channel(self, handle: ChannelHandle, names: set[str]) -> dict[str, Any]:
        side = "InputChannel" if handle.input else "ResultSubpartition"
        if handle.gate is None:
            return {"type": f"Merged{side}StateHandle", "size": handle.size, "SubtaskIndex": handle.subtask}
        assert handle.offsets is not None
        gate, channel = ("gateIdx", "inputChannelIdx") if handle.input else ("partitionIdx", "subPartitionIdx")
        return {
            "type": f"{side}StateHandle",
            "size": handle.size,
            "SubtaskIndex": handle.subtask,
            "Info": f"{side}Info{{{gate}={handle.gate}, {channel}={handle.channel}}}",
            "Offsets": self._offsets(handle.offsets),
            "delegate": self._stream(handle.stream),
        }


def _range(handle: KeyedHandle) -> str:
    return f"{handle.first_key_group}..{handle.first_key_group + handle.key_groups - 1}"


def _raw_keyed(handle: KeyedHandle, names: set[str]) -> dict[str, Any]:
    return {"type": _KEYED[handle.kind], "size": handle.size, "key_groups": _range(handle)}


def _snapshot(snapshot: SerializerSnapshot) -> dict[str, Any]:
    out: dict[str, Any] = {"class": snapshot.class_name, "version": snapshot.version}
    if snapshot.nested:
        out["nested"] = [_snapshot(n) for n in snapshot.nested]
    return out


def _meta(meta: StateMeta, names: set[str]) -> dict[str, Any]:
    options = f":[{', '.join(v for _, v in meta.options)}]" if meta.options else ""
    names.add(f"{meta.backend_type.name.lower()}:{meta.name}{options}")
    return {
        "name": meta.name,
        "backend_type": meta.backend_type.name,
        "backend_type_ordinal": meta.backend_type.value,
        "options": dict(meta.options),
        "serializers": {role: _snapshot(s) for role, s in meta.serializers},
    }


def properties(read: CheckpointProperties | None) -> str:
    """``CheckpointProperties.toString``."""
    if read is None:
        return "null"

    def word(value: bool) -> str:
        return str(value).lower()

    if read.format is not None:
        kind = f"SavepointType{{name='{read.type}', postCheckpointAction={read.action}, formatType={read.format}}}"
    else:
        kind = f"CheckpointType{{name='{read.type}', sharingFilesStrategy={read.sharing}}}"
    return (
        f"CheckpointProperties{{forced={word(read.forced)}, checkpointType={kind}, "
        f"discardSubsumed={word(read.discard_subsumed)}, discardFinished={word(read.discard_finished)}, "
        f"discardCancelled={word(read.discard_cancelled)}, discardFailed={word(read.discard_failed)}, "
        f"discardSuspended={word(read.discard_suspended)}}}"
    )
