"""A pin that was already there when the base ran: its state lies under the generated id by now."""

from collections.abc import Set

from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule, titles_of


@rule("A pinned hash is no longer needed", Severity.INFO, Category.PIN)
def find(context: RuleContext) -> Hits:
    """One hit with all of them. Silent as long as nothing else changes in the pipeline."""
    ids = {row.base.id for row in context.comparison.operators if row.base is not None}
    rows = [row for row in context.pairs if context.changed and _has_done_its_work(row, ids)]
    sides = [row.head for row in rows if row.head is not None]
    if sides:
        pins = "pins" if sides[1:] else "pin"
        yield Hit(
            message=f"the {pins} of {titles_of(sides)} can go: the state lies under the generated id since the first "
            "savepoint of the base",
            base=rows[0].base,
            head=sides[0],
            followers=tuple(sides[1:]),
            evidence=tuple(Evidence("operator id", side.uid_hash, side.id) for side in sides),
        )


def _has_done_its_work(row: OperatorComparison, ids: Set[str | None]) -> bool:
    base, head = row.base, row.head
    if base is None or head is None or head.uid_hash is None or base.uid_hash != head.uid_hash:
        return False
    return row.id_changed is False and head.uid_hash != head.id and head.uid_hash not in ids
