"""A pin from an earlier change is kept, but the base has long written its state under its own id."""

from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, grouped, id_evidence, rule, title_of
from checker.rules.check.losses import pin_broken


@rule("A pinned hash no longer finds the state", Severity.ERROR, Category.PIN)
def find(context: RuleContext) -> Hits:
    """One hit per cause."""
    return grouped((row for row in context.pairs if pin_broken(row)), _hit)


def _hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    return Hit(
        message=f"{title_of(row.head)} is pinned to {row.head.uid_hash}, but the base wrote its state under "
        f"{row.base.id}: it does not restore",
        base=row.base,
        head=row.head,
        evidence=(Evidence("pinned to", row.base.uid_hash, row.head.uid_hash), *id_evidence(row)),
        repair=f'pin the id that the base has now: .setUidHash("{row.base.id}")',
    )
