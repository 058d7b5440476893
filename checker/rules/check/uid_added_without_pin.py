"""A uid was given to an operator whose state lies under its generated id."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.comparison import CauseKind, OperatorComparison
from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, grouped, id_evidence, rule, stable_key, title_of
from checker.rules.check.losses import own_uid_edit


@rule("A uid was added to an operator that already has state", Severity.ERROR, Category.UID)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per declaration: a sink's writer and committer go together."""
    return grouped((row for row in context.pairs if _concerned(row)), _hit)


def _concerned(row: OperatorComparison) -> bool:
    if row.head is None or row.head.uid is None:
        return False  # another uid in every run: that is a rule of its own
    return own_uid_edit(row) and row.cause is not None and row.cause.kind is CauseKind.UID_ADDED


def _hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    after = row.head.uid or "(not readable)"
    return Hit(
        message=f"{title_of(row.head)} got the uid '{after}' but its state lies under the id it had "
        "without one: it does not restore",
        operator_key=stable_key(row.base),
        base=row.base,
        head=row.head,
        evidence=id_evidence(row),
        repair=f'pin the old id once, beside the uid: .setUidHash("{row.base.id}")',
        location=row.head.uid_location or row.head.location,
    )
