"""What the header of a state stream says: registered states, and the serializers that wrote them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from checker.model.declared_state import SerializerTree
from checker.model.state_handles import StreamHandle


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
