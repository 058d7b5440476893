"""Two operators have one id: Flink refuses to build the job."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.model.translation import RefusalKind
from checker.rules.base import Category, Hit, Revision, revision_rule
from checker.rules.check.refusals import refusal_hits, with_repair


@revision_rule("Two operators have the same id", Severity.ERROR, Category.BUILD)
def find(revision: Revision) -> Iterable[Hit]:
    """The refusal, if it is about ids."""
    return with_repair(
        refusal_hits(revision, {RefusalKind.HASH_COLLISION}),
        "give one of them another uid: the one that never ran, or else the one without state",
    )
