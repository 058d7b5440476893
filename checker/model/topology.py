"""One pipeline at one revision, as the transformations its program declares, before any translation.

This is the single way into the graph core: every extractor produces it and a person may commit one
(see ``checker/extract/documents/reader.py`` for the file format). Nothing in it is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias, TypeVar, Union

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a source file: repository-relative path with ``/``, line and column counted from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Cause(StrEnum):
    """Why an extractor could not determine a value. Rules react to some of these; the reason is for people."""

    ARGUMENT = "argument"
    """A program argument or configuration key that was not given."""
    NON_DETERMINISTIC = "non-deterministic"
    """The program computes another value in every run: UUID, clock, random, counter, identity hash code."""
    COLLECTION = "collection"
    """A loop or stream over a collection whose elements are not known from the source."""
    CONNECTOR = "connector"
    """A class outside of the repository that the connector tables don't know."""
    EXTERNAL = "external"
    """Code outside of the repository decides (a library call)."""
    REFLECTION = "reflection"
    """Code that is looked up by name when the program runs: any class of the repository can decide."""
    BRANCH = "branch"
    """A condition that can't be evaluated, with more shapes behind it than are followed."""
    SYNTAX = "syntax"
    """The source file does not parse there."""
    LIMIT = "limit"
    """A bound on depth, size or time was reached."""
    UNSUPPORTED = "unsupported"
    """Understood, but not something the tool can translate."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that an extractor could not determine: never guessed around, whatever depends on it is undecided.

    ``reason`` is a sentence for people. ``settled_by`` names what would settle it (``--arg KEY=VALUE``, a
    configuration key). ``options`` lists all values it can have, where they are known to be few. ``made_of`` says what
    the program makes it of, as far as that is known: two unknowns with one reason are one value only if it is equal.
    """

    reason: str
    cause: Cause = Cause.OTHER
    settled_by: str | None = None
    location: Location | None = None
    options: tuple[str | int | bool | None, ...] = ()
    made_of: str | None = None


T = TypeVar("T")
Maybe: TypeAlias = Union[T, Unknown]  # noqa: UP007 - a generic alias needs Union on 3.11
"""A value, or the reason why there is none."""


class Kind(StrEnum):
    """What a transformation is, as ``topology-document.md`` names them."""

    SOURCE = "source"
    LEGACY_SOURCE = "legacy-source"
    OPERATOR = "operator"
    PARTITION = "partition"
    UNION = "union"
    SIDE_OUTPUT = "side-output"
    SINK = "sink"
    LEGACY_SINK = "legacy-sink"
    FEEDBACK = "feedback"
    CACHE = "cache"
    UNKNOWN = "unknown"
    """Any number of operators and sources that an extractor could not see, consuming ``inputs``."""

    @property
    def virtual(self) -> bool:
        """True for kinds that never make a node of their own."""
        return self in VIRTUAL_KINDS

    @property
    def source(self) -> bool:
        """True for both kinds of sources."""
        return self in (Kind.SOURCE, Kind.LEGACY_SOURCE)


VIRTUAL_KINDS = frozenset({Kind.PARTITION, Kind.UNION, Kind.SIDE_OUTPUT, Kind.CACHE})


class ChainingStrategy(StrEnum):
    """``org.apache.flink.streaming.api.operators.ChainingStrategy``."""

    ALWAYS = "always"
    NEVER = "never"
    HEAD = "head"
    HEAD_WITH_SOURCES = "head-with-sources"


class PartitionerKind(StrEnum):
    """The partitioners a program can ask for, as the document spells them."""

    FORWARD = "forward"
    REBALANCE = "rebalance"
    RESCALE = "rescale"
    SHUFFLE = "shuffle"
    BROADCAST = "broadcast"
    GLOBAL = "global"
    HASH = "hash"
    CUSTOM = "custom"


class Exchange(StrEnum):
    """``StreamExchangeMode`` (``ShuffleMode`` in 1.13)."""

    PIPELINED = "pipelined"
    BATCH = "batch"
    UNDEFINED = "undefined"


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


_KEYED_STATE = frozenset(
    {StateKind.VALUE, StateKind.LIST, StateKind.MAP, StateKind.REDUCING, StateKind.AGGREGATING, StateKind.TIMERS}
)


class Mode(StrEnum):
    """``execution.runtime-mode`` as far as it concerns state: batch jobs take no savepoints."""

    STREAMING = "streaming"
    BATCH = "batch"


class Serialization(StrEnum):
    """How Flink's type extraction has a class written (``TypeExtractor``)."""

    POJO = "pojo"
    """Field by field, which may be added and removed (``PojoSerializer``)."""
    GENERIC = "generic"
    """By Kryo, which does not notice changed fields (``KryoSerializer``)."""
    ENUM = "enum"
    AVRO = "avro"
    """By an Avro schema, which evolves by Avro's rules (``AvroSerializer``)."""
    PROTOBUF = "protobuf"
    """As a Protobuf message: fields are known by their numbers."""
    OWN = "own"
    """By code of the program: a serializer, type information or Kryo serializer of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldShape:
    """A field of a class in state, its type as spelled. ``declared_by`` names a superclass, None = the class itself.

    Flink knows a POJO's field by its name and the class that declares it. ``generic`` is True where Kryo writes it and
    everything below it, as it does collections before Flink 2.0.
    """

    name: str
    type: str
    declared_by: str | None = None
    generic: bool = False
    code: str | None = None
    """A digest of the type information that the field names (``@TypeInfo``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassShape:
    """A class of the program whose objects lie in state: what its serializer depends on.

    ``name`` is the binary name. ``fields`` are those that are written, inherited ones included, sorted by name;
    ``unwritten`` the static and transient ones; ``constants`` an enum's, in order. ``code`` is a digest of the
    program's code that writes the objects, ``schema`` the Avro or Protobuf schema as JSON. ``identity`` is a digest of
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
class StateDescriptor:
    """One state that a function registers. Types are spelled as in the source; None = not determined.

    ``classes`` are the program's own classes among these types, and those of their fields. The serializers, where they
    are known, are what Flink itself registers, and decide instead of the types: states of SQL operators.
    """

    name: Maybe[str]
    kind: Maybe[StateKind]
    key_type: Maybe[str] | None = None
    value_type: Maybe[str] | None = None
    serializer: Maybe[str] | None = None
    ttl: Maybe[bool] | None = None
    classes: tuple[ClassShape, ...] = ()
    namespace_serializer: SerializerTree | None = None
    user_key_serializer: SerializerTree | None = None
    value_serializer: SerializerTree | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkUidHashes:
    """``CustomSinkOperatorUidHashes`` of a ``sinkTo`` call (1.15 and newer)."""

    writer: Maybe[str] | None = None
    committer: Maybe[str] | None = None
    global_committer: Maybe[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformation:
    """One transformation, in the order in which the program creates it.

    One record for all kinds: the fields that a kind may have are data, in ``extract/documents/fields``.

    ``id`` is only a handle, never part of a hash. ``None`` means "not set by the program": Flink's default
    applies. ``inputs`` name transformations declared earlier; a sink's sub-topologies use ``"@"`` for the
    stream they are handed.
    """

    id: str
    kind: Kind
    inputs: tuple[str, ...] = ()
    name: Maybe[str] | None = None
    uid: Maybe[str] | None = None
    uid_hash: Maybe[str] | None = None
    parallelism: Maybe[int] | None = None
    max_parallelism: Maybe[int] | None = None
    slot_sharing_group: Maybe[str] | None = None
    co_location_group: Maybe[str] | None = None
    chaining: Maybe[ChainingStrategy] | None = None
    keyed: bool = False
    key_type: Maybe[str] | None = None
    key_classes: tuple[ClassShape, ...] = ()
    """The program's own classes in the key's type."""
    key: Maybe[str] | None = None
    """The part of an element that is its key: ``.user.id``, or Unknown with a digest of the selector's code."""
    key_serializer: SerializerTree | None = None
    """What Flink writes keys with, where that is known exactly."""
    meaning: str | None = None
    """What an operator of a SQL plan computes, without the names that it gives to its results."""
    iteration: str | None = None
    """For one of several operators that one call of the program makes: a digest of what tells it from the others."""
    operator: str | None = None
    """What the API call was: ``map``, ``flat-map``, ``window``, ``async-wait``, ``file-reader``, ..."""
    function: str | None = None
    window: Maybe[str] | None = None
    """Simple class name of the window assigner."""
    state: tuple[StateDescriptor, ...] | Unknown = ()
    stateful: Maybe[bool] | None = None
    yielding: bool | None = None
    """True for operators that must not chain behind a legacy source; None = derived from ``operator``."""
    output_at_end: bool = False
    """The operator emits only at the end of its input (``fullWindowPartition``, 1.20 and newer)."""
    partitioner: Maybe[PartitionerKind] | None = None
    exchange: Exchange | None = None
    tag: Maybe[str] | None = None
    committer: Maybe[bool] = False
    global_committer: Maybe[bool] = False
    uid_hashes: SinkUidHashes | None = None
    pre_write: tuple[Transformation, ...] = ()
    pre_commit: tuple[Transformation, ...] = ()
    post_commit: tuple[Transformation, ...] = ()
    feedback: tuple[str, ...] = ()
    """Ids of the streams fed back (``iterate``/``closeWith``, 1.x): the one reference to a later declaration."""
    co_feedback: bool = False
    unknown: Unknown | None = None
    """Why nothing more is known, on kind ``unknown``."""
    uid_depends_on: tuple[str, ...] = ()
    """Arguments and configuration keys from which the uid was computed."""
    location: Location | None = None
    uid_location: Location | None = None
    uid_hash_location: Location | None = None

    @property
    def display_name(self) -> str:
        """The name a person knows it by: as the program gives it, else the handle."""
        return self.name if isinstance(self.name, str) else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One of several shapes a program can take, depending on something an extractor could not tell."""

    when: str
    """The decisions that lead to it, as the source writes them."""
    decision: str | None = None
    """The same by what the conditions are made of, equal under other names of variables; None = as ``when``."""
    transformations: tuple[Transformation, ...]


_ENDING_SOURCES = frozenset({"collection", "sequence"})
"""What ``Transformation.operator`` says of sources that end by themselves, whatever their settings are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """One pipeline at one revision.

    ``variants``, where present, are all the shapes that the program can take; ``transformations`` is then the
    first of them. The same call has the same transformation id in every variant.
    """

    name: str
    transformations: tuple[Transformation, ...]
    flink: str | None = None
    parallelism: Maybe[int] = 1
    max_parallelism: Maybe[int] | None = None
    chaining: Maybe[bool] = True
    auto_generate_uids: Maybe[bool] = True
    chain_different_max_parallelism: Maybe[bool] = True
    mode: Maybe[Mode] = Mode.STREAMING
    vertex_index_prefix: Maybe[bool] = False
    """``pipeline.vertex-name-include-index-prefix`` (1.15 and newer): decorates names of vertices, moves no id."""
    variants: tuple[Variant, ...] = ()
    variants_unknown: Unknown | None = None
    """What decides between the variants."""
    location: Location | None = None
    extractor: str | None = None
    disagreements: tuple[str, ...] = ()
    """Where a real Flink that built this program computed something else than our graph core."""
    unstable: tuple[str, ...] = ()
    """What was another thing in a second run of the same program."""
    files: tuple[str, ...] = field(default=(), compare=False)
    """The files the extractor read to know this: nothing else in the revision can change it."""

    def with_name(self, name: str) -> Topology:
        """The same topology under another name."""
        return replace(self, name=name)

    @property
    def takes_no_savepoints(self) -> bool:
        """A batch job, or one that ends by itself while its program waits for the rows (``executeAndCollect``).

        The latter only where every source is a collection or a sequence and every sink the one that collects.
        """
        if self.mode is Mode.BATCH:
            return True
        operators = self.operators()
        sources = [t for t in operators if not t.inputs]
        sinks = [t for t in operators if t.kind in (Kind.SINK, Kind.LEGACY_SINK)]
        return (
            bool(sources and sinks)
            and all(t.kind is not Kind.UNKNOWN for t in operators)
            and all(t.operator in _ENDING_SOURCES for t in sources)
            and all(t.operator == "collect" for t in sinks)
        )

    def operators(self) -> tuple[Transformation, ...]:
        """All transformations of all variants, each once."""
        seen: dict[str, Transformation] = {}
        for variant in self.variants:
            for transformation in variant.transformations:
                seen.setdefault(transformation.id, transformation)
        for transformation in self.transformations:
            seen.setdefault(transformation.id, transformation)
        return tuple(seen.values())
