"""A max parallelism set on a chained operator: only that of the head of the chain counts."""

from checker.model.findings import Evidence, Hit, Severity
from checker.model.unknowns import Unknown
from checker.rules.base import Category, Hits, Revision, revision_rule, title_of
from checker.rules.check.vertices import vertex_of


@revision_rule("Chained operators disagree on max parallelism", Severity.WARNING, Category.PARALLELISM)
def find(revision: Revision) -> Hits:
    """One hit per chained operator with state and a value of its own."""
    graph = revision.translation.stream_graph if revision.translation is not None else None
    for node in revision.nodes.values():
        own = node.declared.max_parallelism
        vertex = vertex_of(revision, node)
        if graph is None or vertex is None or own is None or isinstance(own, Unknown) or node.stateful is False:
            continue
        if vertex.head == node.number or own == vertex.max_parallelism:
            continue
        side, head = revision.side(node), graph.nodes[vertex.head]
        value = str(vertex.max_parallelism) if vertex.max_parallelism > 0 else "unset"
        yield Hit(
            message=f"{title_of(side)} sets max parallelism {own}, but it runs in the chain of '{head.name}', whose "
            f"value ({value}) applies",
            head=side,
            evidence=(
                Evidence("own max parallelism", after=str(own)),
                Evidence("max parallelism of the chain", after=value),
            ),
            repair="set one value for all operators of the chain, or break the chain before this one",
        )
