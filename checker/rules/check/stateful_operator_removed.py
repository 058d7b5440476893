"""An operator with state is gone, and no other operator takes over its state."""

from checker.model.comparison import MatchBasis
from checker.model.findings import Evidence, Hit, RestorePath, Severity
from checker.rules.base import Category, Hits, RuleContext, lost, rule, title_of


@rule("A stateful operator was removed", Severity.ERROR, Category.IDENTITY)
def find(context: RuleContext) -> Hits:
    """One hit per operator."""
    if not context.comparable:
        return
    outcome = "Flink refuses the savepoint because of the state it left"
    if context.start.drops_unclaimed:
        outcome = "the deployment lets Flink drop the state it left, without a message"
    elif context.start.path is RestorePath.LAST_STATE:
        outcome = "Flink refuses the last checkpoint because of the state it left, whatever allowNonRestoredState says"
    for row in context.comparison.operators:
        dropped_on_purpose = row.match.basis is MatchBasis.MAPPING
        if row.head is None and row.base is not None and lost(row) and not dropped_on_purpose:
            yield Hit(
                message=f"{title_of(row.base)} was removed: {outcome}",
                base=row.base,
                evidence=(Evidence("operator id", before=row.base.id),),
                repair="if its state may go, declare it as dropped in savepoint-mapping.toml and restore a savepoint "
                "with --allowNonRestoredState",
            )
