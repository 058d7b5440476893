"""A uid was given to an operator whose state lies under its generated id."""

from checker.model.comparison import CauseKind
from checker.rules.check.losses import uid_edit_rule

find = uid_edit_rule(
    __name__,
    "A uid was added to an operator that already has state",
    CauseKind.UID_ADDED,
    "{operator} got the uid '{after}', but its state lies under its old, generated id and does not restore",
    'pin the old id once, beside the uid: .setUidHash("{id}")',
)
