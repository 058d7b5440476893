"""Flink would refuse to build the job for a reason that is not about ids."""

from checker.model.translation import RefusalKind
from checker.rules.check.refusals import refusal_rule

find = refusal_rule(
    __name__,
    "Flink refuses to build the job",
    {RefusalKind.FORWARD_PARALLELISM, RefusalKind.MISSING_UID, RefusalKind.NO_OPERATORS, RefusalKind.INVALID},
)
