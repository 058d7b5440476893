"""A stateful operator has no uid: its id depends on everything before it."""

from checker.model.findings import Hit, Severity
from checker.model.stream_graph import Role
from checker.model.topology import Kind
from checker.rules.base import Category, Hits, Revision, revision_rule, title_of


@revision_rule("A stateful operator has no uid", Severity.WARNING, Category.UID)
def find(revision: Revision) -> Hits:
    """One hit per declaration: a sink is one, whatever it expands to."""
    seen: set[str] = set()
    for node in revision.nodes.values():
        inner = node.role in (Role.PRE_WRITE, Role.PRE_COMMIT, Role.POST_COMMIT)
        if node.stateful is not True or node.uid is not None or node.kind is Kind.UNKNOWN or inner:
            continue
        if node.declared.id in seen:
            continue
        seen.add(node.declared.id)
        side = revision.side(node)
        yield Hit(
            message=f"{title_of(side)} keeps state but has no uid: any change before it in the job can cut it off "
            "from its state",
            head=side,
            repair='add .uid("...") while the operator has no state yet; once it has, pin the old id as well',
        )
