"""A uid hash that is not 32 hex digits: Flink refuses it."""

from checker.model.translation import RefusalKind
from checker.rules.check.refusals import refusal_rule

find = refusal_rule(
    __name__,
    "A pinned hash that is not a hash",
    {RefusalKind.MALFORMED_UID_HASH},
    "setUidHash takes the 32 hex digits of an operator id; for a readable name use uid(...)",
)
