"""One pipeline at one revision, as the transformations its program declares, before any translation.

This is the single way into the graph core: every extractor produces it and a person may commit one
(see ``checker/extract/documents/reader.py`` for the file format). Nothing in it is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from checker.model.declared_state import ClassShape, Meaning, SerializerTree, StateDescriptor, StateKind
from checker.model.unknowns import Location, Maybe, Unknown

FORMAT_VERSION = 1


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
        return self in _SOURCE_KINDS


def constant_digest(type_: str, text: str) -> str:
    """A constant of a program as ``function_values`` have it: what a program holds may be a secret."""
    return sha256(f"{type_} {text}".encode()).hexdigest()[:32]


_EVERYWHERE = frozenset({"id", "kind", "location"})
_PHYSICAL = frozenset(
    {
        "name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group",
        "chaining", "function", "functions_at", "function_values", "meaning", "reads", "reads_by",
        "reads_at", "state", "stateful", "uid_location", "uid_hash_location",
    }
)  # fmt: skip
_KEY = frozenset({"key", "key_at", "key_type", "key_classes", "key_serializer"})
_OPERATOR = _KEY | {"keyed", "operator", "window", "trigger", "late", "yielding"}
_IGNORED_BY_FLINK = frozenset({"name", "uid", "uid_hash", "slot_sharing_group", "uid_location", "uid_hash_location"})
"""Flink takes these on objects that make no node, and ignores them, which a rule reports."""
_SINK = frozenset({"committer", "global_committer", "uid_hashes", "pre_write", "pre_commit", "post_commit"})
FIELDS_BY_KIND: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.SOURCE: _EVERYWHERE | _PHYSICAL | {"operator", "inputs"},
    Kind.LEGACY_SOURCE: _EVERYWHERE | _PHYSICAL | {"operator", "inputs"},
    Kind.OPERATOR: _EVERYWHERE | _PHYSICAL | _OPERATOR | {"inputs"},
    Kind.PARTITION: _EVERYWHERE | _IGNORED_BY_FLINK | _KEY | {"inputs", "partitioner"},
    Kind.UNION: _EVERYWHERE | _IGNORED_BY_FLINK | {"inputs"},
    Kind.SIDE_OUTPUT: _EVERYWHERE | _IGNORED_BY_FLINK | {"inputs", "tag"},
    Kind.SINK: _EVERYWHERE | _PHYSICAL | _SINK | {"inputs", "operator"},
    Kind.LEGACY_SINK: _EVERYWHERE | _PHYSICAL | {"inputs", "operator"},
    Kind.CACHE: _EVERYWHERE | _IGNORED_BY_FLINK | {"inputs"},
    Kind.UNKNOWN: _EVERYWHERE | _PHYSICAL | _OPERATOR | {"inputs", "unknown"},
}  # fmt: skip
"""The fields of ``Transformation`` that a kind may have."""
_SOURCE_KINDS = frozenset({Kind.SOURCE, Kind.LEGACY_SOURCE})
VIRTUAL_KINDS = frozenset({Kind.PARTITION, Kind.UNION, Kind.SIDE_OUTPUT, Kind.CACHE})


class ChainingStrategy(StrEnum):
    """``org.apache.flink.streaming.api.operators.ChainingStrategy``."""

    ALWAYS = "always"
    NEVER = "never"
    HEAD = "head"
    HEAD_WITH_SOURCES = "head-with-sources"


class PartitionerKind(StrEnum):
    """The partitioners of Flink, as the document spells them; it prints their names."""

    FORWARD = "forward"
    REBALANCE = "rebalance"
    RESCALE = "rescale"
    SHUFFLE = "shuffle"
    BROADCAST = "broadcast"
    GLOBAL = "global"
    HASH = "hash"
    CUSTOM = "custom"

    @property
    def pointwise(self) -> bool:
        """Whether a job edge with this partitioner has the distribution pattern POINTWISE."""
        return self in (PartitionerKind.FORWARD, PartitionerKind.RESCALE)


class Mode(StrEnum):
    """``execution.runtime-mode`` as far as it concerns state: batch jobs take no savepoints."""

    STREAMING = "streaming"
    BATCH = "batch"


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkUidHashes:
    """``CustomSinkOperatorUidHashes`` of a ``sinkTo`` call (1.15 and newer)."""

    writer: Maybe[str] | None = None
    committer: Maybe[str] | None = None
    global_committer: Maybe[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Transformation:
    """One transformation, in the order in which the program creates it.

    One record for all kinds: the fields that a kind may have are data (``FIELDS_BY_KIND``), and no other can be set.

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
    chaining: Maybe[ChainingStrategy] | None = None
    keyed: bool = False
    key_type: Maybe[str] | None = None
    key_classes: tuple[ClassShape, ...] = ()
    """The program's own classes in the key's type."""
    key: Maybe[str] | None = None
    """The part of an element that is its key: ``.user.id``, or Unknown with a digest of the selector's code."""
    key_at: Location | None = None
    """Where the code stands that gives the keys."""
    key_serializer: SerializerTree | None = None
    """What Flink writes keys with, where that is known exactly."""
    meaning: Meaning | None = None
    """What an operator of a SQL plan computes and keeps."""
    operator: str | None = None
    """What the API call was: ``map``, ``flat-map``, ``window``, ``async-wait``, ``file-reader``, ..."""
    function: str | None = None
    functions_at: tuple[Location, ...] = ()
    """Where the code stands that it runs: lambdas, method references, classes."""
    function_values: tuple[str, ...] = ()
    """The values that its function holds: each the name of a field, ``=``, and a digest of the value."""
    window: Maybe[str] | None = None
    """Simple class name of the window assigner."""
    trigger: str | None = None
    """Simple class name of the trigger of Flink that the program gives the window; None for the assigner's own."""
    late: bool = False
    """Whether windows are kept beyond their end, for late elements (``allowedLateness``)."""
    state: tuple[StateDescriptor, ...] | Unknown = ()
    stateful: Maybe[bool] | None = None
    reads: tuple[str, ...] = ()
    """The topics or tables that a source's positions are positions in, where all of them are known.

    Of an operator that keeps what tables look like: what says where they go and which columns they have.
    """
    reads_by: tuple[str, ...] = ()
    """The expressions that name these, where one of them is not known and all can be said."""
    reads_at: tuple[str, ...] = ()
    """The hosts whose data that is, where all of them are known."""
    yielding: bool | None = None
    """True for operators that must not chain behind a legacy source; None = derived from ``operator``."""
    partitioner: Maybe[PartitionerKind] | None = None
    tag: Maybe[str] | None = None
    committer: Maybe[bool] = False
    global_committer: Maybe[bool] = False
    uid_hashes: SinkUidHashes | None = None
    pre_write: tuple[Transformation, ...] = ()
    pre_commit: tuple[Transformation, ...] = ()
    post_commit: tuple[Transformation, ...] = ()
    unknown: Unknown | None = None
    """Why nothing more is known, on kind ``unknown``."""
    location: Location | None = None
    uid_location: Location | None = None
    uid_hash_location: Location | None = None

    if not TYPE_CHECKING:  # types are checked against the fields

        def __init__(self, **given: object) -> None:
            """Holds what is given; a default stays the class's: topologies have thousands of these, most of few fields.

            Refuses a field that its kind does not have.
            """
            vars(self).update(given)
            for name in given.keys() - FIELDS_BY_KIND[self.kind]:
                if given[name] is not getattr(Transformation, name, given):
                    raise TypeError(f"a transformation of kind {self.kind} has no {name}: {given[name]}")

    @property
    def computes(self) -> str | None:
        """``meaning`` for a reader, or what a source reads."""
        if self.reads:
            return f"{'positions in ' if self.kind.source else ''}{', '.join(self.reads)}"
        return None if self.meaning is None else self.meaning.shown

    @property
    def known_states(self) -> tuple[StateDescriptor, ...]:
        """Its states, none where they are not known."""
        return () if isinstance(self.state, Unknown) else self.state

    @property
    def keeps_keyed(self) -> bool:
        """Whether it works on keys, or registers state that lies in key groups."""
        return self.keyed or any(isinstance(s.kind, StateKind) and s.kind.keyed for s in self.known_states)

    @property
    def kept_at_one(self) -> bool:
        """Whether it may be Flink itself that sets its max parallelism (``forceNonParallel``, ``readFile``).

        ``OperatorValidationUtils.validateMaxParallelism`` refuses any other value. A program can set both, too.
        """
        return self.parallelism == 1 and self.max_parallelism == 1

    @property
    def opening(self) -> Unknown | None:
        """What stands for operators that code may declare which was not followed, with a place where it has one."""
        unknown = self.unknown or Unknown("unknown operators")
        if self.kind is not Kind.UNKNOWN or unknown.bounded:
            return None
        return replace(unknown, location=unknown.location or self.location)

    @property
    def display_name(self) -> str:
        """The name a person knows it by: as the program gives it, else the handle."""
        return self.name if isinstance(self.name, str) else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """How a condition turned out, that is not known, on a way through the program."""

    condition: str | None
    """What it is made of, equal under other names of variables; None = that is not known."""
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One of several shapes a program can take, depending on something an extractor could not determine."""

    when: str
    """The decisions that lead to it, as the source writes them."""
    ways: tuple[tuple[Decided, ...], ...] = ()
    """The same way by way, by what the conditions are made of; empty = as ``when``."""
    transformations: tuple[Transformation, ...]


_ENDING_SOURCES = frozenset({"collection", "sequence"})
"""What ``Transformation.operator`` says of sources that end by themselves, whatever their settings are."""


_FLINK = "org.apache.flink."


def _made_elsewhere(t: Transformation, value: object) -> tuple[Unknown, ...]:
    """What is not known of an operator: code that was not followed may decide it."""
    if not isinstance(value, Unknown) or value.bounded:
        return ()
    return (replace(value, location=value.location or t.location),)


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
    state_backend: Maybe[str] | None = None
    """As ``state.backend.type`` names it; None where neither the program nor its deployment says one."""
    variants: tuple[Variant, ...] = ()
    variants_unknown: Unknown | None = None
    """What decides between the variants."""
    location: Location | None = None
    extractor: str | None = None
    disagreements: tuple[str, ...] = ()
    """Where a real Flink that built this program computed something other than our graph core."""
    unstable: tuple[str, ...] = ()
    """What was another thing in a second run of the same program."""
    executed: bool = True
    """Whether some path executes the job, or code may that is not seen."""
    files: tuple[str, ...] = field(default=(), compare=False)
    """The files the extractor read to know this: nothing else in the revision can change it."""

    @property
    def openings(self) -> tuple[Unknown, ...]:
        """The unknowns that stand for operators, or for what these run or choose keys with.

        Each with a place where it has one.
        """
        pending, found = list(self.operators()), []
        while pending:
            t = pending.pop(0)
            if t.opening is not None:
                found.append(t.opening)
            if t.kind is Kind.OPERATOR and (t.function or _FLINK).startswith(_FLINK):
                found.extend(_made_elsewhere(t, t.state))
            if t.keyed and not isinstance(t.key, str):
                found.extend(_made_elsewhere(t, t.key_type))
            pending.extend((*t.pre_write, *t.pre_commit, *t.post_commit))
        cut = self.variants_unknown if not self.variants else None
        return (*found, *(() if cut is None or found else (cut,)))

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
