"""setUidHash on a sink of the new interface: Flink refuses it."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.model.translation import RefusalKind
from checker.rules.base import Category, Hit, Revision, revision_rule
from checker.rules.check.refusals import refusal_hits, with_repair


@revision_rule("setUidHash on a Sink V2", Severity.ERROR, Category.BUILD)
def find(revision: Revision) -> Iterable[Hit]:
    """The refusal, if it is about this."""
    return with_repair(
        refusal_hits(revision, {RefusalKind.UID_HASH_ON_SINK}),
        "give the hashes to sinkTo: "
        'CustomSinkOperatorUidHashes.builder().setWriterUidHash("...").setCommitterUidHash("...").build()',
    )
