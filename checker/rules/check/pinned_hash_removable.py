"""A pin that was already there when the base ran: its state lies under the generated id by now."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, rule, title_of


@rule("A pinned hash is no longer needed", Severity.INFO, Category.PIN)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator. Silent as long as nothing else changes in the pipeline."""
    if not context.changed:
        return
    ids = {row.base.id for row in context.comparison.operators if row.base is not None}
    for row in context.pairs:
        base, head = row.base, row.head
        if base is None or head is None or head.uid_hash is None or base.uid_hash != head.uid_hash:
            continue
        if row.id_changed is False and head.uid_hash != head.id and head.uid_hash not in ids:
            yield Hit(
                message=f"the pin of {title_of(head)} has done its work: the state lies under {head.id} since the "
                "first savepoint of the base, and the pin can go",
                base=base,
                head=head,
                evidence=(Evidence("pinned to", base.uid_hash, head.uid_hash),),
            )
