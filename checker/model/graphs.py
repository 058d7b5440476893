"""What Flink makes of a topology: stream graph, chains, operator ids and job graph, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NewType

from checker.model.topology import ChainingStrategy, Maybe, Topology, Transformation, Unknown

OperatorId = NewType("OperatorId", str)
"""32 lower-case hex digits, as Flink prints an OperatorID or JobVertexID."""

UNSET_MAX_PARALLELISM = -1


def default_max_parallelism(parallelism: int) -> int:
    """``KeyGroupRangeAssignment.computeDefaultMaxParallelism``: 128 up to parallelism 85, at most 32768."""
    wanted = parallelism + parallelism // 2
    return min(max(1 << max(wanted - 1, 0).bit_length(), 128), 32768)


class Partitioner(StrEnum):
    """A partitioner on an edge, as Flink's ``toString`` spells it (the two dynamic ones print as FORWARD)."""

    FORWARD = "FORWARD"
    REBALANCE = "REBALANCE"
    RESCALE = "RESCALE"
    SHUFFLE = "SHUFFLE"
    BROADCAST = "BROADCAST"
    GLOBAL = "GLOBAL"
    HASH = "HASH"
    CUSTOM = "CUSTOM"
    FORWARD_FOR_CONSECUTIVE_HASH = "FORWARD_FOR_CONSECUTIVE_HASH"
    FORWARD_FOR_UNSPECIFIED = "FORWARD_FOR_UNSPECIFIED"

    @property
    def forward(self) -> bool:
        """True for ForwardPartitioner and its subclasses."""
        return self in _FORWARD

    @property
    def pointwise(self) -> bool:
        """Whether a job edge with this partitioner has the distribution pattern POINTWISE."""
        return self in _FORWARD or self is Partitioner.RESCALE


_FORWARD = frozenset(
    {Partitioner.FORWARD, Partitioner.FORWARD_FOR_CONSECUTIVE_HASH, Partitioner.FORWARD_FOR_UNSPECIFIED}
)


class ExchangeMode(StrEnum):
    """``StreamExchangeMode`` on an edge."""

    PIPELINED = "PIPELINED"
    BATCH = "BATCH"
    UNDEFINED = "UNDEFINED"


class Pattern(StrEnum):
    """``DistributionPattern`` of a job edge."""

    POINTWISE = "POINTWISE"
    ALL_TO_ALL = "ALL_TO_ALL"


class ResultType(StrEnum):
    """``ResultPartitionType`` of an intermediate data set."""

    PIPELINED_BOUNDED = "PIPELINED_BOUNDED"
    BLOCKING = "BLOCKING"


class NodeKind(StrEnum):
    """What a stream node runs, as far as chaining and restore rules care."""

    SOURCE = "source"
    LEGACY_SOURCE = "legacy-source"
    OPERATOR = "operator"
    LEGACY_SINK = "legacy-sink"
    ITERATION = "iteration"
    """Head or tail of a 1.x iteration: has no operator factory."""
    UNKNOWN = "unknown"
    """Stands for operators that could not be read: no node of Flink's."""


class Role(StrEnum):
    """Which of the nodes that one transformation expands to this is."""

    MAIN = "main"
    WRITER = "writer"
    COMMITTER = "committer"
    GLOBAL_COMMITTER = "global-committer"
    PRE_WRITE = "pre-write"
    PRE_COMMIT = "pre-commit"
    POST_COMMIT = "post-commit"
    ITERATION_SOURCE = "iteration-source"
    ITERATION_SINK = "iteration-sink"


@dataclass(frozen=True, slots=True, order=True)
class NodeKey:
    """Which operator of a topology a node is: stable from revision to revision, text only where it is printed.

    ``declaration`` is the handle of the declaration, ``part`` that of a transformation in a sink's own topology (with
    ``/`` between sinks inside of sinks), ``role`` which of the operators it expands to.
    """

    declaration: str
    part: str = ""
    role: Role = Role.MAIN

    def __str__(self) -> str:
        handle = f"{self.declaration}/{self.part}" if self.part else self.declaration
        return handle if self.role in _ONLY_OPERATORS else f"{handle}#{self.role}"

    @property
    def handle(self) -> NodeKey:
        """The declaration alone: all operators of a sink have one."""
        return NodeKey(self.declaration, self.part)


_ONLY_OPERATORS = frozenset({Role.MAIN, Role.PRE_WRITE, Role.PRE_COMMIT, Role.POST_COMMIT})
"""Roles of which a transformation has one at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEdge:
    """An edge between two stream nodes; ``number`` is its place in ``StreamGraph.edges``."""

    number: int
    source: int
    target: int
    type: int
    partitioner: Partitioner
    exchange: ExchangeMode
    tag: str | None = None
    ordinal: int = 0
    """How many edges from ``source`` to ``target`` came before (``uniqueId`` in Flink)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamNode:
    """A physical operator of the stream graph.

    ``number`` is its rank in creation order and its place in ``StreamGraph.nodes``. ``key`` names it within its
    topology; ``declared`` is the declaration it comes from. ``uid`` may be an Unknown: set by the program, to a value
    nobody could read.
    """

    number: int
    key: NodeKey
    declared: Transformation
    kind: NodeKind
    name: str
    uid: Maybe[str] | None
    uid_hash: Maybe[str] | None
    parallelism: int
    max_parallelism: int
    slot_sharing_group: str
    co_location_group: str | None
    chaining: ChainingStrategy | None
    yielding: bool
    stateful: bool | Unknown
    output_at_end: bool
    in_edges: tuple[int, ...] = ()
    out_edges: tuple[int, ...] = ()

    @property
    def role(self) -> Role:
        """Which of the operators that its declaration expands to it is."""
        return self.key.role

    @property
    def transformation(self) -> str | None:
        """The handle of its declaration, None for a node that an expansion made."""
        return self.key.declaration if self.role is Role.MAIN else None

    @property
    def has_coordinator(self) -> bool:
        """Whether an operator coordinator keeps state beside the operator (every FLIP-27 source does)."""
        if self.kind is NodeKind.SOURCE:
            return True
        state = self.declared.state
        return not isinstance(state, Unknown) and any(s.kind == "coordinator" for s in state)


@dataclass(frozen=True, kw_only=True)
class StreamGraph:
    """Nodes by creation order, edges by creation order. The order of a node's edges is data: ids depend on it."""

    nodes: tuple[StreamNode, ...]
    edges: tuple[StreamEdge, ...]
    sources: tuple[int, ...]
    """Node numbers of sources and iteration heads in ascending order of their Flink id."""
    chaining: bool
    chain_different_max_parallelism: bool = True
    vertex_index_prefix: bool = False
    """Names of vertices begin with their place in topological order."""
    batch: bool = False
    """Batch runtime mode: results between tasks are blocking."""

    def inputs_of(self, node: StreamNode) -> tuple[StreamEdge, ...]:
        """In-edges in order."""
        return tuple(self.edges[e] for e in node.in_edges)

    def outputs_of(self, node: StreamNode) -> tuple[StreamEdge, ...]:
        """Out-edges in order."""
        return tuple(self.edges[e] for e in node.out_edges)


class NotChained(StrEnum):
    """Why an edge does not chain: the conditions of ``isChainable``, in the order they are reported."""

    SEVERAL_INPUTS = "several-inputs"
    CHAINING_DISABLED = "chaining-disabled"
    SLOT_SHARING_GROUP = "slot-sharing-group"
    NO_OPERATOR = "no-operator"
    YIELDING_BEHIND_LEGACY_SOURCE = "yielding-behind-legacy-source"
    UPSTREAM_NEVER = "upstream-never"
    DOWNSTREAM_NEVER = "downstream-never"
    DOWNSTREAM_HEAD = "downstream-head"
    DOWNSTREAM_HEAD_WITH_SOURCES = "downstream-head-with-sources"
    PARALLELISM = "parallelism"
    MAX_PARALLELISM = "max-parallelism"
    PARTITIONER = "partitioner"
    BATCH_EXCHANGE = "batch-exchange"
    UNKNOWN_NEIGHBOUR = "unknown-neighbour"
    """One end is operators that could not be read: whether it chains is open."""


@dataclass(frozen=True, slots=True)
class ChainDecision:
    """Whether an edge chains, and every condition that forbids it (empty when it chains)."""

    edge: int
    reasons: tuple[NotChained, ...]

    @property
    def chained(self) -> bool:
        """True when no condition forbids it."""
        return not self.reasons


class Basis(StrEnum):
    """What a generated id rests on."""

    UID = "uid"
    POSITION = "position"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """What went into a generated id (StreamGraphHasherV2): kept so that a change can be explained.

    ``position`` is the number of nodes hashed before this one, None when it can't be known;
    ``chained_outputs`` and ``inputs`` are node numbers in edge order (an input twice is folded twice).
    """

    basis: Basis
    position: int | None
    chained_outputs: tuple[int, ...] = ()
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEdge:
    """One input of a job vertex. ``source`` and ``target`` are places in ``JobGraph.vertices``."""

    source: int
    target: int
    ship: Partitioner
    pattern: Pattern
    result: ResultType


@dataclass(frozen=True, slots=True, kw_only=True)
class JobVertex:
    """A chain of operators that run in one task. ``operators`` are node numbers in Flink's order: tail first."""

    head: int
    operators: tuple[int, ...]
    name: str
    parallelism: int
    max_parallelism: int
    slot_sharing_group: str
    co_location_group: str | None
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
    """Flink's refusal: its message as far as it is stable, and the operators concerned."""

    kind: RefusalKind
    message: str
    operators: tuple[NodeKey, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """A thing that an extractor could not tell and whose values are tried.

    ``field`` is a field of the transformation with this handle; without one a field of the topology, or ``variant``.
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
    answer: str | None = None
    """What makes it the same answer in another revision; None = ``value``."""

    @property
    def key(self) -> str:
        """The answer, to be compared with another revision's."""
        return self.value if self.answer is None else self.answer


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
        found: dict[NodeKey, set[int]] = {}
        for program in self.programs:
            for key, node in program.node_by_key.items():
                found.setdefault(key, set()).add(node.parallelism)
        return frozenset(key for key, values in found.items() if len(values) > 1)

    @cached_property
    def open_partitioners(self) -> frozenset[tuple[NodeKey, NodeKey, int]]:
        """The edges (from, to, ordinal) whose partitioner is not the same in all possible programs."""
        found: dict[tuple[NodeKey, NodeKey, int], set[Partitioner]] = {}
        for program in self.programs:
            nodes = program.stream_graph.nodes if program.stream_graph is not None else ()
            for edge in program.stream_graph.edges if program.stream_graph is not None else ():
                ends = (nodes[edge.source].key, nodes[edge.target].key, edge.ordinal)
                found.setdefault(ends, set()).add(edge.partitioner)
        return frozenset(ends for ends, values in found.items() if len(values) > 1)

    @property
    def certain(self) -> bool:
        """True when nothing about ids or chains is open."""
        return not self.undecided

    @property
    def programs(self) -> tuple[Translation, ...]:
        """Every possible program, this one where there is only one."""
        return self.alternatives or (self,)
