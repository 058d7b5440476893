"""StreamGraph and chains → JobGraph: vertices, their operators in Flink's order, and job edges.

Source: ``StreamingJobGraphGenerator`` (``createChain``, ``setPhysicalEdges``) and
``JobGraph.getVerticesSortedTopologicallyFromSources``. Nothing recurses: chains of 10,000 operators are fine.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from checker.flink.chaining import Chaining
from checker.flink.versions import RefusedError, Semantics
from checker.model.stream_graph import StreamEdge, StreamGraph, StreamNode
from checker.model.translation import ChainDecision, Identity, JobEdge, JobGraph, JobVertex, Pattern, RefusalKind


@dataclass(slots=True)
class _Frame:
    """One call of ``createChain``: the edges still to follow, and those that leave the chain so far."""

    node: int
    start: int
    edges: list[StreamEdge]
    chained: int
    """How many of ``edges``, from the left, are chained."""
    next: int = 0
    leaving: list[int] = field(default_factory=list)


class _Builder:
    def __init__(self, graph: StreamGraph, decisions: tuple[ChainDecision, ...], semantics: Semantics) -> None:
        self.graph = graph
        self.decisions = decisions
        self.semantics = semantics
        self.chained_source_of: dict[int, int] = {}
        """Chained source → the multi-input operator that runs it."""
        self.chained_outputs: dict[int, list[int]] = {}
        self.operators: defaultdict[int, list[int]] = defaultdict(list)
        self.leaving: dict[int, list[int]] = {}
        """Chain head → edges that leave the chain; insertion order is the order in which vertices are made."""
        for start in sorted(self._entry_points()):
            self._create_chains(start)

    def _entry_points(self) -> set[int]:
        chaining = Chaining(self.graph)
        entries: set[int] = set()
        for source in self.graph.sources:
            node = self.graph.nodes[source]
            edge = self.graph.edges[node.out_edges[0]] if len(node.out_edges) == 1 else None
            if edge is not None and chaining.chained_source_input(edge):
                self.chained_source_of[source] = edge.target
                entries.add(edge.target)
            else:
                entries.add(source)
        return entries

    def _frame(self, node: int, start: int) -> _Frame:
        outputs = self.graph.outputs_of(self.graph.nodes[node])
        chained = [e for e in outputs if not self.decisions[e.number].reasons]
        others = [e for e in outputs if self.decisions[e.number].reasons]
        self.chained_outputs[node] = [e.target for e in chained]
        return _Frame(node, start, chained + others, len(chained))

    def _create_chains(self, entry: int) -> None:
        if entry in self.leaving:
            return
        stack = [self._frame(entry, entry)]
        while stack:
            frame = stack[-1]
            if frame.next < len(frame.edges):
                edge = frame.edges[frame.next]
                frame.next += 1
                if frame.next <= frame.chained:
                    stack.append(self._frame(edge.target, frame.start))
                else:
                    frame.leaving.append(edge.number)
                    if edge.target not in self.leaving:
                        stack.append(self._frame(edge.target, edge.target))
                continue
            stack.pop()
            self.operators[frame.start].append(frame.node)
            if frame.node == frame.start:
                self.leaving[frame.start] = frame.leaving
            else:
                stack[-1].leaving.extend(frame.leaving)

    def name_of(self, head: int) -> str:
        """``createChainedName``: ``a -> b``, ``a -> (b, c -> d)``; written in one pass over the chain."""
        parts: list[str] = []
        todo: list[int | str] = [head]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            parts.append(self._own_name(item, head))
            chained = self.chained_outputs[item]
            if len(chained) == 1:
                parts.append(" -> ")
                todo.append(chained[0])
            elif chained:
                parts.append(" -> (")
                todo.append(")")
                for place, target in reversed(list(enumerate(chained))):
                    todo.append(target)
                    if place:
                        todo.append(", ")
        return "".join(parts)

    def _own_name(self, number: int, head: int) -> str:
        name = self.graph.nodes[number].name
        if not self.chained_source_of or number != head:
            return name
        if self.semantics.chained_source_names_everywhere:
            sources = sorted(self.chained_source_of)
        else:
            edges = self.graph.inputs_of(self.graph.nodes[number])
            sources = [e.source for e in edges if self.chained_source_of.get(e.source) == number]
        return f"{name} [{', '.join(self.graph.nodes[s].name for s in sources)}]" if sources else name


def build_job_graph(
    graph: StreamGraph, decisions: tuple[ChainDecision, ...], identities: tuple[Identity, ...], semantics: Semantics
) -> JobGraph:
    """The job graph of a stream graph. Raises RefusedError where Flink would refuse to make one."""
    builder = _Builder(graph, decisions, semantics)
    heads = list(builder.leaving)
    _check(graph, heads, identities, semantics)
    links = [(head, graph.edges[e]) for head in heads for e in builder.leaving[head]]
    order = _sort_from_sources(heads, [(head, edge.target) for head, edge in links])
    place = {head: at for at, head in enumerate(order)}
    edges = [
        JobEdge(
            source=place[head],
            target=place[edge.target],
            ship=edge.partitioner,
            pattern=Pattern.POINTWISE if edge.partitioner.pointwise else Pattern.ALL_TO_ALL,
        )
        for head, edge in links
    ]
    vertices = tuple(_vertex(builder, head) for head in order)
    return JobGraph(vertices=vertices, edges=tuple(edges))


def _vertex(builder: _Builder, head: int) -> JobVertex:
    """Parallelism, maximum, groups: all from the head; what chained operators set is lost, as in Flink."""
    node = builder.graph.nodes[head]
    return JobVertex(
        head=head,
        operators=tuple(builder.operators[head]),
        name=builder.name_of(head),
        parallelism=node.parallelism,
        max_parallelism=node.max_parallelism,
        slot_sharing_group=node.slot_sharing_group,
        chained_sources=tuple(s for s, target in builder.chained_source_of.items() if target == head),
    )


def _check(graph: StreamGraph, heads: list[int], identities: tuple[Identity, ...], semantics: Semantics) -> None:
    """What Flink refuses while it makes vertices, or when functions ask for their state."""
    for node in graph.nodes:
        for state in node.declared.known_states:
            if state.refused is not None:
                why = f"the job fails when state '{state.name}' is asked for (IllegalStateException): {state.refused}"
                raise RefusedError(RefusalKind.INVALID, why, node.key)
    if not semantics.empty_names_allowed:
        for node in graph.nodes:
            for value, what in ((node.name, "name"), (node.uid, "uid")):
                if value == "":
                    message = f"Empty string operator {what} is not allowed"
                    raise RefusedError(RefusalKind.INVALID, message, node.key)
    taken: dict[str, StreamNode] = {}
    for head in heads:
        node = graph.nodes[head]
        value = identities[head].generated
        if value is not None and taken.setdefault(value, node) is not node:
            raise RefusedError(
                RefusalKind.HASH_COLLISION,
                "The JobGraph already contains a vertex with that id.",
                taken[value].key,
                node.key,
            )


def _sort_from_sources(heads: list[int], links: list[tuple[int, int]]) -> list[int]:
    """``getVerticesSortedTopologicallyFromSources``: sources first, then depth first along produced data sets."""
    outgoing: defaultdict[int, list[int]] = defaultdict(list)
    waiting: dict[int, int] = dict.fromkeys(heads, 0)
    for source, target in links:
        outgoing[source].append(target)
        waiting[target] += 1
    order = [head for head in heads if waiting[head] == 0]
    done = set(order)
    for head in order:
        for target in outgoing[head]:
            waiting[target] -= 1
    position = 0
    while len(done) < len(heads):
        _add_ready(order[position], outgoing, order, done, waiting)
        position += 1
    return order


def _add_ready(
    start: int, outgoing: dict[int, list[int]], order: list[int], done: set[int], waiting: dict[int, int]
) -> None:
    """``addNodesThatHaveNoNewPredecessors``, with its recursion as a stack. ``waiting`` counts inputs from vertices
    that are not sorted yet."""
    stack = [iter(outgoing.get(start, ()))]
    while stack:
        target = next(stack[-1], None)
        if target is None:
            stack.pop()
            continue
        if target in done or waiting[target]:
            continue
        order.append(target)
        done.add(target)
        for produced in outgoing.get(target, ()):
            waiting[produced] -= 1
        stack.append(iter(outgoing.get(target, ())))
