"""A uid was renamed, and with it the id under which the state lies."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.comparison import CauseKind
from checker.model.findings import OperatorSide, Severity
from checker.rules.base import Category, Hit, RuleContext, rule, title_of
from checker.rules.check.losses import NOT_READABLE, uid_edits


@rule("The uid of a stateful operator was renamed", Severity.ERROR, Category.UID)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per declaration: a sink's writer and committer go together."""
    return uid_edits(context, CauseKind.UID_RENAMED, _message)


def _message(base: OperatorSide, head: OperatorSide) -> tuple[str, str]:
    before, after = base.uid or NOT_READABLE, head.uid or NOT_READABLE
    return (
        f"the uid of {title_of(head)} was renamed from '{before}' to '{after}': the state under the old one does not "
        "restore",
        f'put the old uid back: .uid("{before}")',
    )
