"""A state name is registered as another kind of state."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, rule
from checker.rules.check.state_changes import kind_changes, restored, state_hit


@rule("The kind of a state changed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator."""
    for row in restored(context):
        changed = kind_changes(row)
        if changed:
            yield state_hit(
                row,
                "state {0} of {operator} is registered as another kind: the job fails when it asks "
                "for it, or starts it "
                "empty where Flink does not notice",
                changed,
                "give the new state a name of its own and migrate in the code",
            )
