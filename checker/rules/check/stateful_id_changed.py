"""A stateful operator's generated id moved, so no operator claims the state it left."""

from checker.model.comparison import OperatorComparison
from checker.model.findings import Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, grouped, id_evidence, lost, rule, title_of
from checker.rules.check.losses import is_behind, moved_along, own_uid_edit, pin_broken, uid_edits


def moved(row: OperatorComparison) -> bool:
    """Its state is lost because of an edit elsewhere (or an unexplained one), and no closer rule says so."""
    return lost(row) and not (own_uid_edit(row) or moved_along(row) or pin_broken(row))


@rule("The generated id of a stateful operator changed", Severity.ERROR, Category.IDENTITY)
def find(context: RuleContext) -> Hits:
    """One hit per cause."""
    edited = uid_edits(context)
    return grouped((row for row in context.pairs if moved(row) and not is_behind(row, edited)), _hit)


def _hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    why = row.cause.text if row.cause is not None else "its position in the job changed"
    pin = f'.setUidHash("{row.base.id}")' if row.base.id else None
    return Hit(
        message=f"the generated id of {title_of(row.head)} changed, so its state does not restore: {why}",
        base=row.base,
        head=row.head,
        evidence=id_evidence(row),
        repair=pin and f"pin the old id on the operator: {pin}",
    )
