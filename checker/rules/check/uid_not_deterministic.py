"""A uid, or the name of a state, made from UUIDs, clocks, random numbers, counters or identity hash codes."""

from checker.model.findings import Evidence, Hit, Severity, stable_key
from checker.model.stream_graph import Role, StreamNode
from checker.model.unknowns import NAMED_ANEW, Cause, Unknown
from checker.rules.base import Category, Hits, Revision, revision_rule, title_of


@revision_rule("A uid or the name of a state is different in every run", Severity.ERROR, Category.UID, always=True)
def find(revision: Revision) -> Hits:
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
        own = side.uid_location or uid.location
        stateless = all(n.stateful is False for n in revision.nodes.values() if n.declared.id == node.declared.id)
        harm = (
            "a start from the last checkpoint, or from any unaligned one, is refused"
            if stateless
            else "no savepoint of this job ever restores its state"
        )
        yield Hit(
            message=f"the uid of {title_of(side)} is different in every run: {harm}",
            operator_key=str(side.key),
            head=side,
            evidence=(Evidence("uid", after=uid.reason),),
            repair='set a constant: .uid("...")' if own else "take a release of its library that gives it a fixed one",
            location=own,
            at_most=Severity.WARNING if stateless else None,
        )
    yield from _named_anew(revision)


def _named_anew(revision: Revision) -> Hits:
    """One hit for all states that PyFlink names: it blocks nothing, for the program can't name them."""
    sides = [
        revision.side(node)
        for node in revision.nodes.values()
        if any(name.derived_from == NAMED_ANEW for name in _unknown_names(node))
    ]
    for first in sides[:1]:
        yield Hit(
            message=f"PyFlink gives the state of reduce() a new name whenever a task of {title_of(first)} starts: what "
            "was reduced is lost at every restart, with any savepoint",
            operator_key=f"reduce {stable_key(first)}",
            head=first,
            followers=tuple(sides[1:]),
            repair="reduce in a KeyedProcessFunction, with a ReducingState that it names",
            at_most=Severity.INFO,
        )


def _unknown_names(node: StreamNode) -> list[Unknown]:
    return [state.name for state in node.declared.known_states if isinstance(state.name, Unknown)]


def _of_states(revision: Revision, node: StreamNode) -> Hits:
    unknown = next((name for name in _unknown_names(node) if name.cause is Cause.NON_DETERMINISTIC), None)
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
