"""A state descriptor got another name: the old state stays inside and comes back stale."""

from checker.model.findings import Severity
from checker.rules.base import Category, Hits, RuleContext, rule
from checker.rules.check.state_changes import renamed_and_removed, restored, state_hit


@rule("A state was renamed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator."""
    for row in restored(context):
        yield from state_hit(
            row,
            "state {0} of {operator} was renamed: it starts empty under the new name, and its old values stay in "
            "every savepoint, unread",
            renamed_and_removed(row)[0],
            "keep the old name in the descriptor, or rename the state inside the savepoint with "
            "the State Processor API",
            context.texts,
        )
