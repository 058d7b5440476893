"""Flink would refuse to build the job for a reason that is not about ids."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.model.translation import RefusalKind
from checker.rules.base import Category, Hit, Revision, revision_rule
from checker.rules.check.refusals import refusal_hits

_KINDS = frozenset(
    {RefusalKind.FORWARD_PARALLELISM, RefusalKind.MISSING_UID, RefusalKind.NO_OPERATORS, RefusalKind.INVALID}
)


@revision_rule("Flink refuses to build the job", Severity.ERROR, Category.BUILD)
def find(revision: Revision) -> Iterable[Hit]:
    """The refusal, unless a rule of its own reports it."""
    return refusal_hits(revision, _KINDS)
