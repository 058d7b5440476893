"""Time-to-live of a state is switched on or off, which older Flinks take for another type."""

from checker.compare.fit.states import ttl_fit
from checker.compare.fit.types import Fit
from checker.model.findings import Severity
from checker.rules.base import Category, Hits, RuleContext, rule
from checker.rules.check.state_changes import restored, state_hit


@rule("Time-to-live of a state was switched on or off", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator: refused, or open where the version, the backend or the setting is not known."""
    flink, heap = context.comparison.head_flink, context.releases.on_heap
    for row in restored(context):
        switched = [
            c
            for c in row.state_changes
            if c.base and c.head and ttl_fit(c.base.ttl, c.head.ttl, flink, heap) is not Fit.SAME
        ]
        yield from state_hit(
            row,
            "time-to-live of state {0} of {operator} was or may have been switched on or off: Flink refuses such "
            "state before 2.1, and in 2.1 on the heap backend",
            switched,
            "give the new state a name of its own and copy, or deploy Flink 2.2 or newer first",
        )
