"""Savepoint metadata under other operator ids: bytes at known places are exchanged, all others stay as they are.

What lies inside of states (names, types, serializers), coordinator state, finished flags and in-flight data are copied
as they stand. The file is streamed, however large it is.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from struct import Struct
from typing import BinaryIO

from checker.errors import SavepointError
from checker.model.savepoint import FileCounts, OperatorState, Rewriting, Savepoint
from checker.model.state_handles import StreamHandle, StreamKind
from checker.savepoint.cursor import encode_modified_utf8
from checker.savepoint.metadata import MetadataReader, OperatorEntry
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.reader import read_metadata

NEWEST_VERSION = 6
"""Of metadata that is rewritten: that of no released Flink is newer, and what is not released may still change."""
WITH_UIDS = 5
"""The first version of metadata that holds names and uids of operators."""
_PIECE = 1 << 20
_I32 = Struct(">i")
_I64 = Struct(">q")

Renamed = Callable[[StreamHandle], "bytes | None"]
"""The bytes of another handle for a state file, None for one that stays as it is."""


def file_handle(path: str, size: int, *, relative: bool) -> bytes:
    """A ``FileStateHandle``, or with a bare name a ``RelativeFileStateHandle``, as Flink writes it."""
    if relative:
        return b"\x06" + _text(path) + _I64.pack(size)
    return b"\x02" + _I64.pack(size) + _text(path)


def absolute_handle(place: SnapshotPlace) -> Renamed:
    """What makes handles of files beside the metadata absolute, so that they can be named from elsewhere."""

    def renamed(handle: StreamHandle) -> bytes | None:
        if handle.kind is not StreamKind.RELATIVE:
            return None
        return file_handle(place.absolute(handle.path or ""), handle.size, relative=False)

    return renamed


def _text(text: str) -> bytes:
    encoded = encode_modified_utf8(text)
    if len(encoded) > 0xFFFF:
        raise SavepointError(f"{text[:100]}… is longer than Flink can write.")
    return len(encoded).to_bytes(2, "big") + encoded


class _Splicer:
    """Copies a file in order, with other bytes in some places."""

    def __init__(self, source: BinaryIO, target: BinaryIO, name: str) -> None:
        self._source, self._target, self._name = source, target, name
        self._at = 0

    def replace(self, start: int, end: int, data: bytes = b"") -> None:
        """Copy up to ``start``, write ``data`` and go on at ``end``."""
        left = start - self._at
        while left:
            piece = self._source.read(min(left, _PIECE))
            if not piece:
                raise SavepointError(f"{self._name} was cut short while it was read. Try again.")
            self._target.write(piece)
            left -= len(piece)
        self._target.write(data)
        self._source.seek(end)
        self._at = end


def write_rewritten(place: SnapshotPlace, target: BinaryIO, asked: Rewriting, renamed: Renamed) -> None:
    """Write the metadata of a snapshot as it was asked for. Raises SavepointError."""
    dropping = False

    def on_file(handle: StreamHandle) -> None:
        written = None if dropping else renamed(handle)
        if written is not None and handle.position is not None:
            splicer.replace(handle.position, reader.position, written)

    with place.open_metadata() as read, place.open_metadata() as copied:
        splicer = _Splicer(copied, target, place.path)
        reader = MetadataReader(read, place.path, on_file=on_file)
        if asked.drops:
            splicer.replace(reader.count_at, reader.count_at + 4, _I32.pack(reader.count - len(asked.drops)))
        for entry in reader.operators():
            dropping = entry.operator_id in asked.drops
            if not dropping:
                _rewrite_head(splicer, entry, asked, reader.version)
            for _subtask in entry.subtasks:
                pass
            if dropping:
                splicer.replace(entry.begin, reader.position)
        splicer.replace(reader.size, reader.size)


def _rewrite_head(splicer: _Splicer, entry: OperatorEntry, asked: Rewriting, version: int) -> None:
    move = asked.moves.get(entry.operator_id)
    if move is not None:
        uid = _text(move.uid) if version >= WITH_UIDS else b""
        splicer.replace(entry.uid_at, entry.id_at + 16, uid + bytes.fromhex(move.new))
    maximum = asked.max_parallelism.get(entry.operator_id)
    if maximum is not None:
        splicer.replace(entry.id_at + 20, entry.id_at + 24, _I32.pack(maximum))


def check_rewritten(written: BinaryIO, name: str, before: Savepoint, asked: Rewriting) -> Savepoint:
    """What was written, read again. Raises SavepointError where it is not what was asked for."""
    after = read_metadata(written, name)
    facts = (after.checkpoint_id, after.master_states, after.properties, after.metadata_version)
    if (
        facts != (before.checkpoint_id, before.master_states, before.properties, before.metadata_version)
        or [_comparable(o) for o in asked.result(before)] != [_comparable(o) for o in after.operators]
    ):  # fmt: skip
        raise SavepointError(f"{before.path} changed while it was rewritten, or can't be rewritten. Nothing is kept.")
    written.seek(0, os.SEEK_SET)
    return after


def _comparable(state: OperatorState) -> OperatorState:
    """An operator without what says where its bytes lie."""
    files = FileCounts(absolute=state.files.absolute + state.files.relative)
    return replace(state, keyed_headers=(), operator_headers=(), files=files, headers=None)
