"""uid or setUidHash on keyBy, union, a partitioning call or a side output: Flink ignores it."""

from dataclasses import replace

from checker.model.findings import Evidence, Hit, OperatorSide, Severity
from checker.rules.base import Category, Hits, Revision, revision_rule


@revision_rule("A uid on a call that makes no operator", Severity.WARNING, Category.UID)
def find(revision: Revision) -> Hits:
    """One hit per call."""
    translation = revision.translation
    for t in translation.topology.operators() if translation is not None else ():
        if not t.kind.virtual or (t.uid is None and t.uid_hash is None):
            continue
        what = "uid" if t.uid is not None else "setUidHash"
        value = t.uid if t.uid is not None else t.uid_hash
        uid = value if isinstance(value, str) else None
        yield Hit(
            message=f"{what} on a {t.kind} is ignored: the call makes no operator, so nothing is pinned",
            operator_key=f"{t.kind}:{uid or t.id}",
            head=replace(OperatorSide.of_declaration(t), uid=uid),
            evidence=(Evidence(what, after=uid),),
            repair="move it behind the call that makes the operator, before any keyBy or partitioning",
            location=t.uid_location or t.uid_hash_location or t.location,
        )
