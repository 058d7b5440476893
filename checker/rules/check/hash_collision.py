"""Two operators have one id: Flink refuses to build the job."""

from checker.model.translation import RefusalKind
from checker.rules.check.refusals import refusal_rule

find = refusal_rule(
    __name__,
    "Two operators have the same id",
    {RefusalKind.HASH_COLLISION},
    "give one of them another uid: the one that never ran, or else the one without state",
)
