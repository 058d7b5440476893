"""A pin finds the state now; after the first savepoint of the new job it finds nothing any more."""

from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, kept, rule, titles_of


@rule("A pinned hash works for one restore only", Severity.INFO, Category.PIN)
def find(context: RuleContext) -> Hits:
    """One hit for the operators that restore by their pin and have a uid of their own, one for those without."""
    pinned = [row for row in context.pairs if _is_restored_by_pin(context, row)]
    for own_uid in (True, False):
        rows = [row for row in pinned if row.head is not None and (row.head.uid is not None) is own_uid]
        sides = [row.head for row in rows if row.head is not None]
        if not sides:
            continue
        pins, s, uids, them = ("pins", "", "their uids find", "them")
        if len(sides) == 1:
            pins, s, uids, them = ("pin", "s", f"its uid '{sides[0].uid}' finds", "it")
        then = f"give {them} a constant uid before the job changes again, and remove the {pins}"
        if own_uid:
            then = f"remove the {pins} once a savepoint of the new job exists: from then on {uids} the state"
        yield Hit(
            message=f"the {pins} of {titles_of(sides)} give{s} back the state of the base once; {then}",
            base=rows[0].base,
            head=sides[0],
            followers=tuple(sides[1:]),
            evidence=tuple(Evidence("operator id", side.uid_hash, side.id) for side in sides),
        )


def _is_restored_by_pin(context: RuleContext, row: OperatorComparison) -> bool:
    node, base, head = context.base_node(row), row.base, row.head
    if node is None or node.has_coordinator or row.stateful is False or not kept(row) or base is None or head is None:
        return False
    return head.uid_hash is not None and head.uid_hash == base.id != head.id
