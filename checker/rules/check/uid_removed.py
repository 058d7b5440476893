"""A uid was taken from an operator with state."""

from checker.model.comparison import CauseKind
from checker.rules.check.losses import uid_edit_rule

find = uid_edit_rule(
    __name__,
    "The uid of a stateful operator was removed",
    CauseKind.UID_REMOVED,
    "{operator} lost its uid '{before}', and the state under it does not restore",
    'put the uid back: .uid("{before}")',
)
