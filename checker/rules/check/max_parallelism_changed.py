"""The head configures another max parallelism than the one the state was written with."""

from checker.model.deployments import Deployment
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule, title_of
from checker.rules.check.vertices import Placed, by_job_setting

_SET_BACK = "set it to what the state was written with: .setMaxParallelism({})"
_OPTION = "pipeline.max-parallelism"
_SET_BACK_BY_DEPLOYMENT = f"set {_OPTION} to what the state was written with: {{}}"
_SET_BY_FLINK = (
    "take out the call that sets it to 1; where it is Flink's own (readFile, forceNonParallel), nothing sets it back"
)


@rule("The max parallelism of state changed", Severity.ERROR, Category.PARALLELISM)
def find(context: RuleContext) -> Hits:
    """One hit per vertex, or for all that the job's own setting decides: Flink refuses operators without state, too."""
    for concerned in by_job_setting(context):
        first = concerned[0]
        if first.after.configured_max_parallelism in (None, first.before.effective_max_parallelism):
            continue
        before, after = first.before.effective_max_parallelism, first.after.max_parallelism
        derived = first.before.configured_max_parallelism is None
        how = f", the default for parallelism {first.before.parallelism}" if derived else ""
        deployed = _deployed(context, first)
        yield Hit(
            message=f"the max parallelism of {title_of(first.side)} changed from {before} to {after}: Flink refuses "
            "the restore, with or without --allowNonRestoredState",
            base=first.row.base,
            head=first.side,
            followers=tuple(p.side for p in concerned[1:]),
            evidence=(Evidence("max parallelism", f"{before}{how}", str(after)),),
            repair=_SET_BY_FLINK if first.decides.kept_at_one
            else (_SET_BACK if deployed is None else _SET_BACK_BY_DEPLOYMENT).format(before),
            location=None if deployed is None else deployed.place_of(_OPTION),
        )  # fmt: skip


def _deployed(context: RuleContext, placed: Placed) -> Deployment | None:
    """The deployment, where it decides: no operator of the vertex says otherwise, nor does the program."""
    given = None if context.head.deployment is None else dict(context.head.deployment.configuration).get(_OPTION)
    decides = placed.decides.max_parallelism is None and given == str(placed.after.configured_max_parallelism)
    return context.head.deployment if decides else None
