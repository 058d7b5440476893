"""A pin finds the state now; after the first savepoint of the new job it finds nothing any more."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, kept, rule, title_of


@rule("A pinned hash works for one restore only", Severity.INFO, Category.PIN)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator whose pin is what makes it restore."""
    for row in context.pairs:
        node = context.base_node(row)
        if (
            node is None
            or node.has_coordinator
            or row.stateful is False
            or not kept(row)
            or row.head is None
            or row.base is None
        ):
            continue
        if row.head.uid_hash is None or row.head.uid_hash != row.base.id or row.head.id == row.base.id:
            continue
        own = f"its own snapshots lie under {row.head.id}, so"
        then = f"{own} give it a uid before the job changes again and remove the pin"
        if row.head.id is None:
            then = "the id of its own snapshots is not known, so give it a constant uid before the job changes again"
        elif row.head.uid is not None:
            then = (
                f"{own} remove the pin once a savepoint of the new job exists: from then on its uid "
                f"'{row.head.uid}' finds it"
            )
        yield Hit(
            message=f"the pin of {title_of(row.head)} finds the state of the base; {then}",
            base=row.base,
            head=row.head,
            evidence=(Evidence("operator id", row.base.id, row.head.id),),
        )
