"""Savepoint metadata under other operator ids: bytes at known places are exchanged, all others stay as they are.

What lies inside of states (names, types, serializers), coordinator state, finished flags and in-flight data are copied
as they stand. The file is streamed, however large it is.
"""

from collections.abc import Mapping
from dataclasses import replace
from struct import Struct
from typing import BinaryIO

from checker.errors import SavepointError
from checker.model.savepoint import FileCounts, Move, OperatorState, Savepoint
from checker.model.state_handles import StreamHandle, StreamKind
from checker.model.translation import OperatorId
from checker.savepoint.cursor import encode_modified_utf8
from checker.savepoint.metadata import MetadataReader
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.reader import read_metadata

NEWEST_VERSION = 6
"""Of metadata that is rewritten: that of no released Flink is newer, and what is not released may still change."""
WITH_UIDS = 5
"""The first version of metadata that holds names and uids of operators."""
_PIECE = 1 << 20
_I64 = Struct(">q")


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


def write_rewritten(place: SnapshotPlace, target: BinaryIO, moves: Mapping[OperatorId, Move]) -> None:
    """Write the metadata of a snapshot with operators under other ids. Raises SavepointError.

    Files beside the metadata are named by absolute paths, so that they are found from elsewhere.
    """

    def on_file(handle: StreamHandle) -> None:
        if handle.kind is StreamKind.RELATIVE and handle.position is not None:
            written = b"\x02" + _I64.pack(handle.size) + _text(place.absolute(handle.path or ""))
            splicer.replace(handle.position, reader.position, written)

    with place.open_metadata() as read, place.open_metadata() as copied:
        splicer = _Splicer(copied, target, place.path)
        reader = MetadataReader(read, place.path, on_file=on_file)
        for entry in reader.operators():
            move = moves.get(entry.operator_id)
            if move is not None:
                uid = _text(move.uid) if reader.version >= WITH_UIDS else b""
                splicer.replace(entry.uid_at, entry.id_at + 16, uid + bytes.fromhex(move.new))
            for _subtask in entry.subtasks:
                pass
        splicer.replace(reader.size, reader.size)


def check_rewritten(written: BinaryIO, name: str, before: Savepoint, moves: Mapping[OperatorId, Move]) -> None:
    """Reads again what was written. Raises SavepointError where it is not what was asked for."""
    after, expected = read_metadata(written, name), before.rewritten(moves.values())
    facts = (after.checkpoint_id, after.master_states, after.properties, after.metadata_version)
    if (
        facts != (before.checkpoint_id, before.master_states, before.properties, before.metadata_version)
        or [_comparable(o) for o in expected.operators] != [_comparable(o) for o in after.operators]
    ):  # fmt: skip
        raise SavepointError(f"{before.path} changed while it was rewritten, or can't be rewritten. Nothing is kept.")


def _comparable(state: OperatorState) -> OperatorState:
    """An operator without what says where its bytes lie."""
    files = FileCounts(absolute=state.files.absolute + state.files.relative)
    return replace(state, keyed_headers=(), operator_headers=(), files=files, headers=None)
