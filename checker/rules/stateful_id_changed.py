"""A stateful operator's generated id moved, so nobody claims the state it left."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.comparison import CauseKind, OperatorComparison
from checker.model.findings import Severity
from checker.rules.base import Category, Hit, Rule, RuleContext, grouped, id_evidence, lost, stable_key, title_of

_ABOUT_UIDS = frozenset({CauseKind.UID_ADDED, CauseKind.UID_REMOVED, CauseKind.UID_RENAMED})


def moved(row: OperatorComparison) -> bool:
    """Its state is lost because of an edit elsewhere (or an unexplained one), not because of its own uid."""
    if not lost(row) or row.head is None or row.base is None:
        return False
    if row.cause is None or row.cause.kind not in _ABOUT_UIDS:
        return True
    return len(row.cause.path) > 1


def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per cause."""
    return grouped((row for row in context.pairs if moved(row)), _hit)


def _hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    why = row.cause.text if row.cause is not None else "its position in the job changed"
    pin = f'.setUidHash("{row.base.id}")' if row.base.id else None
    return Hit(
        message=f"the generated id of {title_of(row.head)} changed, so its state does not restore: {why}",
        operator_key=stable_key(row.head),
        base=row.base,
        head=row.head,
        evidence=id_evidence(row),
        repair=pin and f"pin the old id on the operator: {pin}",
    )


RULE = Rule(
    slug="stateful-id-changed",
    title="The generated id of a stateful operator changed",
    severity=Severity.ERROR,
    category=Category.IDENTITY,
    since="0.1",
    find=find,
)
