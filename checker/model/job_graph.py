"""Chains and the job graph: which operators run in one task, and why others do not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from checker.model.stream_graph import Partitioner

UNSET_MAX_PARALLELISM = -1


def default_max_parallelism(parallelism: int) -> int:
    """``KeyGroupRangeAssignment.computeDefaultMaxParallelism``: 128 up to parallelism 85, at most 32768."""
    wanted = parallelism + parallelism // 2
    return min(max(1 << max(wanted - 1, 0).bit_length(), 128), 32768)


class Pattern(StrEnum):
    """``DistributionPattern`` of a job edge."""

    POINTWISE = "POINTWISE"
    ALL_TO_ALL = "ALL_TO_ALL"


class ResultType(StrEnum):
    """``ResultPartitionType`` of an intermediate data set."""

    PIPELINED_BOUNDED = "PIPELINED_BOUNDED"
    BLOCKING = "BLOCKING"


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
