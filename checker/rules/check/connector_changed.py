"""A source or sink is another connector under the same id: it is handed bytes that it did not write."""

from checker.compare.fit.types import Fit
from checker.compare.revisions.declared_fit import connector_fit
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, kept_pairs, rule, title_of


@rule("Another connector takes over the state of the old one", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per declaration that kept state."""
    seen: set[str] = set()
    for row, side, base, head in kept_pairs(context):
        found = connector_fit(base.declared, head.declared)
        stateless = base.stateful is False and not base.has_coordinator
        if found.fit is Fit.SAME or stateless or head.declared.id in seen:
            continue
        seen.add(head.declared.id)
        yield Hit(
            message=f"{title_of(side)} is another connector under the id of the old one: {found.why}, and Flink "
            "gives it that state all the same",
            base=row.base,
            head=side,
            evidence=(Evidence("connector", base.declared.function, head.declared.function),),
            repair="give the new connector a uid of its own, and say where it starts",
        )
