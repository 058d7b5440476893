"""A state is registered with a type whose serializer can not read what was written."""

from __future__ import annotations

from collections.abc import Iterable

from checker.compare.fit.types import Fit
from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, rule
from checker.rules.check.state_changes import restored, state_hit, type_changes


@rule("The type of a state changed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator."""
    for row in restored(context):
        changed = type_changes(row, Fit.INCOMPATIBLE)
        if changed:
            yield state_hit(
                row,
                "the type of state {0} of {operator} changed{why}: Flink refuses it when the operator asks for the "
                "state",
                changed,
                "give the new state a name of its own and convert in the code",
            )
