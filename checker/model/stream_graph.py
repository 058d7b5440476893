"""The stream graph that Flink builds from a topology: physical operators and the edges between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from checker.model.records import record
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind, Transformation
from checker.model.unknowns import Maybe, Unknown


class Role(StrEnum):
    """Which of the nodes that one transformation expands to this is."""

    MAIN = "main"
    WRITER = "writer"
    COMMITTER = "committer"
    GLOBAL_COMMITTER = "global-committer"
    PRE_WRITE = "pre-write"
    PRE_COMMIT = "pre-commit"
    POST_COMMIT = "post-commit"


@record(kw_only=False, order=True)
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


@record()
class StreamEdge:
    """An edge between two stream nodes; ``number`` is its place in ``StreamGraph.edges``."""

    number: int
    source: int
    target: int
    type: int
    partitioner: PartitionerKind
    tag: str | None = None
    ordinal: int = 0
    """How many edges from ``source`` to ``target`` came before (``uniqueId`` in Flink)."""


@record()
class StreamNode:
    """A physical operator of the stream graph.

    ``number`` is its rank in creation order and its place in ``StreamGraph.nodes``. ``key`` names it within its
    topology; ``declared`` is the declaration it comes from. ``kind`` is what it runs: of a sink's own ones an operator.
    ``uid`` may be an Unknown: set by the program, to a value nobody could read.
    """

    number: int
    key: NodeKey
    declared: Transformation
    kind: Kind
    name: str
    uid: Maybe[str] | None
    uid_hash: Maybe[str] | None
    parallelism: int
    max_parallelism: int
    slot_sharing_group: str
    chaining: ChainingStrategy | None
    yielding: bool
    stateful: bool | Unknown
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
        return self.kind is Kind.SOURCE or any(s.kind == "coordinator" for s in self.declared.known_states)


@dataclass(frozen=True, kw_only=True)
class StreamGraph:
    """Nodes by creation order, edges by creation order. The order of a node's edges is data: ids depend on it."""

    nodes: tuple[StreamNode, ...]
    edges: tuple[StreamEdge, ...]
    sources: tuple[int, ...]
    """Node numbers of sources in ascending order of their Flink id."""
    chaining: bool
    chain_different_max_parallelism: bool = True

    def inputs_of(self, node: StreamNode) -> tuple[StreamEdge, ...]:
        """In-edges in order."""
        return tuple([self.edges[e] for e in node.in_edges])

    def outputs_of(self, node: StreamNode) -> tuple[StreamEdge, ...]:
        """Out-edges in order."""
        return self._outputs[node.number]

    @cached_property
    def _outputs(self) -> tuple[tuple[StreamEdge, ...], ...]:
        return tuple([tuple([self.edges[e] for e in node.out_edges]) for node in self.nodes])
