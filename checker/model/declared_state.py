"""The state that a program declares: descriptors, and the classes and serializers that decide what is written.

What an operator of a SQL plan computes and keeps, with columns as where they come from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from checker.model.unknowns import Location, Maybe

ELEMENT: Final = "[]"
"""An element of a list or array, on the way to a state: one is not told from the others by its place."""
_FIELD = re.compile(r"\w+")


def ways(kept: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Symbol of each state → the first way to it; elements that move within a list keep theirs by their class."""
    found = list(dict.fromkeys(kept))
    counts = Counter(way for _, way in found)
    return {symbol: way for symbol, way in reversed(found) if ELEMENT not in way or counts[way] == 1}


class StateKind(StrEnum):
    """Kinds of state an operator can hold."""

    VALUE = "value"
    LIST = "list"
    MAP = "map"
    REDUCING = "reducing"
    AGGREGATING = "aggregating"
    OPERATOR_LIST = "operator-list"
    OPERATOR_UNION_LIST = "operator-union-list"
    BROADCAST = "broadcast"
    TIMERS = "timers"
    COORDINATOR = "coordinator"

    @property
    def keyed(self) -> bool:
        """True for state that lives in key groups."""
        return self in _KEYED_STATE


DESCRIPTORS: Final[Mapping[str, StateKind]] = {
    "ValueStateDescriptor": StateKind.VALUE,
    "ListStateDescriptor": StateKind.LIST,
    "MapStateDescriptor": StateKind.MAP,
    "ReducingStateDescriptor": StateKind.REDUCING,
    "AggregatingStateDescriptor": StateKind.AGGREGATING,
    "FoldingStateDescriptor": StateKind.AGGREGATING,
}
"""Simple name of a descriptor's class, in Java and in PyFlink → the kind of keyed state that it asks for."""
_KEYED_STATE = frozenset(
    {StateKind.VALUE, StateKind.LIST, StateKind.MAP, StateKind.REDUCING, StateKind.AGGREGATING, StateKind.TIMERS}
)


class Serialization(StrEnum):
    """How Flink's type extraction has a class written (``TypeExtractor``)."""

    POJO = "pojo"
    """Field by field, which may be added and removed (``PojoSerializer``)."""
    GENERIC = "generic"
    """By Kryo, which does not notice changed fields (``KryoSerializer``)."""
    ENUM = "enum"
    AVRO = "avro"
    """By an Avro schema, which evolves by Avro's rules (``AvroSerializer``)."""
    OWN = "own"
    """By code of the program: a serializer, type information or Kryo serializer of its own."""


INHERITED = "what it inherits"
"""The name of the field that stands for a superclass of a library, which is its type and declares it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldShape:
    """A field of a class in state, its type as spelled. ``declared_by`` names a superclass, None = the class itself.

    Flink knows a POJO's field by its name and the class that declares it. ``GenericType<…>`` is what Kryo writes, with
    everything below it, as it does collections before Flink 2.0.
    """

    name: str
    type: str
    declared_by: str | None = None
    code: str | None = None
    """A digest of the type information that the field names (``@TypeInfo``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassShape:
    """A class of the program whose objects lie in state: what its serializer depends on.

    ``name`` is the binary name. ``fields`` are those that are written, inherited ones included, sorted by name;
    ``unwritten`` the static and transient ones; ``constants`` an enum's, in order. ``code`` is a digest of the
    program's code that writes the objects, ``schema`` the Avro schema as JSON. ``identity`` is a digest of
    ``hashCode``, ``equals`` and ``compareTo``, where the class has its own: keys are found by them.
    """

    name: str
    serialization: Maybe[Serialization]
    fields: tuple[FieldShape, ...] = ()
    unwritten: tuple[FieldShape, ...] = ()
    constants: tuple[str, ...] = ()
    code: str | None = None
    schema: str | None = None
    identity: str | None = None
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SerializerTree:
    """A serializer as Flink writes its snapshot: its short name, the SQL types it is made for, what it nests."""

    name: str
    types: tuple[str, ...] = ()
    nested: tuple[SerializerTree, ...] = ()

    def __str__(self) -> str:
        """``Map<Int, RowData(BIGINT, STRING)>``."""
        types = f"({', '.join(self.types)})" if self.types else ""
        inner = f"<{', '.join(map(str, self.nested))}>" if self.nested and not self.types else ""
        return f"{self.name}{types}{inner}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """When the values of a state with a time-to-live expire (``StateTtlConfig``).

    ``refreshed_by_reads`` is ``UpdateType.OnReadAndWrite``, ``visible_until_cleaned`` is
    ``StateVisibility.ReturnExpiredIfNotCleanedUp``. Flink keeps with each value when it was last used, and not when it
    expires: whoever reads it decides by the length that holds then (``TtlUtils.expired``).
    """

    milliseconds: Maybe[int]
    refreshed_by_reads: Maybe[bool] = False
    visible_until_cleaned: Maybe[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDescriptor:
    """One state that a function registers. Types are spelled as in the source; None = not determined.

    ``classes`` are the program's own classes among these types, and those of their fields. The serializers, where they
    are known, are what Flink itself registers, and decide instead of the types: states of SQL operators. ``per_window``
    says whether a window function keeps it once per window, or once per key. ``kept_in`` is the field or attribute of
    the function through which its code uses the state; None where that is not known. ``unused`` says that the code
    names that nowhere but where it is set. ``refused``: why asking for it
    makes the job fail.
    """

    name: Maybe[str]
    kind: Maybe[StateKind]
    key_type: Maybe[str] | None = None
    value_type: Maybe[str] | None = None
    serializer: Maybe[str] | None = None
    ttl: Maybe[bool] | None = None
    expiry: Expiry | None = None
    """When its values expire, where it has a time-to-live and that was looked at."""
    per_window: bool | None = None
    kept_in: str | None = None
    refused: str | None = None
    unused: bool = False
    classes: tuple[ClassShape, ...] = ()
    namespace_serializer: SerializerTree | None = None
    user_key_serializer: SerializerTree | None = None
    value_serializer: SerializerTree | None = None
    location: Location | None = None
    formerly: tuple[str, ...] = ()
    """Names under which another connector kept what is read as this state, too."""

    def in_field(self, way: str | None, used: Set[str]) -> StateDescriptor:
        """The state in a field of its function, or inside of what that holds; ``used`` are the names in its code."""
        return replace(self, kept_in=way, unused=way is not None and _FIELD.findall(way)[0] not in used)

    def repeats(self, first: StateDescriptor) -> bool:
        """Whether this registers once more what another place registers."""
        kept = replace(self, per_window=first.per_window, kept_in=first.kept_in, unused=first.unused)
        return replace(kept, location=first.location) == first


LOG_AND_NEW_TABLES = "change log and new tables"
"""``operator`` of a source that goes on at a place in a log, and reads whole what is added to its tables."""

COLUMN = "\u00a7"
"""Stands behind each column of a table, in what an operator computes and keeps."""


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns of a table in their order."""

    table: str
    """What identifies its data; empty where nothing does."""
    columns: tuple[str, ...]

    def named(self, column: str) -> str:
        """A column of it as meanings have it."""
        return f"{self.table}.{column}{COLUMN}" if self.table else f"{column}{COLUMN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """Results have no names, so that an alias or another view changes nothing."""

    computes: str
    """The operator and its attributes."""
    keeps: tuple[str, ...] = ()
    """What its state is read as, in this order: the columns of the key, accumulators, the columns of rows."""
    filters: tuple[str, ...] = ()
    """Input → the conditions on its rows, since another operator kept them; empty where there are none."""
    tables: tuple[TableColumns, ...] = field(default=(), compare=False)
    """Those of which columns are in it."""

    @property
    def shown(self) -> str:
        """For a reader."""
        kept = f" that keeps {'; '.join(self.keeps)}" if self.keeps else ""
        return f"{self.computes}{kept}".replace(COLUMN, "")

    def with_names(self, names: Mapping[str, str]) -> Meaning:
        """The same of columns or tables that are called otherwise."""
        if not names:
            return self
        old = re.compile(rf"(?<![\w$.])(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})")

        def renamed(text: str) -> str:
            return old.sub(lambda match: names[match[0]], text)

        return replace(
            self,
            computes=renamed(self.computes),
            keeps=tuple(map(renamed, self.keeps)),
            filters=tuple(map(renamed, self.filters)),
        )
