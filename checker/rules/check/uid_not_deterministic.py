"""A uid, or the name of a state, made from UUIDs, clocks, random numbers, counters or identity hash codes."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Evidence, Severity
from checker.model.stream_graph import Role, StreamNode
from checker.model.unknowns import Cause, Unknown
from checker.rules.base import Category, Hit, Revision, revision_rule, title_of


@revision_rule("A uid or the name of a state is different in every run", Severity.ERROR, Category.UID, always=True)
def find(revision: Revision) -> Iterable[Hit]:
    """One hit per declaration, as long as it is there: it does harm between two runs of one revision."""
    if revision.translation is not None and revision.translation.topology.takes_no_savepoints:
        return  # it ends by itself: there is nothing to restore
    seen: set[str] = set()
    for node in revision.nodes.values():
        yield from _of_states(revision, node)
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


def _of_states(revision: Revision, node: StreamNode) -> Iterable[Hit]:
    states = () if isinstance(node.declared.state, Unknown) else node.declared.state
    names = [state.name for state in states if isinstance(state.name, Unknown)]
    unknown = next((name for name in names if name.cause is Cause.NON_DETERMINISTIC), None)
    if unknown is not None and node.role not in (Role.COMMITTER, Role.GLOBAL_COMMITTER):
        side = revision.side(node)
        yield Hit(
            message=f"the name of a state of {title_of(side)} is different in every run: its values stay under the old "
            "name, where no run ever finds them",
            operator_key=str(side.key),
            head=side,
            evidence=(Evidence("state", after=unknown.reason),),
            repair="give the state a constant name",
            location=unknown.location,
        )
