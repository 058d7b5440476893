"""Where the bytes of a snapshot lie: the handles of one subtask, as ``_metadata`` lists them.

Names follow Flink: a *subtask state* is what one parallel instance left, a *handle* says where bytes lie. Sizes are
bytes, positions are offsets into ``_metadata``. Inline bytes are kept as a position and a size, so a record stays small
however big the snapshot is.

And what the header of a state stream says: registered states, and the serializers that wrote them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from checker.model.declared_state import SerializerTree


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
    path: str | None = None
    position: int | None = None
    start: int = 0


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
    """A run of big-endian i64 offsets inside ``_metadata``, not loaded: where it is and how many there are.

    ``first`` is the smallest offset that is not 0 (None when all are). In a canonical handle 0 means that the key group
    has no entry.
    """

    position: int
    count: int
    first: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedHandle:
    """A ``KeyedStateHandle``. ``stream`` holds the header: the delegate of key groups, the meta of increments.

    ``base`` is the materialized part of a changelog handle.
    """

    kind: KeyedKind
    key_groups: int
    size: int
    stream: StreamHandle | None = None
    offsets: Offsets | None = None
    base: tuple[KeyedHandle, ...] = ()


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
    """An ``OperatorStateHandle``."""

    states: tuple[OperatorStatePart, ...]
    stream: StreamHandle

    @property
    def size(self) -> int:
        """Bytes of the state it points to."""
        return self.stream.size


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskState:
    """An ``OperatorSubtaskState``: everything that one parallel instance left.

    ``input_data`` and ``output_data`` are bytes in flight of an unaligned checkpoint, None where there are no handles.
    """

    index: int
    finished: bool = False
    managed_operator: OperatorHandle | None = None
    raw_operator: OperatorHandle | None = None
    managed_keyed: KeyedHandle | None = None
    raw_keyed: KeyedHandle | None = None
    input_data: int | None = None
    output_data: int | None = None

    @property
    def has_state(self) -> bool:
        """``hasState``: whether any handle is there at all; neither size nor content count."""
        return bool(
            self.managed_operator
            or self.raw_operator
            or self.managed_keyed
            or self.raw_keyed
            or self.input_data is not None
            or self.output_data is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderSource:
    """A stream that begins with a state header; ``end`` is where the header ends, if the handle says so."""

    stream: StreamHandle
    end: int | None


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

    ``type_name`` is the class of the values where the snapshot has it (POJO, Kryo, enum, Avro, tuple).
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
        return SerializerTree(
            name=self.short_name, types=types, nested=tuple(snapshot.tree for snapshot in self.nested)
        )


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
class StateHeaders:
    """What the header of a state stream says, or those of an operator's subtasks together: each state once.

    ``problems`` says why some could not be read. ``complete`` is False when a serializer of unknown make hid something.
    """

    key_serializer: SerializerSnapshot | None = None
    states: tuple[StateMeta, ...] = ()
    compressed: bool = False
    complete: bool = True
    problems: tuple[str, ...] = ()
