"""Time-to-live of a state is switched on or off, which older Flinks take for another type."""

from __future__ import annotations

from collections.abc import Iterable

from checker.compare.fit.states import ttl_fit
from checker.compare.fit.types import Fit
from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, rule
from checker.rules.check.state_changes import restored, state_hit


@rule("Time-to-live of a state was switched on or off", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator: refused, or open where the version, the backend or the setting is not known."""
    flink, heap = context.comparison.head_flink, context.releases.on_heap
    for row in restored(context):
        both = [c for c in row.state_changes if c.base and c.head]
        fits = [ttl_fit(c.base.ttl, c.head.ttl, flink, heap) for c in both if c.base and c.head]
        switched = [change for change, fit in zip(both, fits, strict=True) if fit is not Fit.SAME]
        if switched:
            yield state_hit(
                row,
                "time-to-live of state {0} of {operator} was or may have been switched on or off: Flink refuses such "
                "state before 2.1, and in 2.1 on the heap backend",
                switched,
                "give the new state a name of its own and copy, or deploy Flink 2.2 or newer first",
            )
