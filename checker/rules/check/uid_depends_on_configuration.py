"""A uid computed from arguments or configuration: another value cuts the operator off from its state."""

from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, Revision, revision_rule, title_of


@revision_rule("A uid depends on configuration", Severity.WARNING, Category.UID)
def find(revision: Revision) -> Hits:
    """One hit per declaration."""
    seen: set[str] = set()
    for node in revision.nodes.values():
        keys = node.declared.uid_depends_on
        if not keys or node.stateful is False or node.declared.id in seen:
            continue
        seen.add(node.declared.id)
        side = revision.side(node)
        names = ", ".join(keys)
        yield Hit(
            message=f"the uid of {title_of(side)} is made from {names}: with another value its state does not restore, "
            "and two operators may get one uid",
            head=side,
            evidence=(Evidence("depends on", after=names),),
            repair="use a constant; name what is configured elsewhere, for instance in name(...)",
            location=side.uid_location,
        )
