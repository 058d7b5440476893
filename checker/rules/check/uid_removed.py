"""A uid was taken from an operator with state."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.comparison import CauseKind, OperatorComparison
from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, grouped, id_evidence, rule, stable_key, title_of
from checker.rules.check.losses import own_uid_edit


@rule("The uid of a stateful operator was removed", Severity.ERROR, Category.UID)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per declaration: a sink's writer and committer go together."""
    return grouped((row for row in context.pairs if _concerned(row)), _hit)


def _concerned(row: OperatorComparison) -> bool:
    return own_uid_edit(row) and row.cause is not None and row.cause.kind is CauseKind.UID_REMOVED


def _hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    before = row.base.uid or "(not readable)"
    return Hit(
        message=f"{title_of(row.head)} lost its uid '{before}': the state under it does not restore",
        operator_key=stable_key(row.base),
        base=row.base,
        head=row.head,
        evidence=id_evidence(row),
        repair=f'put the uid back: .uid("{before}")',
        location=row.head.uid_location or row.head.location,
    )
