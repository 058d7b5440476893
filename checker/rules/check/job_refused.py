"""Flink would refuse to build the job."""

from checker.model.findings import Evidence, Hit, OperatorSide, Severity
from checker.model.translation import RefusalKind
from checker.rules.base import Category, Hits, Revision, revision_rule

_REPAIRS = {
    RefusalKind.HASH_COLLISION: "give back the uid that one of them had in the base; else another uid to the "
    "one that never ran, or to the one without state",
    RefusalKind.MALFORMED_UID_HASH: "setUidHash takes the 32 hex digits of an operator id; for a readable name use "
    "uid(...)",
    RefusalKind.UID_HASH_ON_SINK: "give the hashes to sinkTo: "
    'CustomSinkOperatorUidHashes.builder().setWriterUidHash("...").setCommitterUidHash("...").build()',
}


@revision_rule("Flink refuses to build the job", Severity.ERROR, Category.BUILD)
def find(revision: Revision) -> Hits:
    """At most one hit: Flink stops at the first."""
    if revision.refused and revision.failure is not None:
        yield Hit(
            message=f"Flink refuses to build this job: {revision.failure}",
            operator_key=f"{RefusalKind.INVALID.value} program",
            location=revision.failure_location,
        )
    translation = revision.translation
    if translation is None or translation.refusal is None:
        return
    refusal = translation.refusal
    declared = {t.id: t for t in translation.topology.operators()}
    sides = tuple(
        OperatorSide.of_declaration(declared[key.declaration], key)
        for key in refusal.operators
        if key.declaration in declared
    )
    first = sides[-1] if sides else None
    empty = refusal.kind is RefusalKind.NO_OPERATORS
    yield Hit(
        message=f"Flink refuses to build this job: {refusal.message}",
        operator_key=" ".join((refusal.kind.value, *sorted(map(str, refusal.operators)))),
        head=first,
        followers=tuple(s for s in sides if s is not first),
        evidence=(Evidence("refused", after=refusal.message),),
        repair=_REPAIRS.get(refusal.kind),
        location=(first.uid_location or first.location) if first is not None else None,
        # An execute() behind the statements that did it all, as programs of tables have it; a new one has no state.
        at_most=Severity.WARNING if empty and revision.certainly_new else None,
    )
