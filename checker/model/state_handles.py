"""Where the bytes of a snapshot lie: the handles of one subtask, as ``_metadata`` lists them.

Names follow Flink: a *subtask state* is what one parallel instance left, a *handle* says where bytes lie. Sizes are
bytes, positions are offsets into ``_metadata``. Inline bytes are kept as a position and a size, so a record stays small
however big the snapshot is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StreamKind(StrEnum):
    """Where the bytes of a stream handle lie."""

    INLINE = "inline"
    FILE = "file"
    RELATIVE = "relative"
    SEGMENT = "segment"
    EMPTY_SEGMENT = "empty-segment"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamHandle:
    """A ``StreamStateHandle``. ``path`` is absolute for files and segments, a bare name for relative ones.

    ``position`` is where inline bytes, or the handle of a whole file, begin in ``_metadata``; ``start`` where a segment
    begins in its file.
    """

    kind: StreamKind
    size: int
    name: str | None = None
    path: str | None = None
    position: int | None = None
    start: int = 0
    scope: str | None = None
    logical_id: str | None = None


class KeyedKind(StrEnum):
    """What a keyed handle is, as far as it decides who can read it."""

    CANONICAL = "canonical"
    """``KeyGroupsSavepointStateHandle``: any backend restores it."""
    HEAP = "heap"
    """``KeyGroupsStateHandle``: the hash map backend's own format."""
    INCREMENTAL = "incremental"
    """``IncrementalRemoteKeyedStateHandle``: RocksDB or ForSt."""
    CHANGELOG = "changelog"
    CHANGELOG_INLINE = "changelog-inline"
    CHANGELOG_FILES = "changelog-files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offsets:
    """A run of big-endian i64 offsets inside ``_metadata``, not loaded: where it is, how many, and two facts.

    ``first`` is the smallest offset that is not 0 (None when all are), ``present`` how many are not 0. In a
    canonical handle 0 means that the key group has no entry.
    """

    position: int
    count: int
    first: int | None
    present: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMap:
    """The files of an incremental handle by their local name. ``files`` is None when only totals were asked for."""

    count: int
    size: int
    files: tuple[tuple[str, StreamHandle], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedHandle:
    """A ``KeyedStateHandle``. ``stream`` holds the header: the delegate of key groups, the meta of increments.

    ``base`` and ``delta`` are the materialized and the not yet materialized part of a changelog handle;
    ``files`` are its delta files with the offset at which each begins.
    """

    kind: KeyedKind
    code: int
    first_key_group: int
    key_groups: int
    size: int
    checkpointed_size: int | None = None
    handle_id: str | None = None
    checkpoint_id: int | None = None
    backend_id: str | None = None
    materialization_id: int | None = None
    storage_id: str | None = None
    sequence: tuple[int, int] | None = None
    stream: StreamHandle | None = None
    offsets: Offsets | None = None
    shared: FileMap | None = None
    private: FileMap | None = None
    base: tuple[KeyedHandle, ...] = ()
    delta: tuple[KeyedHandle, ...] = ()
    files: tuple[tuple[int, StreamHandle], ...] = ()


class DistributionMode(StrEnum):
    """``OperatorStateHandle.Mode``: how list entries are dealt out on restore."""

    SPLIT_DISTRIBUTE = "SPLIT_DISTRIBUTE"
    UNION = "UNION"
    BROADCAST = "BROADCAST"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorStatePart:
    """One named state inside an operator handle; each offset is an entry of the list (or the broadcast map)."""

    name: str
    mode: DistributionMode
    offsets: Offsets


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorHandle:
    """An ``OperatorStateHandle``, with the directories that file merging adds (code 17)."""

    code: int
    states: tuple[OperatorStatePart, ...]
    stream: StreamHandle
    task_owned_directory: str | None = None
    shared_directory: str | None = None
    empty: bool = False

    @property
    def size(self) -> int:
        """Bytes of the state it points to."""
        return self.stream.size


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelHandle:
    """In-flight data of an unaligned checkpoint. ``gate`` and ``channel`` are None on merged handles (2.1+)."""

    input: bool
    subtask: int
    size: int
    stream: StreamHandle
    gate: int | None = None
    channel: int | None = None
    offsets: Offsets | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskState:
    """An ``OperatorSubtaskState``: everything that one parallel instance left."""

    index: int
    finished: bool = False
    managed_operator: OperatorHandle | None = None
    raw_operator: OperatorHandle | None = None
    managed_keyed: KeyedHandle | None = None
    raw_keyed: KeyedHandle | None = None
    input_channels: tuple[ChannelHandle, ...] = ()
    result_subpartitions: tuple[ChannelHandle, ...] = ()
    reused_from: int | None = None
    """The checkpoint that this state was taken over from (metadata version 7)."""

    @property
    def has_state(self) -> bool:
        """``hasState``: whether any handle is there at all; neither size nor content count."""
        return bool(
            self.managed_operator
            or self.raw_operator
            or self.managed_keyed
            or self.raw_keyed
            or self.input_channels
            or self.result_subpartitions
        )

    @property
    def size(self) -> int:
        """Bytes of all handles, as ``getStateSize`` counts them."""
        handles = (self.managed_operator, self.raw_operator, self.managed_keyed, self.raw_keyed)
        channels = (*self.input_channels, *self.result_subpartitions)
        return sum(h.size for h in handles if h) + sum(c.size for c in channels)
