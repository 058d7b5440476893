"""A uid was taken from an operator with state."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.comparison import CauseKind
from checker.model.findings import OperatorSide, Severity
from checker.rules.base import Category, Hit, RuleContext, rule, title_of
from checker.rules.check.losses import NOT_READABLE, uid_edits


@rule("The uid of a stateful operator was removed", Severity.ERROR, Category.UID)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per declaration: a sink's writer and committer go together."""
    return uid_edits(context, CauseKind.UID_REMOVED, _message)


def _message(base: OperatorSide, head: OperatorSide) -> tuple[str, str]:
    before = base.uid or NOT_READABLE
    return (
        f"{title_of(head)} lost its uid '{before}': the state under it does not restore",
        f'put the uid back: .uid("{before}")',
    )
