"""An operator of a SQL plan takes over state that means something else: another aggregate, window, join or order."""

from __future__ import annotations

from collections.abc import Iterable

from checker.compare.revisions.meanings import meaning_changed
from checker.model.findings import Evidence, RestorePath, Severity, Verdict
from checker.rules.base import Category, Hit, RuleContext, rule, title_of

_OF_OPERATORS = "computes something other than before and takes over the old state"
_OF_SOURCES = "reads other data than before and goes on at the old positions"


@rule("State is taken over by another computation", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator whose state restores: where Flink refuses, another rule says so."""
    for row in context.pairs:
        base, head = context.base_node(row), context.head_node(row)
        if base is None or head is None or row.head is None or row.id_changed is not False:
            continue
        if row.verdict(RestorePath.SAVEPOINT) is not Verdict.MISASSIGNED or base.stateful is False:
            continue
        if meaning_changed(base.declared, head.declared):
            yield Hit(
                message=f"{title_of(row.head)} {_OF_SOURCES if base.declared.kind.source else _OF_OPERATORS}: "
                "Flink compares its type, which is the same, and says nothing",
                base=row.base,
                head=row.head,
                evidence=(Evidence("computes", base.declared.computes, head.declared.computes),),
                location=row.head.location,
                repair="start the changed statement without the old state: write it as a new job, or compile its plan "
                "and give the operator another id there; if the old values may stand in for the new ones, suppress "
                "this with that reason",
            )
