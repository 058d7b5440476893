"""Topology → StreamGraph, as ``StreamGraphGenerator`` and ``StreamGraph`` do it in streaming mode.

Works on topologies without alternatives: an Unknown that is still in one (a uid, a name) leaves the shape of
the graph alone. Node ids follow Flink's counter in relative order, which is all that hashing looks at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from checker.errors import GraphTooLargeError
from checker.flink import sinks
from checker.flink.refused import RefusedError
from checker.flink.statefulness import stateful, yielding
from checker.flink.versions import Semantics
from checker.model.graphs import (
    UNSET_MAX_PARALLELISM,
    ExchangeMode,
    NodeKind,
    Partitioner,
    RefusalKind,
    Role,
    StreamEdge,
    StreamGraph,
    StreamNode,
)
from checker.model.topology import ChainingStrategy, Exchange, Kind, Maybe, Mode, Topology, Transformation, Unknown

DEFAULT_GROUP = "default"
MAX_CONNECTIONS = 100_000
"""Inputs of all transformations together, each counted once per node that it stands for. A union passes on every node
of its inputs, so ``d = d.union(d)`` doubles them each time."""
_UID_HASH = re.compile(r"[0-9a-fA-F]{32}")
_NODE_KINDS = {
    Kind.SOURCE: NodeKind.SOURCE,
    Kind.LEGACY_SOURCE: NodeKind.LEGACY_SOURCE,
    Kind.OPERATOR: NodeKind.OPERATOR,
    Kind.LEGACY_SINK: NodeKind.LEGACY_SINK,
    Kind.UNKNOWN: NodeKind.UNKNOWN,
}
_PREFIX = {Kind.SOURCE: "Source: ", Kind.LEGACY_SOURCE: "Source: ", Kind.LEGACY_SINK: "Sink: "}


@dataclass(slots=True)
class Node:
    """A stream node while the graph is built. ``flink_id`` orders nodes; edges are by place in ``edges``."""

    flink_id: int
    transformation: str | None
    declared: Transformation
    role: Role
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
    in_edges: list[int] = field(default_factory=list)
    out_edges: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Edge:
    source: int
    target: int
    type: int
    partitioner: Partitioner
    exchange: ExchangeMode
    tag: str | None
    ordinal: int


@dataclass(frozen=True, slots=True)
class _Virtual:
    """A virtual partition (``partitioner``, ``exchange``) or side-output (``tag``) node in front of ``origin``."""

    origin: int
    partitioner: Partitioner | None = None
    exchange: ExchangeMode | None = None
    tag: str | None = None


def known(value: Maybe[str] | None, otherwise: str) -> str:
    """A text for people where a name may be unknown: names never enter a hash."""
    return value if isinstance(value, str) else otherwise


class GraphBuilder:
    """Translates registered transformations in order, inputs first, each once."""

    def __init__(self, topology: Topology, semantics: Semantics) -> None:
        self.topology = topology
        self.semantics = semantics
        self.parallelism = topology.parallelism if isinstance(topology.parallelism, int) else 1
        self.job_max = topology.max_parallelism if isinstance(topology.max_parallelism, int) else UNSET_MAX_PARALLELISM
        self.declared = {t.id: t for t in topology.transformations}
        self.flink_id = {t.id: place for place, t in enumerate(topology.transformations, start=1)}
        self._next_id = len(topology.transformations) + 1
        self._next_iteration_id = 0
        self.nodes: dict[int, Node] = {}
        self.edges: list[_Edge] = []
        self._between: dict[tuple[int, int], int] = {}
        self._virtual: dict[int, _Virtual] = {}
        self._done: dict[str, tuple[int, ...]] = {}
        self._sources: list[int] = []
        self._connections = 0

    def build(self) -> StreamGraph:
        """The whole graph. Raises RefusedError where Flink would refuse the program, and GraphTooLargeError."""
        for transformation in self.topology.transformations:
            self._check_declaration(transformation)
        registered = [
            t for t in self.topology.transformations
            if t.kind in (Kind.OPERATOR, Kind.SINK, Kind.LEGACY_SINK, Kind.UNKNOWN)
        ]  # fmt: skip
        if not registered:
            raise RefusedError(RefusalKind.NO_OPERATORS, "No operators defined in streaming topology. Cannot execute.")
        for transformation in registered:
            self.transform(transformation.id)
        return self._freeze()

    def _check_declaration(self, transformation: Transformation) -> None:
        """What the DataStream API refuses at the call itself."""
        uid_hash = transformation.uid_hash
        if transformation.kind is Kind.SINK and uid_hash is not None:
            message = (
                "Cannot set a custom UID hash on a non-legacy sink"
                if self.semantics.sink_shape is sinks.SinkShape.EXPANDED
                else "Setting a UidHash is not supported for SinkTransformation."
            )
            raise RefusedError(RefusalKind.UID_HASH_ON_SINK, message, transformation.id)
        if isinstance(uid_hash, str) and not _UID_HASH.fullmatch(uid_hash):
            raise RefusedError(
                RefusalKind.MALFORMED_UID_HASH,
                f"Node hash must be a 32 character String that describes a hex code. Found: {uid_hash}",
                transformation.id,
            )
        if transformation.kind is Kind.FEEDBACK and not self.semantics.iterations:
            raise RefusedError(
                RefusalKind.INVALID, "Iterations (iterate) were removed in Flink 2.0.", transformation.id
            )

    def new_id(self) -> int:
        """The next id of Flink's transformation counter."""
        self._next_id += 1
        return self._next_id - 1

    def transform(self, root: str) -> tuple[int, ...]:
        """Translate a transformation and, before it, its inputs in order; memoised."""
        stack = [root]
        while stack:
            current = stack[-1]
            if current in self._done:
                stack.pop()
                continue
            declared = self.declared[current]
            missing = next((i for i in declared.inputs if i not in self._done), None)
            if missing is not None and not (declared.kind is Kind.FEEDBACK and declared.co_feedback):
                stack.append(missing)
                continue
            self._translate(declared)
            stack.pop()
        return self._done[root]

    def stream(self, ids: tuple[str, ...]) -> tuple[int, ...]:
        """All node ids that stand for already translated transformations, in order."""
        return tuple(node for one in ids for node in self._done[one])

    def _translate(self, declared: Transformation) -> None:
        self._connections += sum(len(self._done.get(one, ())) for one in declared.inputs)
        if self._connections > MAX_CONNECTIONS:
            raise GraphTooLargeError(
                f"{self.topology.name}: at {declared.display_name} the stream graph has more than {MAX_CONNECTIONS} "
                "connections: it is not computed. Unite a stream with itself fewer times"
            )
        if declared.kind is Kind.SINK:
            sinks.expand(self, declared, self.stream(declared.inputs))
            self._done[declared.id] = ()
        elif declared.kind is Kind.FEEDBACK:
            self._translate_iteration(declared)
        else:
            self._done[declared.id] = self.translate_simple(
                declared, tuple(self._done[i] for i in declared.inputs), self.flink_id[declared.id]
            )

    def translate_simple(
        self, declared: Transformation, inputs: tuple[tuple[int, ...], ...], flink_id: int
    ) -> tuple[int, ...]:
        """Everything but sinks and iterations: virtual kinds pass ids on, the others become a node."""
        if declared.kind.virtual:
            return self.translate_virtual(declared, tuple(i for ids in inputs for i in ids))
        node = self.add_operator(declared, declared, Role.MAIN, inputs, flink_id)
        if declared.kind.source or (declared.kind is Kind.UNKNOWN and not declared.inputs):
            self._sources.append(flink_id)
        return node

    def add_operator(
        self, settings: Transformation, declared: Transformation, role: Role, inputs: tuple[tuple[int, ...], ...],
        flink_id: int,
    ) -> tuple[int, ...]:  # fmt: skip
        """One physical node with its in-edges: what it runs under ``settings``, what the program ``declared``."""
        ids = tuple(i for one in inputs for i in one)
        name = known(settings.name, settings.id)
        self.nodes[flink_id] = Node(
            flink_id=flink_id,
            transformation=declared.id if role is Role.MAIN else None,
            declared=declared,
            role=role,
            kind=_NODE_KINDS[settings.kind],
            name=_PREFIX.get(settings.kind, "") + name,
            uid=settings.uid,
            uid_hash=settings.uid_hash,
            parallelism=self.parallelism_of(settings, self.parallelism),
            max_parallelism=self.max_parallelism_of(settings),
            slot_sharing_group=self.slot_sharing_group(settings, ids),
            co_location_group=known(settings.co_location_group, "") or None,
            chaining=self.chaining_of(settings),
            yielding=yielding(settings),
        )
        first = 0 if len(inputs) < 2 and settings.operator != "multiple-input" else 1
        for number, several in enumerate(inputs, start=first):
            for one in several:
                self.add_edge(one, flink_id, number)
        self.check_uid(settings, name)
        return () if settings.kind is Kind.LEGACY_SINK else (flink_id,)

    def translate_virtual(self, declared: Transformation, inputs: tuple[int, ...]) -> tuple[int, ...]:
        """Partition and side output: a virtual node per input id. Union and cache: the ids as they are."""
        if declared.kind is Kind.PARTITION:
            exchange = ExchangeMode[(declared.exchange or Exchange.UNDEFINED).name]
            if exchange is ExchangeMode.BATCH and self.semantics.batch_exchange_reset:
                exchange = ExchangeMode.UNDEFINED
            partitioner = declared.partitioner
            kind = (
                Partitioner.REBALANCE
                if partitioner is None or isinstance(partitioner, Unknown)
                else Partitioner[partitioner.name]
            )
            return tuple(self.add_virtual(_Virtual(i, partitioner=kind, exchange=exchange)) for i in inputs)
        if declared.kind is Kind.SIDE_OUTPUT:
            tag = known(declared.tag, declared.id)
            return tuple(self.add_virtual(_Virtual(i, tag=tag)) for i in inputs)
        return inputs

    def add_virtual(self, virtual: _Virtual) -> int:
        """A virtual node with an id of its own."""
        number = self.new_id()
        self._virtual[number] = virtual
        return number

    def forward(self, ids: tuple[int, ...], partitioner: Partitioner, exchange: ExchangeMode) -> tuple[int, ...]:
        """A partition in front of each id, as expansions insert it."""
        return tuple(self.add_virtual(_Virtual(i, partitioner=partitioner, exchange=exchange)) for i in ids)

    def parallelism_of(self, declared: Transformation, default: int) -> int:
        """Own parallelism, else the given default."""
        return declared.parallelism if isinstance(declared.parallelism, int) else default

    def max_parallelism_of(self, declared: Transformation) -> int:
        """Own maximum, else the job's, else -1."""
        return declared.max_parallelism if isinstance(declared.max_parallelism, int) else self.job_max

    def chaining_of(self, declared: Transformation) -> ChainingStrategy | None:
        """Own strategy, else the operator's default in this version."""
        if declared.kind is Kind.UNKNOWN:
            return None
        if self.semantics.output_at_end_keyed_is_head and declared.output_at_end and declared.keyed:
            return ChainingStrategy.HEAD
        if isinstance(declared.chaining, ChainingStrategy):
            return declared.chaining
        if declared.kind is Kind.LEGACY_SOURCE:
            return ChainingStrategy.HEAD
        if declared.kind is Kind.OPERATOR and len(declared.inputs) == 2:
            return self.semantics.two_input_chaining
        return ChainingStrategy.ALWAYS

    def slot_sharing_group(self, declared: Transformation, inputs: tuple[int, ...]) -> str:
        """``determineSlotSharingGroup``: explicit, else what all inputs agree on, else ``default``."""
        if isinstance(declared.slot_sharing_group, str):
            return declared.slot_sharing_group
        return self.inherited_group(inputs)

    def inherited_group(self, inputs: tuple[int, ...]) -> str:
        """The group that all inputs share, else ``default``."""
        groups = {self.nodes[self._origin(i)].slot_sharing_group for i in inputs}
        return groups.pop() if len(groups) == 1 else DEFAULT_GROUP

    def _origin(self, node: int) -> int:
        while node in self._virtual:
            node = self._virtual[node].origin
        return node

    def check_uid(self, declared: Transformation, name: str) -> None:
        """``pipeline.auto-generate-uids = false``: every physical operator needs a uid or a hash."""
        if self.topology.auto_generate_uids is not False or declared.kind is Kind.UNKNOWN:
            return
        if declared.uid is None and declared.uid_hash is None:
            raise RefusedError(
                RefusalKind.MISSING_UID,
                f"Auto generated UIDs have been disabled but no UID or hash has been assigned to operator {name}",
                declared.id,
            )

    def add_edge(self, upstream: int, downstream: int, type_number: int) -> None:
        """``StreamGraph.addEdge``: resolve virtual nodes from the consumer's side, then make the real edge.

        The partitioner and tag nearest the consumer win; the exchange mode farthest upstream does.
        """
        partitioner: Partitioner | None = None
        exchange: ExchangeMode | None = None
        tag: str | None = None
        while upstream in self._virtual:
            virtual = self._virtual[upstream]
            if virtual.partitioner is None:
                tag = virtual.tag if tag is None else tag
            else:
                partitioner = virtual.partitioner if partitioner is None else partitioner
                exchange = virtual.exchange
            upstream = virtual.origin
        source, target = self.nodes[upstream], self.nodes[downstream]
        same = source.parallelism == target.parallelism
        if partitioner is None:
            partitioner = Partitioner.FORWARD if same else Partitioner.REBALANCE
        if partitioner is Partitioner.FORWARD and not same and NodeKind.UNKNOWN not in (source.kind, target.kind):
            raise RefusedError(
                RefusalKind.FORWARD_PARALLELISM,
                "Forward partitioning does not allow change of parallelism. "
                f"Upstream operation: {source.name} parallelism: {source.parallelism}, "
                f"downstream operation: {target.name} parallelism: {target.parallelism} "
                "You must use another partitioning strategy, such as broadcast, rebalance, shuffle or global.",
                source.declared.id,
                target.declared.id,
            )
        ordinal = self._between.get((upstream, downstream), 0)
        self._between[upstream, downstream] = ordinal + 1
        place = len(self.edges)
        self.edges.append(
            _Edge(upstream, downstream, type_number, partitioner, exchange or ExchangeMode.UNDEFINED, tag, ordinal)
        )
        source.out_edges.append(place)
        target.in_edges.append(place)

    def _translate_iteration(self, declared: Transformation) -> None:
        """Head and tail of an iteration (1.x, ``transformFeedback`` and ``transformCoFeedback``)."""
        if not declared.feedback:
            raise RefusedError(
                RefusalKind.INVALID, f"Iteration {declared.display_name} does not have any feedback edges.", declared.id
            )
        head_id, tail_id = self._next_iteration_id - 1, self._next_iteration_id - 2
        self._next_iteration_id -= 2
        loop = self.flink_id[declared.id]
        parallelism = self.parallelism_of(declared, self._input_parallelism(declared))
        for flink_id, role, name, maximum in (
            (head_id, Role.ITERATION_SOURCE, f"IterationSource-{loop}", self.max_parallelism_of(declared)),
            (tail_id, Role.ITERATION_SINK, f"IterationSink-{loop}", parallelism),
        ):
            self.nodes[flink_id] = Node(
                flink_id=flink_id, transformation=None, declared=declared, role=role, kind=NodeKind.ITERATION,
                name=name, uid=None, uid_hash=None, parallelism=parallelism, max_parallelism=maximum,
                slot_sharing_group=DEFAULT_GROUP, co_location_group=f"IterationCoLocationGroup-{loop}",
                chaining=None, yielding=False,
            )  # fmt: skip
        self._sources.append(head_id)
        upstream = () if declared.co_feedback else self.stream(declared.inputs)
        self._done[declared.id] = (*upstream, head_id)
        feedback: list[int] = []
        for one in declared.feedback:
            ids = self.transform(one)
            for node in ids:
                if self.nodes[self._origin(node)].parallelism != parallelism:
                    raise RefusedError(
                        RefusalKind.INVALID,
                        "Parallelism of the feedback stream must match the parallelism of the original stream.",
                        declared.id,
                        one,
                    )
                self.add_edge(node, tail_id, 0)
            feedback.extend(ids)
        group = self.inherited_group(tuple(feedback))
        self.nodes[head_id].slot_sharing_group = self.nodes[tail_id].slot_sharing_group = group

    def _input_parallelism(self, declared: Transformation) -> int:
        """Parallelism of the stream an iteration starts from: that of its first real transformation upstream."""
        seen = set()
        current = declared
        while current.inputs and current.id not in seen:
            seen.add(current.id)
            current = self.declared[current.inputs[0]]
            if not current.kind.virtual and current.kind is not Kind.FEEDBACK:
                break
        return self.parallelism_of(current, self.parallelism)

    def _stateful(self, node: Node) -> bool | Unknown:
        """Batch jobs keep no state between runs; of operators nobody could read nothing is known."""
        if self.topology.mode is Mode.BATCH:
            return False
        if node.kind is NodeKind.UNKNOWN:
            return node.declared.unknown or Unknown("operators that could not be read")
        return stateful(node.declared, node.role)

    def _freeze(self) -> StreamGraph:
        """Renumber by ascending Flink id."""
        order = sorted(self.nodes)
        rank = {flink_id: number for number, flink_id in enumerate(order)}
        edges = tuple(
            StreamEdge(
                number=place, source=rank[e.source], target=rank[e.target], type=e.type, partitioner=e.partitioner,
                exchange=e.exchange, tag=e.tag, ordinal=e.ordinal,
            )
            for place, e in enumerate(self.edges)
        )  # fmt: skip
        nodes = tuple(
            StreamNode(
                number=rank[n.flink_id], transformation=n.transformation, declared=n.declared, role=n.role,
                kind=n.kind, name=n.name, uid=n.uid, uid_hash=n.uid_hash, parallelism=n.parallelism,
                max_parallelism=n.max_parallelism, slot_sharing_group=n.slot_sharing_group,
                co_location_group=n.co_location_group, chaining=n.chaining, yielding=n.yielding,
                stateful=self._stateful(n),
                output_at_end=n.declared.output_at_end, in_edges=tuple(n.in_edges), out_edges=tuple(n.out_edges),
            )
            for n in (self.nodes[flink_id] for flink_id in order)
        )  # fmt: skip
        return StreamGraph(
            nodes=nodes,
            edges=edges,
            sources=tuple(rank[s] for s in sorted(self._sources)),
            chaining=self.topology.chaining is not False,
            chain_different_max_parallelism=self.topology.chain_different_max_parallelism is not False
            or not self.semantics.max_parallelism_chaining_option,
            vertex_index_prefix=self.topology.vertex_index_prefix is True and self.semantics.vertex_index_prefix,
        )


def build_stream_graph(topology: Topology, semantics: Semantics) -> StreamGraph:
    """The stream graph of a topology.

    Raises RefusedError where Flink would refuse the program, GraphTooLargeError beyond ``MAX_CONNECTIONS``.
    """
    return GraphBuilder(topology, semantics).build()
