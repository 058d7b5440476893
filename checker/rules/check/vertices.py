"""Vertices of a revision as rules need them: who runs where, and which max parallelism applies."""

from collections.abc import Iterator
from dataclasses import dataclass

from checker.model.comparison import OperatorComparison
from checker.model.findings import OperatorSide
from checker.model.nested import gathered
from checker.model.stream_graph import StreamNode
from checker.model.topology import Transformation
from checker.model.translation import JobVertex
from checker.model.unknowns import Unknown
from checker.rules.base import Revision, RuleContext, kept_pairs


def vertex_of(revision: Revision, node: StreamNode) -> JobVertex | None:
    """The vertex that runs a node; None where its max parallelism is not known, or what it reads from."""
    translation = revision.translation
    if translation is None or translation.job_graph is None or translation.stream_graph is None:
        return None
    number = translation.job_graph.vertex_of.get(node.number)
    if number is None:  # no source leads to it
        return None
    vertex = translation.job_graph.vertices[number]
    head = translation.stream_graph.nodes[vertex.head].declared
    values = (head.max_parallelism, translation.topology.max_parallelism if head.max_parallelism is None else None)
    return None if any(isinstance(v, Unknown) for v in values) else vertex


@dataclass(frozen=True, slots=True)
class Placed:
    """An operator whose counterpart takes its state, and the vertices that run the two."""

    row: OperatorComparison
    side: OperatorSide
    """The operator in the head."""
    base_node: StreamNode
    before: JobVertex
    after: JobVertex
    decides: Transformation
    """The first operator of the chain that it runs in now, by which its vertex gets its max parallelism."""


def placed(context: RuleContext) -> Iterator[Placed]:
    """Every such operator, by the place of its vertex in the head."""
    graph = None if context.head.translation is None else context.head.translation.stream_graph
    for row, side, base, head in kept_pairs(context):
        before, after = vertex_of(context.base, base), vertex_of(context.head, head)
        if graph is not None and before is not None and after is not None:
            yield Placed(row, side, base, before, after, graph.nodes[after.head].declared)


def by_vertex(context: RuleContext) -> Iterator[list[Placed]]:
    """The same, one list per vertex of the head."""
    yield from gathered((placement.after.head, placement) for placement in placed(context)).values()


def by_job_setting(context: RuleContext) -> Iterator[list[Placed]]:
    """The same, one list for all vertices that get their max parallelism from the job, and not from their own call."""

    def decided_by(p: Placed) -> tuple[object, ...]:
        own = p.decides.max_parallelism is not None
        return (p.after.head if own else None, p.before.effective_max_parallelism, p.after.configured_max_parallelism)

    yield from gathered((decided_by(p), p) for p in placed(context)).values()
