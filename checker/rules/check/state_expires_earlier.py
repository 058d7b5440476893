"""Values that lie in state expire earlier: it has a first or a shorter time-to-live, or reads refresh it no longer."""

from checker.compare.fit.states import expiry_fit, ttl_fit
from checker.compare.fit.types import Fit
from checker.model.findings import Severity
from checker.rules.base import Category, Hits, RuleContext, rule
from checker.rules.check.state_changes import restored, state_hit

_SAYS = {Fit.INCOMPATIBLE: "expire earlier", Fit.OPEN: "may expire earlier"}


@rule("Values in state expire earlier", Severity.WARNING, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator."""
    flink, heap = context.comparison.head_flink, context.releases.on_heap
    for row in restored(context):
        both = [
            (c, expiry_fit(c.base, c.head))
            for c in row.state_changes
            if c.base and c.head and ttl_fit(c.base.ttl, c.head.ttl, flink, heap) is Fit.SAME
        ]
        for wanted, expire in _SAYS.items():
            earlier = [(change, why) for change, (fit, why) in both if fit is wanted]
            if earlier:
                why = earlier[0][1].replace("{", "{{").replace("}", "}}")
                first = any(change.base is not None and change.base.ttl is False for change, _ in earlier)
                gone = "" if first else ". What is older is gone as soon as the new version runs"
                yield from state_hit(
                    row,
                    f"values of state {{0}} of {{operator}} {expire}: {why}{gone}",
                    [change for change, _ in earlier],
                    "keep the old length until all that may expire has expired, or accept that it is dropped",
                )
