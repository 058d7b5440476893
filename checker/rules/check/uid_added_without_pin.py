"""A uid was given to an operator whose state lies under its generated id."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.comparison import CauseKind
from checker.model.findings import OperatorSide, Severity
from checker.rules.base import Category, Hit, RuleContext, rule, title_of
from checker.rules.check.losses import NOT_READABLE, uid_edits


@rule("A uid was added to an operator that already has state", Severity.ERROR, Category.UID)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per declaration: a sink's writer and committer go together."""
    return uid_edits(context, CauseKind.UID_ADDED, _message)


def _message(base: OperatorSide, head: OperatorSide) -> tuple[str, str]:
    return (
        f"{title_of(head)} got the uid '{head.uid or NOT_READABLE}' but its state lies under the id it had without "
        "one: it does not restore",
        f'pin the old id once, beside the uid: .setUidHash("{base.id}")',
    )
