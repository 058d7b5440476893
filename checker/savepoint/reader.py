"""A savepoint, read: metadata, state headers, and whether the files it names are there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from io import BytesIO
from typing import BinaryIO

from checker.errors import SavepointError
from checker.model.savepoint import MissingFiles, OperatorState, Rewritten, Savepoint
from checker.model.secrets import masked
from checker.model.state_handles import StreamHandle
from checker.model.translation import OperatorId
from checker.savepoint.headers import read_headers
from checker.savepoint.metadata import MetadataReader
from checker.savepoint.places import PathMapping, SnapshotPlace
from checker.savepoint.summary import OperatorSummary

REWRITTEN = "rewritten.json"
"""What was rewritten, beside the metadata that it was rewritten to."""
_MOST_OF_REWRITTEN = 1 << 26
_MISSING_SHOWN = 20
_REMEMBERED = 100_000
MOST_BYTES = 16 << 30
"""Bytes of metadata, beyond which it is not read."""
_MOST_ASKED = 500
"""Files on remote storage outside of the snapshot's folder that are looked for, one request each."""


def read_savepoint(
    path: str,
    *,
    mappings: Sequence[PathMapping] = (),
    headers: bool = True,
    check_files: bool = True,
) -> Savepoint:
    """Read the savepoint or checkpoint at a path or URL, as Flink's ``-s`` takes it.

    ``headers`` reads the names and serializers of states out of the state files; ``check_files`` looks whether
    every file that the metadata names is there. Raises SavepointError when the metadata can't be read; a state file
    that can't be is said in the records.
    """
    place = SnapshotPlace(path, mappings)
    with place.open_metadata() as stream:
        check = FileCheck(place) if check_files else None
        savepoint = read_metadata(stream, path, check)
    savepoint = replace(savepoint, rewritten=_rewritten(place, savepoint.metadata_sha256))
    if headers:
        operators = tuple(replace(o, headers=read_headers(place, o)) for o in savepoint.operators)
        savepoint = replace(savepoint, operators=operators)
    return savepoint


def read_metadata(stream: BinaryIO, path: str, check: FileCheck | None = None) -> Savepoint:
    """The metadata alone, from a seekable stream. Raises SavepointError."""
    path = masked(path)
    current: OperatorSummary | None = None
    owner = OperatorId("")

    def on_file(handle: StreamHandle) -> None:
        if current is not None:
            current.file(handle)
        if check is not None:
            check.look_for(owner, handle)

    if stream.seek(0, os.SEEK_END) > MOST_BYTES:
        raise SavepointError(f"{path} has more than {MOST_BYTES >> 30} GiB: no metadata of a savepoint is so large.")
    stream.seek(0)
    reader = MetadataReader(stream, path, on_file=on_file)
    operators: list[OperatorState] = []
    seen: set[OperatorId] = set()
    for entry in reader.operators():
        owner = entry.operator_id
        if owner in seen:
            raise SavepointError(
                f"{path} is damaged or not Flink's: operator {owner} occurs twice. Take the savepoint again."
            )
        seen.add(owner)
        current = OperatorSummary(entry)
        for subtask in entry.subtasks:
            current.add(subtask)
        operators.append(current.finish())
    properties = reader.properties()
    return Savepoint(
        path=path,
        metadata_version=reader.version,
        metadata_size=reader.size,
        metadata_sha256=_sha256(stream),
        checkpoint_id=reader.checkpoint_id,
        master_states=reader.master_states,
        operators=tuple(operators),
        properties=properties,
        files=check.result() if check else None,
    )


def _rewritten(place: SnapshotPlace, sha256: str | None) -> Rewritten | None:
    """What stands beside the metadata of its being rewritten, if that is of just this metadata."""
    try:
        with closing(place.open_beside(REWRITTEN) or BytesIO()) as stream:
            document = json.loads(stream.read(_MOST_OF_REWRITTEN))
        source, changes = document["source"], document["changes"]
        if document["sha256"] == sha256 and all(isinstance(change, str) for change in changes):
            return Rewritten(source=str(source["path"]), sha256=str(source["sha256"]), changes=tuple(changes))
    except (SavepointError, OSError, ValueError, LookupError, TypeError, RecursionError):
        pass
    return None


def _sha256(stream: BinaryIO) -> str:
    """The checksum of a whole stream."""
    digest = hashlib.sha256()
    stream.seek(0)
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


class FileCheck:
    """Looks whether state files are there, as the metadata is read."""

    def __init__(self, place: SnapshotPlace) -> None:
        self._place = place
        self._known: dict[str, bool] = {}
        self._total = self._checked = self._missing_count = 0
        self._missing: list[str] = []
        self._owners: list[OperatorId] = []
        self._unreachable: list[str] = []
        self._asked = 0

    def look_for(self, owner: OperatorId, handle: StreamHandle) -> None:
        """Look for one file; a file named many times is looked for once."""
        self._total += 1
        path = handle.path or ""
        there = self._known.get(path)
        if there is None:
            if self._place.is_remote(handle):
                if self._asked >= _MOST_ASKED:
                    self._note(f"of absolute paths on remote storage only the first {_MOST_ASKED} were looked for")
                    return
                self._asked += 1
            try:
                there = self._place.has(handle)
            except SavepointError as error:
                self._note(str(error))
                return
            if len(self._known) < _REMEMBERED:
                self._known[path] = there
            if not there:
                self._missing_count += 1
                if len(self._missing) < _MISSING_SHOWN:
                    self._missing.append(masked(path))
        self._checked += 1
        if not there and owner not in self._owners and len(self._owners) < _MISSING_SHOWN:
            self._owners.append(owner)

    def _note(self, reason: str) -> None:
        if reason not in self._unreachable and len(self._unreachable) < _MISSING_SHOWN:
            self._unreachable.append(reason)

    def result(self) -> MissingFiles:
        """What was found so far."""
        return MissingFiles(
            checked=self._checked,
            total=self._total,
            missing=tuple(self._missing),
            missing_count=self._missing_count,
            owners=tuple(self._owners),
            unreachable=tuple(self._unreachable),
        )
