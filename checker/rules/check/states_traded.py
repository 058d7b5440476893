"""The field of one state keeps another one: code reads and writes that instead, and Flink says nothing."""

from checker.compare.revisions.handed_on import TRADED, sides_traded, traded_states
from checker.compare.revisions.states import quoted, traded_text
from checker.model.findings import Evidence, Hit, RestorePath, Severity, Verdict
from checker.model.stream_graph import StreamNode
from checker.rules.base import Category, Hits, RuleContext, kept_pairs, rule, title_of


@rule("States trade their places in the code", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator."""
    for row, side, base, head in kept_pairs(context):
        traded = traded_states(base.declared, head.declared)
        if traded:
            found = f"takes states for others: {', '.join(map(traded_text, traded))}"
            place, repair = traded[0].after.location, _REPAIR_OF_FIELDS
        elif row.verdict(RestorePath.SAVEPOINT) is Verdict.MISASSIGNED and _sides_traded(context, base, head):
            found, place, repair = f"is a join: {TRADED}", None, _REPAIR_OF_JOINS
        else:
            continue
        yield Hit(
            message=f"{title_of(side)} {found}; Flink restores by name and reports no error",
            base=row.base,
            head=side,
            evidence=tuple(Evidence(f"field of {quoted(t.before)}", t.before.kept_in, t.after.kept_in) for t in traded),
            location=place,
            repair=repair,
        )


def _sides_traded(context: RuleContext, base: StreamNode, head: StreamNode) -> bool:
    graphs = [side.translation and side.translation.stream_graph for side in (context.base, context.head)]
    pairs = [(context.base_node(row), context.head_node(row)) for row in context.pairs]
    head_of = {old.number: new.number for old, new in pairs if old is not None and new is not None}
    return bool(graphs[0] and graphs[1] and sides_traded(graphs[0], base, graphs[1], head, head_of))


_REPAIR_OF_FIELDS = (
    "give each field its old state name again; if the fields were swapped together with all code that uses them, "
    "accept this finding with that reason"
)
_REPAIR_OF_JOINS = "restore the order of the join's inputs, or give it a new uid, so that it starts empty"
