"""Savepoints of which only the metadata is at hand: what tests make, and what they damage."""

from dataclasses import replace
from io import BytesIO
from typing import BinaryIO

from checker.errors import SavepointError
from checker.model.savepoint import Savepoint
from checker.model.state_handles import StreamHandle, StreamKind
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.reader import read_metadata
from checker.savepoint.state_files import read_headers


def read_savepoint_bytes(path: str, metadata: bytes) -> Savepoint:
    """The same from metadata alone, without state files: headers of inline state are read. Raises SavepointError."""
    savepoint = read_metadata(BytesIO(metadata), path, None)
    place = _MetadataOnly(path, metadata)
    return replace(savepoint, operators=tuple(replace(o, headers=read_headers(place, o)) for o in savepoint.operators))


class _MetadataOnly(SnapshotPlace):
    """A snapshot of which only the metadata is at hand."""

    def __init__(self, path: str, metadata: bytes) -> None:
        self.path = path
        self._bytes = metadata

    def open_metadata(self) -> BinaryIO:
        return BytesIO(self._bytes)

    def open_stream(self, handle: StreamHandle) -> tuple[BinaryIO, int, int]:
        if handle.kind is not StreamKind.INLINE:
            raise SavepointError(f"{handle.path} was not read: only the metadata is at hand.")
        return super().open_stream(handle)
