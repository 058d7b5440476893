"""Nobody said with which parallelism the job runs, and the ids of operators with state depend on it."""

from checker.model.findings import Evidence, Hit, OperatorSide, Severity
from checker.model.translation import Question
from checker.rules.base import Category, Hits, Revision, revision_rule, titles_of


@revision_rule("Generated ids depend on the parallelism of the deployment", Severity.WARNING, Category.PARALLELISM)
def find(revision: Revision) -> Hits:
    """One hit per pipeline: the operators with state and without a uid that move."""
    translation = revision.translation
    for undecided in translation.undecided if translation is not None else ():
        nodes = [revision.nodes[key] for key in undecided.nodes if key in revision.nodes]
        sides: list[OperatorSide] = [revision.side(n) for n in nodes if n.stateful is True and n.uid is None]
        if undecided.question != Question("parallelism") or not sides:
            continue
        names = titles_of(sides)
        yield Hit(
            message=f"the ids of {names} depend on the parallelism of the deployment: a start with a different -p "
            "gives them other ids",
            operator_key="parallelism",
            head=sides[0],
            followers=tuple(sides[1:]),
            evidence=(Evidence("parallelism", after=undecided.unknown.reason),),
            repair="set uids, or say in the configuration which parallelism the deployment passes",
        )
