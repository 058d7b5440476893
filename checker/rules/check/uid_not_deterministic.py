"""A uid made from UUIDs, clocks, random numbers, counters or identity hash codes."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Evidence, Severity
from checker.model.unknowns import Cause, Unknown
from checker.rules.base import Category, Hit, Revision, revision_rule, title_of


@revision_rule("A uid is different in every run", Severity.ERROR, Category.UID, always=True)
def find(revision: Revision) -> Iterable[Hit]:
    """One hit per declaration, as long as it is there: it does harm between two runs of one revision."""
    if revision.translation is not None and revision.translation.topology.takes_no_savepoints:
        return  # it ends by itself: there is nothing to restore
    seen: set[str] = set()
    for node in revision.nodes.values():
        uid = node.uid
        if not isinstance(uid, Unknown) or uid.cause is not Cause.NON_DETERMINISTIC or node.declared.id in seen:
            continue
        seen.add(node.declared.id)
        side = revision.side(node)
        yield Hit(
            message=f"the uid of {title_of(side)} is different in every run: no savepoint of this job ever restores "
            "its state",
            operator_key=str(side.key),
            head=side,
            evidence=(Evidence("uid", after=uid.reason),),
            repair='set a constant: .uid("...")',
            location=side.uid_location or uid.location,
        )
