"""A uid was renamed, and with it the id under which the state lies."""

from __future__ import annotations

from checker.model.comparison import CauseKind
from checker.model.findings import OperatorSide
from checker.rules.base import title_of
from checker.rules.check.losses import NOT_READABLE, uid_edit_rule


def _message(base: OperatorSide, head: OperatorSide) -> tuple[str, str]:
    before, after = base.uid or NOT_READABLE, head.uid or NOT_READABLE
    return (
        f"the uid of {title_of(head)} was renamed from '{before}' to '{after}': the state under the old one does not "
        "restore",
        f'put the old uid back: .uid("{before}")',
    )


find = uid_edit_rule(__name__, "The uid of a stateful operator was renamed", CauseKind.UID_RENAMED, _message)
