"""A savepoint, read: metadata, state headers, and whether the files it names are there.

However many subtasks an operator has, its record stays the same size: what grows with them is only counted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO, cast

from checker.errors import SavepointError
from checker.model.savepoint import FileCounts, MissingFiles, OperatorState, OperatorStateName, Savepoint, StateSizes
from checker.model.secrets import masked
from checker.model.state_handles import (
    DistributionMode,
    HeaderSource,
    KeyedHandle,
    KeyedKind,
    OperatorHandle,
    StreamHandle,
    StreamKind,
    SubtaskState,
)
from checker.model.translation import OperatorId
from checker.savepoint.handles import MAX_STATE_NAMES
from checker.savepoint.metadata import MetadataReader, OperatorEntry
from checker.savepoint.places import PathMapping, SnapshotPlace
from checker.savepoint.state_files import read_headers

_MISSING_SHOWN = 20
_REMEMBERED = 100_000
MOST_BYTES = 16 << 30
"""Bytes of metadata, beyond which it is not read."""
MAX_HEADERS = 64
"""Headers remembered per operator and kind."""
_MOST_ASKED = 500
"""Files on remote storage outside of the snapshot's folder that are looked for, one request each."""


def read_savepoint(
    path: str, *, mappings: Sequence[PathMapping] = (), headers: bool = True, check_files: bool = True
) -> Savepoint:
    """Read the savepoint or checkpoint at a path or URL, as Flink's ``-s`` takes it.

    ``headers`` reads the names and serializers of states out of the state files; ``check_files`` looks whether
    every file that the metadata names is there. Raises SavepointError when the metadata can't be read; a state file
    that can't be is said in the records.
    """
    place = SnapshotPlace(path, mappings)
    try:
        with place.open_metadata() as stream:
            savepoint = read_metadata(stream, path, FileCheck(place) if check_files else None)
    except OSError as error:
        raise SavepointError(f"{place.path} can't be read: {error.strerror}.") from None
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
    stream.seek(0)
    return Savepoint(
        path=path,
        metadata_version=reader.version,
        metadata_size=reader.size,
        metadata_sha256=hashlib.file_digest(cast("Any", stream), "sha256").hexdigest(),
        checkpoint_id=reader.checkpoint_id,
        master_states=reader.master_states,
        operators=tuple(operators),
        properties=properties,
        files=check.result() if check else None,
    )


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


_HANDLES = ("managed_operator", "raw_operator", "managed_keyed", "raw_keyed")


class OperatorSummary:
    """Sums up the subtasks of one operator as they are read."""

    def __init__(self, entry: OperatorEntry) -> None:
        self._entry = entry
        self._present = bytearray((entry.parallelism + 7) // 8)
        self._finished = bytearray(len(self._present))
        self._has_state = False
        self._sizes = dict.fromkeys((*_HANDLES, "input_channels", "result_subpartitions"), 0)
        self._names: dict[tuple[str, DistributionMode], int] = {}
        self._kinds: set[KeyedKind] = set()
        self._key_groups = 0
        self._in_flight: set[str] = set()
        self._keyed: list[HeaderSource] = []
        self._operator: list[HeaderSource] = []
        self._relative = self._absolute = 0

    def add(self, subtask: SubtaskState) -> None:
        """Take one subtask into account."""
        place, bit = subtask.index >> 3, 1 << (subtask.index & 7)
        self._present[place] |= bit
        if subtask.finished:
            self._finished[place] |= bit
        self._has_state = self._has_state or subtask.has_state
        for name in _HANDLES:
            handle = getattr(subtask, name)
            self._sizes[name] += handle.size if handle else 0
        if subtask.managed_operator:
            self._operator_handle(subtask.managed_operator)
        if subtask.managed_keyed:
            self._keyed_handle(subtask.managed_keyed)
            self._key_groups += subtask.managed_keyed.key_groups
        for name, size in (("input_channels", subtask.input_data), ("result_subpartitions", subtask.output_data)):
            if size is not None:
                self._in_flight.add(name)
                self._sizes[name] += size

    def _operator_handle(self, handle: OperatorHandle) -> None:
        first: int | None = None
        for part in handle.states:
            key = part.name, part.mode
            self._names[key] = self._names.get(key, 0) + part.offsets.count
            if part.offsets.first is not None:
                first = part.offsets.first if first is None else min(first, part.offsets.first)
        if len(self._names) > MAX_STATE_NAMES:
            raise SavepointError(
                f"operator {self._entry.operator_id} has more than {MAX_STATE_NAMES} named operator states: "
                "the metadata is damaged or not Flink's. Take the savepoint again."
            )
        there = handle.stream.kind is not StreamKind.EMPTY_SEGMENT and handle.stream.size
        if there and len(self._operator) < MAX_HEADERS:
            self._operator.append(HeaderSource(stream=handle.stream, end=first))

    def _keyed_handle(self, handle: KeyedHandle) -> None:
        self._kinds.add(handle.kind)
        if handle.kind is KeyedKind.CHANGELOG:
            for base in handle.base:
                self._keyed_header(base)
                self._kinds.add(base.kind)
        else:
            self._keyed_header(handle)

    def _keyed_header(self, handle: KeyedHandle) -> None:
        if handle.stream is None or not handle.stream.size or len(self._keyed) == MAX_HEADERS:
            return
        end = handle.offsets.first if handle.offsets is not None else handle.stream.size
        self._keyed.append(HeaderSource(stream=handle.stream, end=end))

    def file(self, stream: StreamHandle) -> None:
        """Take a handle that names a file into account."""
        if stream.kind is StreamKind.RELATIVE:
            self._relative += 1
        else:
            self._absolute += 1

    def finish(self) -> OperatorState:
        """The record, once all subtasks were added."""
        entry = self._entry
        return OperatorState(
            operator_id=entry.operator_id,
            name=entry.name,
            uid=entry.uid,
            parallelism=entry.parallelism,
            max_parallelism=entry.max_parallelism,
            fully_finished=entry.fully_finished,
            has_coordinator_state=entry.coordinator is not None,
            present=int.from_bytes(self._present, "little"),
            finished=int.from_bytes(self._finished, "little"),
            has_subtask_state=self._has_state,
            sizes=StateSizes(coordinator=entry.coordinator.size if entry.coordinator else 0, **self._sizes),
            operator_states=tuple(
                OperatorStateName(name=name, mode=mode, entries=count)
                for (name, mode), count in sorted(self._names.items())
            ),
            keyed_kinds=tuple(sorted(self._kinds)),
            key_groups=self._key_groups,
            input_state="input_channels" in self._in_flight,
            output_state="result_subpartitions" in self._in_flight,
            keyed_headers=tuple(self._keyed),
            operator_headers=tuple(self._operator),
            files=FileCounts(relative=self._relative, absolute=self._absolute),
        )
