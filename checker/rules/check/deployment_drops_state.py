"""The deployment lets Flink drop state that no operator claims."""

from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule


@rule("The deployment lets unclaimed state be dropped", Severity.WARNING, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """One hit where the head's deployment allows what the base's did not."""
    before, after = context.base.deployment, context.head.deployment
    if after is None or not context.start.drops_unclaimed or context.base.translation is None:
        return
    if before is None or not before.allow_non_restored_state:
        yield Hit(
            message="the deployment now lets Flink drop state that no operator claims",
            operator_key="allow-non-restored-state",
            evidence=(Evidence("allowNonRestoredState", before="false", after="true"),),
            repair="remove it again once the upgrade that needs it is through",
            location=after.place_of("job.allowNonRestoredState"),
        )
