"""Flink was really asked to start the head from the base's savepoint, and did otherwise than the report says."""

from checker.model.findings import Evidence, Hit, RestorePath, Severity, Start, Verdict
from checker.model.topology import Kind, Transformation
from checker.rules.base import Category, Hits, RuleContext, rule

_STARTS = "every operator starts"
_SINKS = ("sink-writer", "sink-committer", "sink-global-committer")


def _left_out(declared: Transformation) -> bool:
    """Whether a stand-in took the place of an operator that keeps nothing: all of these of a program that was run."""
    return declared.kind.source or declared.kind is Kind.LEGACY_SINK or declared.operator in _SINKS


@rule("Flink's own start had another result", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """One hit per pipeline. What is undecided disagrees with nothing."""
    rehearsal = context.rehearsal
    if rehearsal is None or rehearsal.start is Start.NOT_TRIED or not context.comparable:
        return
    verdicts = {row.verdict(RestorePath.SAVEPOINT) for row in context.comparison.operators if row.verdicts}
    if Verdict.UNDECIDED in verdicts or context.comparison.undecided:
        return
    failing = [
        row
        for row in context.comparison.operators
        if row.verdicts and row.verdict(RestorePath.SAVEPOINT) is Verdict.FAILS
    ]
    nodes = [context.base_node(row) or context.head_node(row) for row in failing]
    if failing and all(node is not None and _left_out(node.declared) for node in nodes):
        return
    if bool(failing) != (rehearsal.start is Start.STARTED):
        return
    expected = "the start fails" if failing else _STARTS
    flink = "Flink starts it" if rehearsal.start is Start.STARTED else f"Flink does not start it: {rehearsal.message}"
    yield Hit(
        message=f"the report says that {expected}, but in the rehearsal {flink}",
        operator_key="rehearsal",
        evidence=(Evidence("rehearsal", before=expected, after=flink),),
        repair="please report it with both scripts; until then trust what Flink did",
    )
