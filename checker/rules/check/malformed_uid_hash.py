"""A uid hash that is not 32 hex digits: Flink refuses it."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.model.graphs import RefusalKind
from checker.rules.base import Category, Hit, Revision, revision_rule
from checker.rules.check.refusals import refusal_hits, with_repair


def find_in(revision: Revision) -> Iterable[Hit]:
    """The refusal, if it is about this."""
    return with_repair(
        refusal_hits(revision, {RefusalKind.MALFORMED_UID_HASH}),
        "setUidHash takes the 32 hex digits of an operator id; for a readable name use uid(...)",
    )


RULE = revision_rule(
    slug="malformed-uid-hash",
    title="A pinned hash that is no hash",
    severity=Severity.ERROR,
    category=Category.BUILD,
    since="0.1",
    find_in=find_in,
)
