"""The head configures another max parallelism than the one the state was written with."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.deployments import Deployment
from checker.model.findings import Evidence, Severity
from checker.model.topology import Transformation
from checker.model.translation import JobVertex
from checker.rules.base import Category, Hit, RuleContext, rule, title_of
from checker.rules.check.vertices import by_job_setting

_SET_BACK = "set it to what the state was written with: .setMaxParallelism({})"
_OPTION = "pipeline.max-parallelism"
_SET_BACK_BY_DEPLOYMENT = f"set {_OPTION} to what the state was written with: {{}}"
_SET_BY_FLINK = (
    "take out the call that sets it to 1; where it is Flink's own (readFile, forceNonParallel), nothing sets it back"
)


@rule("The max parallelism of state changed", Severity.ERROR, Category.PARALLELISM)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per vertex, or for all that the job's own setting decides: Flink refuses operators without state, too."""
    for concerned in by_job_setting(context):
        first = concerned[0]
        if first.after.configured_max_parallelism in (None, first.before.effective_max_parallelism):
            continue
        base, head = first.row.base, first.row.head
        assert base is not None
        assert head is not None
        before, after = first.before.effective_max_parallelism, first.after.max_parallelism
        derived = first.before.configured_max_parallelism is None
        how = f", the default for parallelism {first.before.parallelism}" if derived else ""
        deployed = _deployed(context, first.after)
        yield Hit(
            message=f"the max parallelism of {title_of(head)} changed from {before} to {after}: Flink refuses the "
            "restore, with or without --allowNonRestoredState",
            base=base,
            head=head,
            followers=tuple(p.row.head for p in concerned[1:] if p.row.head is not None),
            evidence=(Evidence("max parallelism", f"{before}{how}", str(after)),),
            repair=_SET_BY_FLINK if _declared(context, first.after).kept_at_one
            else (_SET_BACK if deployed is None else _SET_BACK_BY_DEPLOYMENT).format(before),
            location=None if deployed is None else deployed.place_of(_OPTION),
        )  # fmt: skip


def _deployed(context: RuleContext, vertex: JobVertex) -> Deployment | None:
    """The deployment, where it decides: no operator of the vertex says otherwise, nor does the program."""
    given = None if context.head.deployment is None else dict(context.head.deployment.configuration).get(_OPTION)
    decides = _declared(context, vertex).max_parallelism is None and given == str(vertex.configured_max_parallelism)
    return context.head.deployment if decides else None


def _declared(context: RuleContext, vertex: JobVertex) -> Transformation:
    assert context.head.translation is not None
    assert context.head.translation.stream_graph is not None
    return context.head.translation.stream_graph.nodes[vertex.head].declared
