"""Which edges chain, and for every other edge each condition that forbids it.

Source: ``StreamingJobGraphGenerator.isChainable`` of 1.13 to 2.3 and ``StreamGraphHasherV2``, which counts
chainable out-edges.
"""

from checker.model.stream_graph import StreamEdge, StreamGraph, StreamNode
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind
from checker.model.translation import ChainDecision, NotChained


class Chaining:
    """The chaining predicate over one stream graph; heads of chains are looked up once."""

    def __init__(self, graph: StreamGraph) -> None:
        self.graph = graph
        self._heads: dict[int, StreamNode] = {}
        self._decisions: dict[int, ChainDecision] = {}

    def decide(self, edge: StreamEdge) -> ChainDecision:
        """Whether ``edge`` chains, with all reasons against."""
        decision = self._decisions.get(edge.number)
        if decision is None:
            target = self.graph.nodes[edge.target]
            several = (NotChained.SEVERAL_INPUTS,) if len(target.in_edges) != 1 else ()
            decision = ChainDecision(several + self._conditions(edge))
            self._decisions[edge.number] = decision
        return decision

    def chained_source_input(self, edge: StreamEdge) -> bool:
        """Whether ``edge`` makes its source a chained source of a multi-input operator."""
        source, target = self.graph.nodes[edge.source], self.graph.nodes[edge.target]
        return (
            source.kind is Kind.SOURCE
            and len(source.out_edges) == 1
            and target.chaining is ChainingStrategy.HEAD_WITH_SOURCES
            and not self._conditions(edge)
            and not any(
                sibling.number != edge.number and sibling.type == edge.type for sibling in self.graph.inputs_of(target)
            )
        )

    def _conditions(self, edge: StreamEdge) -> tuple[NotChained, ...]:
        """Every condition but the number of inputs."""
        graph = self.graph
        up, down = graph.nodes[edge.source], graph.nodes[edge.target]
        against: list[NotChained] = []
        if Kind.UNKNOWN in (up.kind, down.kind):
            return (NotChained.UNKNOWN_NEIGHBOUR,)
        if not graph.chaining:
            against.append(NotChained.CHAINING_DISABLED)
        if up.slot_sharing_group != down.slot_sharing_group:
            against.append(NotChained.SLOT_SHARING_GROUP)
        against.extend(self._strategies(up, down))
        if up.parallelism != down.parallelism:
            against.append(NotChained.PARALLELISM)
        if not graph.chain_different_max_parallelism and up.max_parallelism != down.max_parallelism:
            against.append(NotChained.MAX_PARALLELISM)
        if edge.partitioner is not PartitionerKind.FORWARD:
            against.append(NotChained.PARTITIONER)
        return tuple(against)

    def _strategies(self, up: StreamNode, down: StreamNode) -> list[NotChained]:
        against: list[NotChained] = []
        if down.yielding and self._head(up).kind is Kind.LEGACY_SOURCE:
            against.append(NotChained.YIELDING_BEHIND_LEGACY_SOURCE)
        if up.chaining is ChainingStrategy.NEVER:
            against.append(NotChained.UPSTREAM_NEVER)
        if down.chaining is ChainingStrategy.NEVER:
            against.append(NotChained.DOWNSTREAM_NEVER)
        elif down.chaining is ChainingStrategy.HEAD:
            against.append(NotChained.DOWNSTREAM_HEAD)
        elif down.chaining is ChainingStrategy.HEAD_WITH_SOURCES and up.kind is not Kind.SOURCE:
            against.append(NotChained.DOWNSTREAM_HEAD_WITH_SOURCES)
        return against

    def _head(self, node: StreamNode) -> StreamNode:
        """``getHeadOperator``: up the chain while there is one in-edge and it chains. Iterative: chains can be long."""
        passed: list[StreamNode] = []
        while node.number not in self._heads:
            passed.append(node)
            if len(node.in_edges) != 1:
                break
            edge = self.graph.edges[node.in_edges[0]]
            if self._chains_without_yielding_above(edge):
                node = self.graph.nodes[edge.source]
                continue
            break
        head = self._heads.get(node.number, node)
        for member in passed:
            self._heads[member.number] = head
        return head

    def _chains_without_yielding_above(self, edge: StreamEdge) -> bool:
        """``edge`` chains. A yielding node on the way is decided by asking for the head above it, a strictly
        smaller question that ends at the sources."""
        down = self.graph.nodes[edge.target]
        if down.yielding:
            return self.decide(edge).chained
        return not self._conditions(edge)


def decide_chains(graph: StreamGraph) -> tuple[ChainDecision, ...]:
    """One decision per edge, by edge number."""
    return tuple(map(Chaining(graph).decide, graph.edges))
