"""Nodes and edges of a stream graph while it is built: what ``StreamGraph`` itself does, for the walk and for sinks.

Nodes are known by their Flink id, which orders them; ``frozen`` gives them the numbers that the finished graph has.
Whether a node keeps state is what Flink's restore check says: the snapshot holds any handle for the operator, even an
empty one. Keyed process functions and windows register their timer queues and so always do.
"""

from dataclasses import dataclass

from checker.flink.versions import RefusedError, Semantics
from checker.model.stream_graph import NodeKey, Role, StreamEdge, StreamGraph, StreamNode
from checker.model.topology import ChainingStrategy, Kind, Mode, PartitionerKind, Topology, Transformation
from checker.model.translation import UNSET_MAX_PARALLELISM, RefusalKind
from checker.model.unknowns import Maybe, Unknown

ALWAYS_STATEFUL = frozenset(
    {
        "window", "window-all", "reduce", "keyed-reduce", "keyed-aggregation", "aggregation", "keyed-process",
        "keyed-co-process", "co-keyed-process", "interval-join", "cep", "async-wait", "file-reader", "file-monitor",
        "broadcast-process", "keyed-broadcast-process", "co-process-broadcast", "co-process-broadcast-keyed",
        "queryable-state",
    }
)  # fmt: skip
"""Calls whose operator registers state of its own, whatever the user function does."""

_LEGACY_TIMERS = frozenset({"process", "co-process"})
"""Calls that keep timers on keyed streams too (``LegacyKeyedProcessOperator``, ``LegacyKeyedCoProcessOperator``)."""

_COMMITTING = frozenset({Role.COMMITTER, Role.GLOBAL_COMMITTER})
YIELDING = frozenset({"async-wait", "file-reader"})
"""Operators whose factory is a YieldingOperatorFactory: never chained behind a legacy source."""


DEFAULT_GROUP = "default"
Ids = tuple[int, ...]
_PREFIX = {Kind.SOURCE: "Source: ", Kind.LEGACY_SOURCE: "Source: ", Kind.LEGACY_SINK: "Sink: "}


@dataclass(frozen=True, slots=True)
class _Virtual:
    """A virtual partition (``partitioner``) or side-output (``tag``) node in front of ``origin``."""

    origin: int
    partitioner: PartitionerKind | None = None
    tag: str | None = None


def known(value: Maybe[str] | None, otherwise: str) -> str:
    """A text for people where a name may be unknown: names never enter a hash."""
    return value if isinstance(value, str) else otherwise


class GraphUnderConstruction:
    """The nodes, virtual nodes and edges made so far. Every method that adds may raise RefusedError."""

    def __init__(self, topology: Topology, semantics: Semantics) -> None:
        self.topology = topology
        self.semantics = semantics
        self.parallelism = topology.parallelism if isinstance(topology.parallelism, int) else 1
        self.job_max = topology.max_parallelism if isinstance(topology.max_parallelism, int) else UNSET_MAX_PARALLELISM
        self._next_id = len(topology.transformations) + 1
        self.nodes: dict[int, StreamNode] = {}
        self._edges: list[StreamEdge] = []
        self._ordinals: dict[tuple[int, int], int] = {}
        self._virtual: dict[int, _Virtual] = {}

    def new_id(self) -> int:
        """The next id of Flink's transformation counter."""
        self._next_id += 1
        return self._next_id - 1

    def add_operator(
        self, settings: Transformation, declared: Transformation, key: NodeKey, inputs: tuple[Ids, ...], flink_id: int
    ) -> Ids:
        """One physical node with its in-edges: what it runs under ``settings``, what the program ``declared``."""
        name = known(settings.name, settings.id)
        self.nodes[flink_id] = StreamNode(
            number=flink_id,
            key=key,
            declared=declared,
            kind=settings.kind,
            name=_PREFIX.get(settings.kind, "") + name,
            uid=settings.uid,
            uid_hash=settings.uid_hash,
            parallelism=settings.parallelism if isinstance(settings.parallelism, int) else self.parallelism,
            max_parallelism=settings.max_parallelism if isinstance(settings.max_parallelism, int) else self.job_max,
            slot_sharing_group=self._slot_sharing_group(settings, inputs),
            chaining=self._chaining_of(settings),
            yielding=settings.operator in YIELDING if settings.yielding is None else settings.yielding,
            stateful=self._stateful(declared, key.role, settings.kind),
        )
        first = 0 if len(inputs) < 2 and settings.operator != "multiple-input" else 1
        for number, several in enumerate(inputs, start=first):
            for source in several:
                self.add_edge(source, flink_id, number)
        self.check_uid(settings, name, key)
        return () if settings.kind is Kind.LEGACY_SINK else (flink_id,)

    def _stateful(self, declared: Transformation, role: Role, kind: Kind) -> bool | Unknown:
        """Whether a node keeps state: none of a batch job does between runs. Unknown where its function is."""
        if self.topology.mode is Mode.BATCH:
            return False
        if kind is Kind.UNKNOWN:
            return declared.unknown or Unknown("operators that could not be read")
        if role in _COMMITTING:
            return True
        if declared.stateful is not None:
            return declared.stateful
        if declared.kind is Kind.SOURCE or declared.operator in ALWAYS_STATEFUL:
            return True
        if declared.keyed and declared.operator in _LEGACY_TIMERS:
            return True
        return declared.state if isinstance(declared.state, Unknown) else bool(declared.state)

    def translate_virtual(self, declared: Transformation, inputs: Ids) -> Ids:
        """Partition and side output: a virtual node per input id. Union and cache: the ids as they are."""
        if declared.kind is Kind.PARTITION:
            asked = declared.partitioner
            return self.partitioned(inputs, asked if isinstance(asked, PartitionerKind) else PartitionerKind.REBALANCE)
        if declared.kind is Kind.SIDE_OUTPUT:
            tag = known(declared.tag, declared.id)
            return tuple(self._add_virtual(_Virtual(i, tag=tag)) for i in inputs)
        return inputs

    def _add_virtual(self, virtual: _Virtual) -> int:
        """A virtual node with an id of its own."""
        number = self.new_id()
        self._virtual[number] = virtual
        return number

    def partitioned(self, ids: Ids, partitioner: PartitionerKind) -> Ids:
        """A partition in front of each id."""
        return tuple([self._add_virtual(_Virtual(i, partitioner=partitioner)) for i in ids])

    def _chaining_of(self, declared: Transformation) -> ChainingStrategy | None:
        """Own strategy, else the operator's default in this version."""
        if declared.kind is Kind.UNKNOWN:
            return None
        if isinstance(declared.chaining, ChainingStrategy):
            return declared.chaining
        if declared.kind is Kind.LEGACY_SOURCE:
            return ChainingStrategy.HEAD
        if declared.kind is Kind.OPERATOR and len(declared.inputs) == 2:
            return self.semantics.two_input_chaining
        return ChainingStrategy.ALWAYS

    def _slot_sharing_group(self, declared: Transformation, inputs: tuple[Ids, ...]) -> str:
        """``determineSlotSharingGroup``: explicit, else what all inputs agree on, else ``default``."""
        if isinstance(declared.slot_sharing_group, str):
            return declared.slot_sharing_group
        groups = {self.nodes[self.origin(i)].slot_sharing_group for ids in inputs for i in ids}
        return groups.pop() if len(groups) == 1 else DEFAULT_GROUP

    def origin(self, node: int) -> int:
        """The physical node behind virtual ones."""
        while node in self._virtual:
            node = self._virtual[node].origin
        return node

    def check_uid(self, declared: Transformation, name: str, key: NodeKey) -> None:
        """``pipeline.auto-generate-uids = false``: every physical operator needs a uid or a hash."""
        if self.topology.auto_generate_uids is not False or declared.kind is Kind.UNKNOWN:
            return
        if declared.uid is None and declared.uid_hash is None:
            raise RefusedError(
                RefusalKind.MISSING_UID,
                f"Auto generated UIDs have been disabled but no UID or hash has been assigned to operator {name}",
                key.handle,
            )

    def add_edge(self, upstream: int, downstream: int, type_number: int) -> None:
        """``StreamGraph.addEdge``: resolve virtual nodes from the consumer's side, then make the real edge.

        The partitioner and tag nearest the consumer win.
        """
        partitioner: PartitionerKind | None = None
        tag: str | None = None
        while upstream in self._virtual:
            virtual = self._virtual[upstream]
            if virtual.partitioner is None:
                tag = virtual.tag if tag is None else tag
            else:
                partitioner = virtual.partitioner if partitioner is None else partitioner
            upstream = virtual.origin
        source, target = self.nodes[upstream], self.nodes[downstream]
        same = source.parallelism == target.parallelism
        if partitioner is None:
            partitioner = PartitionerKind.FORWARD if same else PartitionerKind.REBALANCE
        if partitioner is PartitionerKind.FORWARD and not same and Kind.UNKNOWN not in (source.kind, target.kind):
            raise RefusedError(
                RefusalKind.FORWARD_PARALLELISM,
                "Forward partitioning does not allow change of parallelism. "
                f"Upstream operation: {source.name} parallelism: {source.parallelism}, "
                f"downstream operation: {target.name} parallelism: {target.parallelism} "
                "You must use another partitioning strategy, such as broadcast, rebalance, shuffle or global.",
                source.key.handle,
                target.key.handle,
            )
        ordinal = self._ordinals.get((upstream, downstream), 0)
        self._ordinals[upstream, downstream] = ordinal + 1
        self._edges.append(
            StreamEdge(
                number=len(self._edges),
                source=upstream,
                target=downstream,
                type=type_number,
                partitioner=partitioner,
                tag=tag,
                ordinal=ordinal,
            )
        )

    def frozen(self, sources: list[int]) -> StreamGraph:
        """The graph, its nodes numbered by ascending Flink id. Nothing can be added any more."""
        order = sorted(self.nodes)
        rank = {flink_id: number for number, flink_id in enumerate(order)}
        into: list[list[int]] = [[] for _ in order]
        out_of: list[list[int]] = [[] for _ in order]
        for edge in self._edges:
            source, target = rank[edge.source], rank[edge.target]
            _complete(edge, "source", source)
            _complete(edge, "target", target)
            into[target].append(edge.number)
            out_of[source].append(edge.number)
        nodes = tuple([self.nodes[flink_id] for flink_id in order])
        for number, node in enumerate(nodes):
            _complete(node, "number", number)
            _complete(node, "in_edges", tuple(into[number]))
            _complete(node, "out_edges", tuple(out_of[number]))
        different = self.topology.chain_different_max_parallelism is not False
        return StreamGraph(
            nodes=nodes,
            edges=tuple(self._edges),
            sources=tuple(rank[s] for s in sorted(sources)),
            chaining=self.topology.chaining is not False,
            chain_different_max_parallelism=different or not self.semantics.max_parallelism_chaining_option,
        )


_complete = object.__setattr__
"""Fills in what is known once all nodes are there. In place: only the builder has the record."""
