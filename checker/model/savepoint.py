"""A snapshot of a Flink job as its ``_metadata`` describes it: what exists, how big it is, where it lies.

Names follow Flink: an *operator state* is everything one operator left in the snapshot, a *subtask state* is
the part of one parallel instance, a *handle* says where bytes lie. Sizes are bytes, positions are offsets into
the ``_metadata`` file. Nothing here holds state itself: inline bytes are kept as a position and a size, so a
record stays small however big the snapshot is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from checker.model.graphs import OperatorId
from checker.model.topology import SerializerTree


class StreamKind(StrEnum):
    """Where the bytes of a stream handle lie."""

    INLINE = "inline"
    FILE = "file"
    RELATIVE = "relative"
    SEGMENT = "segment"
    EMPTY_SEGMENT = "empty-segment"
    KEY_GROUPS = "key-groups"
    """A key-groups handle used as a plain stream (old jobs only)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamHandle:
    """A ``StreamStateHandle``. ``path`` is absolute for files and segments, a bare name for relative ones.

    ``position`` is where inline bytes begin in ``_metadata``; ``start`` where a segment begins in its file.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterState:
    """State of a master hook (``WithMasterCheckpointHook``)."""

    name: str
    version: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointProperties:
    """``CheckpointProperties`` (metadata version 4 and newer).

    ``type`` is Flink's name (``Savepoint``, ``Suspend Savepoint``, ``Terminate Savepoint``, ``Checkpoint``,
    ``Full Checkpoint``); ``format`` and ``action`` are set for savepoints, ``sharing`` for checkpoints.
    """

    type: str
    forced: bool
    discard_cancelled: bool
    discard_failed: bool
    discard_finished: bool
    discard_subsumed: bool
    discard_suspended: bool
    unclaimed: bool | None = None
    format: str | None = None
    action: str | None = None
    sharing: str | None = None

    @property
    def savepoint(self) -> bool:
        """True for every kind of savepoint, False for checkpoints."""
        return self.format is not None or self.type.endswith("Savepoint")

    @property
    def drained(self) -> bool:
        """True when the savepoint was taken by ``stop --drain``: windows and timers have fired."""
        return self.action == "TERMINATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorStateName:
    """A named operator (non-keyed) state over all subtasks: its mode and how many entries it has."""

    name: str
    mode: DistributionMode
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSizes:
    """Bytes of an operator by part."""

    coordinator: int = 0
    managed_operator: int = 0
    raw_operator: int = 0
    managed_keyed: int = 0
    raw_keyed: int = 0
    input_channels: int = 0
    result_subpartitions: int = 0

    @property
    def total(self) -> int:
        """``OperatorState.getStateSize``: every part together."""
        return (
            self.coordinator
            + self.managed_operator
            + self.raw_operator
            + self.managed_keyed
            + self.raw_keyed
            + self.input_channels
            + self.result_subpartitions
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderSource:
    """A stream that begins with a state header; ``end`` is where the header ends when the handle tells.

    ``groups`` are the offsets of its key groups where the entries behind them can be walked (canonical format).
    """

    subtask: int
    stream: StreamHandle
    end: int | None
    groups: Offsets | None = None


class BackendStateType(IntEnum):
    """``StateMetaInfoSnapshot.BackendStateType`` by its ordinal."""

    KEY_VALUE = 0
    OPERATOR = 1
    BROADCAST = 2
    PRIORITY_QUEUE = 3
    KEY_VALUE_V2 = 4


@dataclass(frozen=True, slots=True)
class PojoField:
    """A field as ``PojoSerializerSnapshot`` keeps it. ``declared_by`` is a class; ``serializer`` None = not there."""

    name: str
    serializer: SerializerSnapshot | None
    declared_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SerializerSnapshot:
    """A ``TypeSerializerSnapshot``, read without its class.

    ``type_name`` is the class of the values where the snapshot tells (POJO, Kryo, enum, Avro, tuple).
    ``fields`` are a POJO's fields in order, ``constants`` an enum's, ``schema`` an Avro schema as text, ``types`` the
    SQL types that a serializer of the SQL runtime was made for. ``read``
    is False when the class is unknown and its body was skipped, so that nested serializers are not known.
    """

    class_name: str
    version: int
    nested: tuple[SerializerSnapshot, ...] = ()
    type_name: str | None = None
    fields: tuple[PojoField, ...] = ()
    constants: tuple[str, ...] = ()
    schema: str | None = None
    types: tuple[str, ...] = ()
    read: bool = True

    @property
    def short_name(self) -> str:
        """The class name without package and without what every snapshot class ends with."""
        name = self.class_name.rsplit(".", 1)[-1].rsplit("$", 1)[-1]
        return name.removesuffix("Snapshot").removesuffix("Serializer") or name

    @property
    def tree(self) -> SerializerTree:
        """What decides whether another serializer takes over."""
        named = (self.type_name,) if self.type_name else ()
        types = (*self.types, *named, *self.constants)
        return SerializerTree(name=self.short_name, types=types, nested=tuple(one.tree for one in self.nested))


@dataclass(frozen=True, slots=True, kw_only=True)
class StateMeta:
    """A ``StateMetaInfoSnapshot``: one registered state, its kind and its serializers by role."""

    name: str
    backend_type: BackendStateType
    options: tuple[tuple[str, str], ...]
    serializers: tuple[tuple[str, SerializerSnapshot], ...]
    complete: bool = True

    @property
    def kind(self) -> str:
        """``VALUE``, ``LIST``, ``MAP``, ... for key-value state, the distribution mode for operator state."""
        by_name = dict(self.options)
        return (
            by_name.get("KEYED_STATE_TYPE") or by_name.get("OPERATOR_STATE_DISTRIBUTION_MODE") or self.backend_type.name
        )

    def serializer(self, role: str) -> SerializerSnapshot | None:
        """The snapshot in a role (``VALUE_SERIALIZER``, ...), None when it is not there or was not readable."""
        return dict(self.serializers).get(role)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedHeader:
    """The header of a keyed state stream (``KeyedBackendSerializationProxy``)."""

    version: int
    compressed: bool
    key_serializer: SerializerSnapshot
    states: tuple[StateMeta, ...]
    end: int | None
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorHeader:
    """The header of an operator state stream (``OperatorBackendSerializationProxy``)."""

    version: int
    compressed: bool
    operator_states: tuple[StateMeta, ...]
    broadcast_states: tuple[StateMeta, ...]
    end: int | None
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StateHeaders:
    """What the headers of an operator's subtasks say together: each state once, by name and kind.

    ``read`` of ``available`` headers were read; ``problems`` says why others were not. ``complete`` is False
    when a serializer of unknown make hid something.
    """

    key_serializer: SerializerSnapshot | None = None
    states: tuple[StateMeta, ...] = ()
    compressed: bool = False
    read: int = 0
    available: int = 0
    complete: bool = True
    problems: tuple[str, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    """Bytes of entries by keyed state; empty where the format does not tell."""
    sizes_exact: bool = False
    """False when ``sizes`` is an estimate from some key groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCounts:
    """How many state files lie next to ``_metadata``, and how many are named by an absolute path."""

    relative: int = 0
    absolute: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorState:
    """All that a snapshot holds of one operator, summed over its subtasks.

    Bit i of ``present`` is set when subtask i has an entry (none has in a task without any state), of ``finished`` when
    it is flagged as finished. ``name`` and ``uid`` are None below metadata version 5; a uid is "" where none was set.
    ``input_state`` and ``output_state`` tell whether in-flight data hang at the operator.
    """

    operator_id: OperatorId
    name: str | None
    uid: str | None
    parallelism: int
    max_parallelism: int
    fully_finished: bool
    has_coordinator_state: bool
    present: int
    finished: int
    has_subtask_state: bool
    sizes: StateSizes
    operator_states: tuple[OperatorStateName, ...]
    keyed_kinds: tuple[KeyedKind, ...]
    key_groups: int
    """Key groups covered by managed keyed handles."""
    input_state: bool
    output_state: bool
    keyed_headers: tuple[HeaderSource, ...]
    keyed_streams: int
    operator_headers: tuple[HeaderSource, ...]
    operator_streams: int
    files: FileCounts
    headers: StateHeaders | None = None
    """None until the headers were read."""

    @property
    def subtasks(self) -> int:
        """How many subtasks have an entry."""
        return self.present.bit_count()

    @property
    def finished_subtasks(self) -> int:
        """How many subtasks are flagged as finished."""
        return self.finished.bit_count()

    @property
    def has_state(self) -> bool:
        """What Flink calls non-empty: dropping it needs ``--allowNonRestoredState``."""
        return self.has_coordinator_state or self.has_subtask_state

    @property
    def state_size(self) -> int:
        """Bytes of everything the operator left."""
        return self.sizes.total


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFiles:
    """State files that the metadata names and that are not there. ``checked`` of ``total`` were looked for."""

    checked: int
    total: int
    missing: tuple[str, ...]
    missing_count: int
    owners: tuple[OperatorId, ...] = ()
    unreachable: tuple[str, ...] = ()
    """Why files could not be looked for: places that are not reachable from here."""


@dataclass(frozen=True, kw_only=True)
class Savepoint:
    """A savepoint or retained checkpoint. ``operators`` are in file order, which is the order of Flink's checks."""

    path: str
    metadata_version: int
    metadata_size: int
    metadata_sha256: str | None
    checkpoint_id: int
    master_states: tuple[MasterState, ...]
    operators: tuple[OperatorState, ...]
    properties: CheckpointProperties | None
    files: MissingFiles | None = None

    @property
    def state_size(self) -> int:
        """Bytes of all operators."""
        return sum(o.state_size for o in self.operators)

    @property
    def kind(self) -> str:
        """``savepoint``, ``checkpoint`` or ``snapshot`` where the version does not say."""
        if self.properties is None:
            return "snapshot"
        return "savepoint" if self.properties.savepoint else "checkpoint"
