"""A state descriptor is gone while its operator stays: the state is carried along for ever."""

from checker.model.findings import Severity
from checker.rules.base import Category, Hits, RuleContext, rule
from checker.rules.check.state_changes import renamed_and_removed, restored, state_hit


@rule("A state was removed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator."""
    for row in restored(context):
        yield from state_hit(
            row,
            "state {0} of {operator} is no longer registered: its old values stay in every savepoint, unread, and "
            "its name can't be used with another type",
            renamed_and_removed(row)[1],
            "clear it with the State Processor API, or register it for one release and clear it there",
        )
