"""A uid on an operator with several inputs changes the order of the walk, and ids before it."""

from checker.model.comparison import OperatorComparison
from checker.model.findings import Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, grouped, id_evidence, rule, title_of
from checker.rules.check.losses import moved_by_uid_downstream


@rule("A uid moved the ids of operators that it does not feed", Severity.ERROR, Category.UID)
def find(context: RuleContext) -> Hits:
    """One hit per cause."""
    return grouped((row for row in context.pairs if moved_by_uid_downstream(context, row)), _hit)


def _hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    assert row.cause is not None
    return Hit(
        message=f"a uid on '{row.cause.operator_name}' moved {title_of(row.head)}, which does not even read from it: "
        "its state does not restore",
        base=row.base,
        head=row.head,
        evidence=id_evidence(row),
        repair=f'pin the old id on the operator: .setUidHash("{row.base.id}")',
    )
