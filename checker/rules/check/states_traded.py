"""The field of one state keeps another one: code reads and writes that instead, and Flink says nothing."""

from __future__ import annotations

from collections.abc import Iterable

from checker.compare.revisions.states import quoted, traded_text
from checker.compare.revisions.traded_states import traded_states
from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, kept_pairs, rule, title_of


@rule("States trade their places in the code", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator."""
    for row, side, base, head in kept_pairs(context):
        traded = traded_states(base.declared, head.declared)
        if not traded:
            continue
        moves = ", ".join(map(traded_text, traded))
        yield Hit(
            message=f"{title_of(side)} takes states for others: {moves}; Flink restores by name and says nothing",
            base=row.base,
            head=side,
            evidence=tuple(Evidence(f"field of {quoted(t.before)}", t.before.kept_in, t.after.kept_in) for t in traded),
            location=traded[0].after.location or side.location,
            repair="give each field the name of state that it had; if the fields were renamed crosswise together with "
            "all code that uses them, suppress this with that reason",
        )
