"""A uid was given to an operator whose state lies under its generated id."""

from __future__ import annotations

from checker.model.comparison import CauseKind
from checker.model.findings import OperatorSide
from checker.rules.base import title_of
from checker.rules.check.losses import NOT_READABLE, uid_edit_rule


def _message(base: OperatorSide, head: OperatorSide) -> tuple[str, str]:
    return (
        f"{title_of(head)} got the uid '{head.uid or NOT_READABLE}' but its state lies under the id it had without "
        "one: it does not restore",
        f'pin the old id once, beside the uid: .setUidHash("{base.id}")',
    )


find = uid_edit_rule(__name__, "A uid was added to an operator that already has state", CauseKind.UID_ADDED, _message)
