"""A state is registered with a type whose serializer can not read what was written."""

from __future__ import annotations

from collections.abc import Iterable

from checker.compare.fit.types import Fit
from checker.model.findings import Severity
from checker.rules.base import Category, Hit, Rule, RuleContext
from checker.rules.check.state_changes import restored, state_hit, type_changes


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


RULE = Rule(
    slug="value-type-changed",
    title="The type of a state changed",
    severity=Severity.ERROR,
    category=Category.STATE,
    since="0.1",
    find=find,
)
