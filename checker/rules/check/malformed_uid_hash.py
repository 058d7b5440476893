"""A uid hash that is not 32 hex digits: Flink refuses it."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.model.translation import RefusalKind
from checker.rules.base import Category, Hit, Revision, revision_rule
from checker.rules.check.refusals import refusal_hits, with_repair


@revision_rule("A pinned hash that is not a hash", Severity.ERROR, Category.BUILD)
def find(revision: Revision) -> Iterable[Hit]:
    """The refusal, if it is about this."""
    return with_repair(
        refusal_hits(revision, {RefusalKind.MALFORMED_UID_HASH}),
        "setUidHash takes the 32 hex digits of an operator id; for a readable name use uid(...)",
    )
