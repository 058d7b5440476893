"""setUidHash on an operator with a coordinator: the reader finds its state, the enumerator does not."""

from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule, title_of


@rule("A pinned source reads every split again", Severity.ERROR, Category.PIN)
def find(context: RuleContext) -> Hits:
    """One hit per operator."""
    for row in context.pairs:
        node, base, head = context.base_node(row), row.base, row.head
        if node is None or base is None or head is None or not node.has_coordinator or base.id is None:
            continue
        if head.uid_hash == base.id and head.id != base.id:
            yield Hit(
                message=f"{title_of(head)} is pinned to its old id, but coordinators are looked up by generated id "
                "only: the split enumerator starts fresh, and every split is read a second time",
                base=base,
                head=head,
                evidence=(Evidence("operator id", base.id, head.id), Evidence("pinned to", after=head.uid_hash)),
                repair=f'keep the id itself: .uid("{base.uid}")'
                if base.uid
                else "undo the change that moved the id, or start the source from explicit positions: renaming the "
                "operator inside the savepoint drops its coordinator's state",
            )
