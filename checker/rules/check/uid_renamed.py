"""A uid was renamed, and with it the id under which the state lies."""

from checker.model.comparison import CauseKind
from checker.rules.check.losses import uid_edit_rule

find = uid_edit_rule(
    __name__,
    "The uid of a stateful operator was renamed",
    CauseKind.UID_RENAMED,
    "the uid of {operator} was renamed from '{before}' to '{after}', and its state does not restore",
    'put the old uid back: .uid("{before}")',
)
