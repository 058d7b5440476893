"""More subtasks than there are key groups: Flink refuses to run or to restore the job."""

from checker.model.findings import Evidence, Hit, Severity
from checker.model.nested import gathered
from checker.model.stream_graph import NodeKey
from checker.model.translation import JobVertex
from checker.rules.base import Category, Hits, Revision, RuleContext, rule, title_of
from checker.rules.check.vertices import placed, vertex_of


@rule("Parallelism above max parallelism", Severity.ERROR, Category.PARALLELISM)
def find(context: RuleContext) -> Hits:
    """One hit per vertex above its own maximum (if the base was not already), one for all alike above their state's."""
    known = {head for head, _ in _above_own(context.base)}
    own = [(head, vertex) for head, vertex in _above_own(context.head) if head not in known]
    for key, vertex in own:
        side = context.head.side(context.head.nodes[key])
        yield Hit(
            message=f"{title_of(side)} runs with parallelism {vertex.parallelism}, more than its max parallelism "
            f"{vertex.max_parallelism}: Flink refuses to start the job",
            head=side,
            evidence=(
                Evidence("parallelism", after=str(vertex.parallelism)),
                Evidence("max parallelism", after=str(vertex.max_parallelism)),
            ),
            repair=f"set the parallelism to {vertex.max_parallelism} or less",
        )
    deployment = context.head.deployment
    derived = (p for p in placed(context) if p.after.configured_max_parallelism is None)
    alike = gathered(((p.after.parallelism, p.before.effective_max_parallelism), p) for p in derived)
    for concerned in alike.values():
        first = concerned[0]
        if first.after.parallelism <= first.before.effective_max_parallelism:
            continue
        deployed = deployment is not None and deployment.parallelism == first.after.parallelism
        limit = first.before.effective_max_parallelism
        yield Hit(
            message=f"{title_of(first.side)} runs with parallelism {first.after.parallelism}, but its state was "
            f"written with max parallelism {limit}: Flink refuses the restore",
            base=first.row.base,
            head=first.side,
            followers=tuple(p.side for p in concerned[1:]),
            location=deployment.place_of("job.parallelism") if deployment is not None and deployed else None,
            evidence=(
                Evidence("parallelism", str(first.before.parallelism), str(first.after.parallelism)),
                Evidence("max parallelism of the state", before=str(limit)),
            ),
            repair=f"set the parallelism to {limit} or less; more needs the state rewritten (State Processor API)",
        )


def _above_own(revision: Revision) -> list[tuple[NodeKey, JobVertex]]:
    found: dict[NodeKey, JobVertex] = {}
    graph = revision.translation.stream_graph if revision.translation is not None else None
    for node in revision.nodes.values():
        vertex = vertex_of(revision, node)
        if graph is None or vertex is None or vertex.configured_max_parallelism is None:
            continue
        if vertex.parallelism > vertex.max_parallelism:
            found.setdefault(graph.nodes[vertex.head].key, vertex)
    return list(found.items())
