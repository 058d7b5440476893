"""Time-to-live of a state is switched on or off, which older Flinks take for another type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from checker.compare.fit.states import ttl_fit, ttl_switched
from checker.compare.fit.types import Fit
from checker.compare.revisions.states import ttl_unread
from checker.model.findings import Severity
from checker.model.topology import StateDescriptor
from checker.rules.base import Category, Hit, Rule, RuleContext
from checker.rules.check.state_changes import restored, state_hit


def find(context: RuleContext) -> Iterable[Hit]:
    """One hit an operator; a warning where the state backend decides."""
    fit = ttl_fit(False, True, context.comparison.head_flink)
    if fit is Fit.SAME:
        return
    for row in restored(context):
        switched = [c for c in row.state_changes if c.base and c.head and _switched(c.base, c.head)]
        if switched:
            hit = state_hit(
                row,
                "time-to-live of state {0} of {operator} was switched: Flink refuses the state until 2.0, in 2.1 on "
                "the heap backend too",
                switched,
                "give the new state a name of its own and copy, or deploy Flink 2.2 or newer first",
            )
            yield hit if fit is Fit.INCOMPATIBLE else replace(hit, at_most=Severity.WARNING)


def _switched(before: StateDescriptor, after: StateDescriptor) -> bool:
    return ttl_switched(before, after) and not ttl_unread(before, after)


RULE = Rule(
    slug="state-ttl-changed",
    title="Time-to-live of a state was switched on or off",
    severity=Severity.ERROR,
    category=Category.STATE,
    since="0.1",
    find=find,
)
