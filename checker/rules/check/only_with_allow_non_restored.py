"""The savepoint is refused as it is, and would go through with the flag: what that drops."""

from checker.model.findings import Evidence, Hit, OperatorSide, RestorePath, Severity, Verdict
from checker.rules.base import Category, Hits, RuleContext, lost, rule, titles_of


@rule("Restores only with --allowNonRestoredState", Severity.INFO, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """At most one hit per pipeline."""
    if not context.comparable:
        return
    rows = [row for row in context.comparison.operators if lost(row)]
    open_or_failed = (Verdict.FAILS, Verdict.UNDECIDED)
    if not rows or any(
        row.verdict(RestorePath.SAVEPOINT, allow_non_restored_state=True) in open_or_failed
        for row in context.comparison.operators
    ):
        return
    sides: list[OperatorSide] = [row.base for row in rows if row.base is not None]
    names = titles_of(sides)
    yield Hit(
        message=f"the savepoint restores only with --allowNonRestoredState, which drops the state of {names} for good",
        operator_key="allow-non-restored-state",
        base=sides[0],
        followers=tuple(sides[1:]),
        evidence=tuple(Evidence("dropped", before=f"{s.name} {s.id}") for s in sides),
    )
