"""A whole snapshot in a small record: every operator's state, summed over its subtasks.

However many subtasks an operator has, its record stays the same size: what grows with them is only counted.
"""

from __future__ import annotations

from checker.errors import SavepointError
from checker.model.savepoint import FileCounts, OperatorState, OperatorStateName, StateSizes
from checker.model.state_handles import (
    DistributionMode,
    KeyedHandle,
    KeyedKind,
    OperatorHandle,
    StreamHandle,
    StreamKind,
    SubtaskState,
)
from checker.model.state_headers import HeaderSource
from checker.savepoint.handles import MAX_STATE_NAMES
from checker.savepoint.metadata import OperatorEntry

MAX_HEADERS = 64
"""Headers remembered per operator and kind."""


class OperatorSummary:
    """Sums up the subtasks of one operator as they are read."""

    def __init__(self, entry: OperatorEntry) -> None:
        self._entry = entry
        self._present = bytearray((entry.parallelism + 7) // 8)
        self._finished = bytearray(len(self._present))
        self._has_state = False
        self._sizes = dict.fromkeys(
            ("managed_operator", "raw_operator", "managed_keyed", "raw_keyed", "inputs", "outputs"), 0
        )
        self._names: dict[tuple[str, DistributionMode], int] = {}
        self._kinds: set[KeyedKind] = set()
        self._key_groups = 0
        self._channels = {"inputs": False, "outputs": False}
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
        if subtask.managed_operator:
            self._operator_handle(subtask.managed_operator)
            self._sizes["managed_operator"] += subtask.managed_operator.size
        if subtask.raw_operator:
            self._sizes["raw_operator"] += subtask.raw_operator.size
        if subtask.managed_keyed:
            self._keyed_handle(subtask.managed_keyed)
            self._sizes["managed_keyed"] += subtask.managed_keyed.size
            self._key_groups += subtask.managed_keyed.key_groups
        if subtask.raw_keyed:
            self._sizes["raw_keyed"] += subtask.raw_keyed.size
        for side, size in (("inputs", subtask.input_data), ("outputs", subtask.output_data)):
            self._channels[side] = self._channels[side] or size is not None
            self._sizes[side] += size or 0

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
        entry, sizes = self._entry, self._sizes
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
            sizes=StateSizes(
                coordinator=entry.coordinator.size if entry.coordinator else 0,
                managed_operator=sizes["managed_operator"],
                raw_operator=sizes["raw_operator"],
                managed_keyed=sizes["managed_keyed"],
                raw_keyed=sizes["raw_keyed"],
                input_channels=sizes["inputs"],
                result_subpartitions=sizes["outputs"],
            ),
            operator_states=tuple(
                OperatorStateName(name=name, mode=mode, entries=count)
                for (name, mode), count in sorted(self._names.items())
            ),
            keyed_kinds=tuple(sorted(self._kinds)),
            key_groups=self._key_groups,
            input_state=self._channels["inputs"],
            output_state=self._channels["outputs"],
            keyed_headers=tuple(self._keyed),
            operator_headers=tuple(self._operator),
            files=FileCounts(relative=self._relative, absolute=self._absolute),
        )
