"""A state descriptor is gone while its operator stays: the state is carried along for ever."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, rule
from checker.rules.check.state_changes import renamed_and_removed, restored, state_hit


@rule("A state was removed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator."""
    for row in restored(context):
        _, removed = renamed_and_removed(row)
        if removed:
            yield state_hit(
                row,
                "state {0} of {operator} is no longer registered: its old values stay in every savepoint, unread, and "
                "its name can't be used with another type",
                removed,
                "clear it with the State Processor API, or register it for one release and clear it there",
            )
