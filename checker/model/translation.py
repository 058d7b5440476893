"""A topology with all that Flink computes from it, and what of it stays open.

Operator ids come with what went into each, so that a change can be explained; chains with why others do not chain.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NewType

from checker.model.records import record
from checker.model.stream_graph import NodeKey, StreamGraph, StreamNode
from checker.model.topology import Decided, PartitionerKind, Topology
from checker.model.unknowns import Unknown

UNSET_MAX_PARALLELISM = -1


def default_max_parallelism(parallelism: int) -> int:
    """``KeyGroupRangeAssignment.computeDefaultMaxParallelism``: 128 up to parallelism 85, at most 32768."""
    wanted = parallelism + parallelism // 2
    return min(max(1 << max(wanted - 1, 0).bit_length(), 128), 32768)


class Pattern(StrEnum):
    """``DistributionPattern`` of a job edge."""

    POINTWISE = "POINTWISE"
    ALL_TO_ALL = "ALL_TO_ALL"


class NotChained(StrEnum):
    """Why an edge does not chain: the conditions of ``isChainable``, in the order they are reported."""

    SEVERAL_INPUTS = "several-inputs"
    CHAINING_DISABLED = "chaining-disabled"
    SLOT_SHARING_GROUP = "slot-sharing-group"
    YIELDING_BEHIND_LEGACY_SOURCE = "yielding-behind-legacy-source"
    UPSTREAM_NEVER = "upstream-never"
    DOWNSTREAM_NEVER = "downstream-never"
    DOWNSTREAM_HEAD = "downstream-head"
    DOWNSTREAM_HEAD_WITH_SOURCES = "downstream-head-with-sources"
    PARALLELISM = "parallelism"
    MAX_PARALLELISM = "max-parallelism"
    PARTITIONER = "partitioner"
    UNKNOWN_NEIGHBOUR = "unknown-neighbour"
    """One end is operators that could not be read: whether it chains is open."""


@record(kw_only=False)
class ChainDecision:
    """Whether an edge chains, and every condition that forbids it (empty when it chains)."""

    reasons: tuple[NotChained, ...]

    @property
    def chained(self) -> bool:
        """True when no condition forbids it."""
        return not self.reasons


@record()
class JobEdge:
    """One input of a job vertex. ``source`` and ``target`` are places in ``JobGraph.vertices``."""

    source: int
    target: int
    ship: PartitionerKind
    pattern: Pattern


@record()
class JobVertex:
    """A chain of operators that run in one task. ``operators`` are node numbers in Flink's order: tail first."""

    head: int
    operators: tuple[int, ...]
    name: str
    parallelism: int
    max_parallelism: int
    slot_sharing_group: str
    chained_sources: tuple[int, ...] = ()

    @property
    def configured_max_parallelism(self) -> int | None:
        """What the program sets, None where it leaves the default."""
        return None if self.max_parallelism == UNSET_MAX_PARALLELISM else self.max_parallelism

    @property
    def effective_max_parallelism(self) -> int:
        """What a snapshot records: the configured value, else the default for the parallelism."""
        return self.configured_max_parallelism or default_max_parallelism(self.parallelism)


@dataclass(frozen=True, kw_only=True)
class JobGraph:
    """Vertices in topological order from the sources, as Flink sorts them, and their edges by input order."""

    vertices: tuple[JobVertex, ...]
    edges: tuple[JobEdge, ...]

    @cached_property
    def vertex_of(self) -> dict[int, int]:
        """Node number → place of the vertex that runs it."""
        return {
            node: place
            for place, vertex in enumerate(self.vertices)
            for node in (*vertex.operators, *vertex.chained_sources)
        }

    def inputs_of(self, place: int) -> tuple[JobEdge, ...]:
        """The job edges into a vertex, in input order."""
        return tuple(e for e in self.edges if e.target == place)


OperatorId = NewType("OperatorId", str)
"""32 lower-case hex digits, as Flink prints an OperatorID or JobVertexID."""


class Basis(StrEnum):
    """What a generated id rests on."""

    UID = "uid"
    POSITION = "position"


@record()
class Ingredients:
    """What went into a generated id (StreamGraphHasherV2): kept so that a change can be explained.

    ``position`` is the number of nodes hashed before this one, None when it can't be known;
    ``chained_outputs`` and ``inputs`` are node numbers in edge order (an input twice is folded twice).
    """

    basis: Basis
    position: int | None
    chained_outputs: tuple[int, ...] = ()
    inputs: tuple[int, ...] = ()


@record()
class Identity:
    """The ids of one stream node.

    ``generated`` is Flink's word: it also holds the id made from a uid. None = undecided, for ``reasons``.
    ``user`` is what ``setUidHash`` gave, in lower case.
    """

    node: int
    generated: OperatorId | None
    user: OperatorId | None
    ingredients: Ingredients
    reasons: tuple[Unknown, ...] = ()


class RefusalKind(StrEnum):
    """Why Flink would refuse to build the job, as ``ids`` spells it."""

    HASH_COLLISION = "hash-collision"
    FORWARD_PARALLELISM = "forward-parallelism"
    MISSING_UID = "missing-uid"
    UID_HASH_ON_SINK = "uid-hash-on-sink"
    MALFORMED_UID_HASH = "malformed-uid-hash"
    NO_OPERATORS = "no-operators"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Flink's refusal: the stable part of its message, and the operators concerned."""

    kind: RefusalKind
    message: str
    operators: tuple[NodeKey, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """Something that an extractor could not determine and whose possible values are tried.

    ``field`` is a field of the transformation with this handle; without one a field of the topology, or ``variant``.
    Where one value of the program's arguments decides on it for several transformations, ``transformation`` is what
    that value is made of (``Unknown.derived_from``).
    """

    field: str
    transformation: str = ""

    def __str__(self) -> str:
        return f"{self.transformation}.{self.field}" if self.transformation else self.field


@dataclass(frozen=True, slots=True)
class Choice:
    """One value taken for a question; ``fresh`` marks one that stands for every value not named in the topology."""

    question: Question
    value: str
    unknown: Unknown
    fresh: bool = False
    ways: tuple[tuple[Decided, ...], ...] = ()
    """Of a shape of the program: the ways to it, see ``Variant``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """An unknown and the nodes whose ids or chains it leaves open."""

    unknown: Unknown
    nodes: tuple[NodeKey, ...]
    """Empty when it concerns the whole pipeline."""
    question: Question | None = None
    """By which the alternatives differ, None for an unknown without alternatives."""


@dataclass(frozen=True, kw_only=True)
class Translation:
    """A topology and all that Flink computes from it.

    Where Flink would refuse the program only ``refusal`` is set. With unknowns, the graphs are those of one of
    the possible programs; ``undecided`` and each identity's ``generated`` say what does not hold for all of them,
    and ``alternatives`` holds every possible program, so that comparisons can ask whether an answer holds in all.
    """

    topology: Topology
    stream_graph: StreamGraph | None = None
    decisions: tuple[ChainDecision, ...] = ()
    identities: tuple[Identity, ...] = ()
    job_graph: JobGraph | None = None
    refusal: Refusal | None = None
    undecided: tuple[Undecided, ...] = ()
    choices: tuple[Choice, ...] = ()
    """In an alternative: what was taken for each unknown."""
    alternatives: tuple[Translation, ...] = ()
    """Every possible program; empty when there is one only (or too many to look at: see ``undecided``)."""
    refused: tuple[Translation, ...] = ()
    """What Flink would refuse for some values of the unknowns: their choices, unknowns and refusals."""

    @cached_property
    def node_by_key(self) -> dict[NodeKey, StreamNode]:
        """The nodes by their key."""
        return {n.key: n for n in self.stream_graph.nodes} if self.stream_graph else {}

    @cached_property
    def open_parallelism(self) -> frozenset[NodeKey]:
        """The nodes whose parallelism is not the same in all possible programs."""
        known = {(key, node.parallelism) for p in self.alternatives for key, node in p.node_by_key.items()}
        return frozenset(key for key, count in Counter(key for key, _ in known).items() if count > 1)

    @cached_property
    def open_partitioners(self) -> frozenset[tuple[NodeKey, NodeKey, int]]:
        """The edges (from, to, ordinal) whose partitioner is not the same in all possible programs."""
        graphs = [p.stream_graph for p in self.alternatives if p.stream_graph is not None]
        known = {
            ((graph.nodes[e.source].key, graph.nodes[e.target].key, e.ordinal), e.partitioner)
            for graph in graphs
            for e in graph.edges
        }
        return frozenset(ends for ends, count in Counter(ends for ends, _ in known).items() if count > 1)

    @property
    def certain(self) -> bool:
        """True when nothing about ids or chains is open."""
        return not self.undecided

    @property
    def programs(self) -> tuple[Translation, ...]:
        """All possible programs; ``(self,)`` if nothing is unknown."""
        return self.alternatives or (self,)
