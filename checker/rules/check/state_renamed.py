"""A state descriptor got another name: the old state stays inside and comes back stale."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, rule
from checker.rules.check.state_changes import renamed_and_removed, restored, state_hit


@rule("A state was renamed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator."""
    for row in restored(context):
        renamed, _ = renamed_and_removed(row)
        if renamed:
            yield state_hit(
                row,
                "state {0} of {operator} was renamed: it starts empty under the new name, and its old values stay in "
                "every savepoint, unread",
                renamed,
                "keep the old name in the descriptor, or rename the state inside the savepoint with "
                "the State Processor API",
                context.texts,
            )
