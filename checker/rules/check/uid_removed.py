"""A uid was taken from an operator with state."""

from __future__ import annotations

from checker.model.comparison import CauseKind
from checker.model.findings import OperatorSide
from checker.rules.base import title_of
from checker.rules.check.losses import NOT_READABLE, uid_edit_rule


def _message(base: OperatorSide, head: OperatorSide) -> tuple[str, str]:
    before = base.uid or NOT_READABLE
    return (
        f"{title_of(head)} lost its uid '{before}': the state under it does not restore",
        f'put the uid back: .uid("{before}")',
    )


find = uid_edit_rule(__name__, "The uid of a stateful operator was removed", CauseKind.UID_REMOVED, _message)
