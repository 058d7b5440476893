"""Every handle of a snapshot as plain data, in the names of Flink's own classes.

For people who look for one file or one key-group range, and for comparing what is read here with what Flink reads.
One operator is in memory at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from checker.errors import SavepointError
from checker.model.nested import Json, picked
from checker.model.savepoint import CheckpointProperties
from checker.model.secrets import masked
from checker.model.state_handles import (
    ChannelHandle,
    KeyedHandle,
    KeyedKind,
    Offsets,
    OperatorHandle,
    StreamHandle,
    StreamKind,
    SubtaskState,
)
from checker.model.state_headers import HeaderSource, KeyedHeader, SerializerSnapshot, StateMeta
from checker.savepoint.headers import read_header
from checker.savepoint.metadata import MetadataReader, OperatorEntry
from checker.savepoint.places import SnapshotPlace

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


H = TypeVar("H")
_PIECE = 1 << 20


class SnapshotDetails:
    """One snapshot, handle by handle. ``operators`` may be walked once."""

    def __init__(self, place: SnapshotPlace) -> None:
        self._place = place
        self._metadata = place.open_metadata()
        self._reader = MetadataReader(place.open_metadata(), place.path, detail=True)

    def operators(self) -> Iterator[Json]:
        """Every operator state in file order. Raises SavepointError for damaged metadata."""
        for entry in self._reader.operators():
            yield self._operator(entry, list(entry.subtasks))

    def _operator(self, entry: OperatorEntry, subtasks: list[SubtaskState]) -> Json:
        names: set[str] = set()
        subtasks.sort(key=lambda s: s.index)
        parts = {str(s.index): self._subtask(s, names) for s in subtasks}
        coordinator = entry.coordinator.size if entry.coordinator else None
        return {
            **picked(entry, "operator_id", "name"),
            "uid": entry.uid or None,
            **picked(entry, "parallelism", "max_parallelism", "fully_finished"),
            "coordinator_state_bytes": coordinator,
            "state_size": (coordinator or 0) + sum(s.size for s in subtasks),
            "subtasks_present": [s.index for s in subtasks],
            "finished_subtasks": [s.index for s in subtasks if s.finished],
            "has_state": any(s.has_state for s in subtasks),
            "state_names": sorted(names),
            "subtasks": parts,
        }

    def _subtask(self, state: SubtaskState, names: set[str]) -> Json:
        def some(handle: H | None, make: Callable[[H, set[str]], Json]) -> list[Json]:
            return [] if handle is None else [make(handle, names)]

        return {
            **picked(state, "finished", "has_state"),
            "state_size": state.size,
            "managed_operator": some(state.managed_operator, self._operator_handle),
            "raw_operator": some(state.raw_operator, self._operator_handle),
            "managed_keyed": some(state.managed_keyed, self._keyed_handle),
            "raw_keyed": some(state.raw_keyed, _raw_keyed),
            "input_channel": [self._channel(c) for c in state.input_channels],
            "result_subpartition": [self._channel(c) for c in state.result_subpartitions],
        }

    def _raw(self, position: int, size: int) -> Iterator[bytes]:
        """Bytes of the metadata file, a piece at a time."""
        self._metadata.seek(position)
        while size:
            piece = self._metadata.read(min(size, _PIECE))
            if not piece:
                raise SavepointError(f"{self._place.path} was cut short while it was read. Try again.")
            size -= len(piece)
            yield piece

    def _stream(self, handle: StreamHandle) -> Json:
        out: Json = {"type": _STREAMS[handle.kind], "size": handle.size}
        if handle.kind is StreamKind.INLINE:
            digest = hashlib.sha1(usedforsecurity=False)
            for piece in self._raw(handle.position or 0, handle.size):
                digest.update(piece)
            out |= {"handle_name": handle.name, "sha1": digest.hexdigest()}
        elif handle.kind is StreamKind.RELATIVE:
            out["relative_path"] = handle.path
        elif handle.kind in (StreamKind.SEGMENT, StreamKind.EMPTY_SEGMENT):
            out |= {"StartPos": handle.start, "Scope": handle.scope, "LogicalFileId": handle.logical_id}
        else:
            out["file_path"] = masked(handle.path or "")
        return out

    def _offsets(self, offsets: Offsets) -> list[int]:
        raw = b"".join(self._raw(offsets.position, 8 * offsets.count))
        return [int.from_bytes(raw[i : i + 8], "big") for i in range(0, len(raw), 8)]

    def _keyed_handle(self, handle: KeyedHandle, names: set[str]) -> Json:
        out: Json = {"type": _KEYED[handle.kind], "size": handle.size}
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
        if handle.sequence is not None:
            out |= {"From": handle.sequence[0], "To": handle.sequence[1]}
        out["key_groups"] = _range(handle)
        if handle.offsets and handle.stream:
            out["offsets"] = self._offsets(handle.offsets)
            out["delegate"] = self._stream(handle.stream)
            out |= self._header(handle.stream, handle.offsets.first, names, keyed=True)
        if handle.shared and handle.private and handle.stream:
            out["meta"] = self._stream(handle.stream)
            out |= self._header(handle.stream, handle.stream.size, names, keyed=True)
            for key, files in (("shared", handle.shared), ("private", handle.private)):
                out[key] = [{"local_path": n, "handle": self._stream(h)} for n, h in files.files or ()]
        if handle.kind is KeyedKind.CHANGELOG:
            out["materialized"] = [self._keyed_handle(h, names) for h in handle.base]
            out["non_materialized"] = [self._keyed_handle(h, names) for h in handle.delta]
        if handle.kind is KeyedKind.CHANGELOG_FILES:
            out["handles_and_offsets"] = [{"offset": o, "handle": self._stream(h)} for o, h in handle.files]
        return out

    def _header(self, stream: StreamHandle, end: int | None, names: set[str], *, keyed: bool) -> Json:
        """The header that a stream of state begins with, or why it can't be read."""
        part = "keyed_header" if keyed else "operator_header"
        try:
            header = read_header(self._place, HeaderSource(subtask=0, stream=stream, end=end), keyed=keyed)
        except SavepointError as error:
            return {f"{part}_error": str(error)}
        document = picked(header, "version", "compressed")
        if isinstance(header, KeyedHeader):
            document["key_serializer"] = serializer_document(header.key_serializer)
            document["states"] = [_meta(m, names) for m in header.states]
        else:
            document["operator_states"] = [_meta(m, names) for m in header.operator_states]
            document["broadcast_states"] = [_meta(m, names) for m in header.broadcast_states]
        return {part: {**document, "header_end": header.end}}

    def _operator_handle(self, handle: OperatorHandle, names: set[str]) -> Json:
        merging = handle.code == 17
        kind = "EmptyFileMerging" if handle.empty else "FileMerging" if merging else ""
        out: Json = {"type": f"{kind}OperatorStreamStateHandle", "size": handle.size}
        if merging:
            out["CheckpointedSize"] = handle.size
            out["TaskOwnedDirHandle"] = f"DirectoryStreamStateHandle{{directory={handle.task_owned_directory}}}"
            out["SharedDirHandle"] = f"DirectoryStreamStateHandle{{directory={handle.shared_directory}}}"
        out["partitions"] = {p.name: {"mode": p.mode.value, "offsets": self._offsets(p.offsets)} for p in handle.states}
        names.update(f"operator:{p.name}" for p in handle.states)
        out["delegate"] = self._stream(handle.stream)
        if handle.size:
            first = min((p.offsets.first for p in handle.states if p.offsets.first is not None), default=None)
            out |= self._header(handle.stream, first, names, keyed=False)
        return out

    def _channel(self, handle: ChannelHandle) -> Json:
        side = "InputChannel" if handle.input else "ResultSubpartition"
        if handle.gate is None or handle.offsets is None:
            return {"type": f"Merged{side}StateHandle", "size": handle.size, "SubtaskIndex": handle.subtask}
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


def _raw_keyed(handle: KeyedHandle, names: set[str]) -> Json:
    return {"type": _KEYED[handle.kind], "size": handle.size, "key_groups": _range(handle)}


def serializer_document(snapshot: SerializerSnapshot) -> Json:
    """A serializer snapshot; what only some have (class, fields, constants, schema) is left out where absent."""
    out: Json = {"class": snapshot.class_name, "version": snapshot.version}
    if snapshot.type_name is not None:
        out["type"] = snapshot.type_name
    if snapshot.fields:
        out["fields"] = {f.name: serializer_document(f.serializer) if f.serializer else None for f in snapshot.fields}
    if snapshot.constants:
        out["constants"] = list(snapshot.constants)
    if snapshot.schema is not None:
        out["schema"] = snapshot.schema
    if snapshot.types:
        out["sql_types"] = list(snapshot.types)
    if not snapshot.read:
        out["body"] = "skipped"
    if snapshot.nested:
        out["nested"] = [serializer_document(n) for n in snapshot.nested]
    return out


def state_meta_document(meta: StateMeta) -> Json:
    """A registered state with its serializers by role."""
    return {
        "name": meta.name,
        "backend_type": meta.backend_type.name,
        "backend_type_ordinal": meta.backend_type.value,
        "options": dict(meta.options),
        "serializers": {role: serializer_document(s) for role, s in meta.serializers},
    }


def state_label(meta: StateMeta) -> str:
    """``key_value:lst:[LIST]``: kind, name and options in one word."""
    options = f":[{', '.join(v for _, v in meta.options)}]" if meta.options else ""
    return f"{meta.backend_type.name.lower()}:{meta.name}{options}"


def _meta(meta: StateMeta, names: set[str]) -> Json:
    names.add(state_label(meta))
    return state_meta_document(meta)


def properties_text(read: CheckpointProperties | None) -> str | None:
    """``CheckpointProperties.toString``; None below metadata version 4."""
    if read is None:
        return None

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
