"""The mapping file names an operator that is in neither revision, or one that did not change."""

from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, Revision, RuleContext, rule


@rule("An entry of the mapping file names nothing", Severity.WARNING, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """One hit per entry. An entry may stay while its old operator is gone from both sides: history is kept."""
    if not context.mapping or not context.comparable or not context.changed:
        return
    names = _names(context.base), _names(context.head)
    for entry in context.mapping:
        if entry.pipeline is not None and "*" in entry.pipeline:
            continue
        if entry.new is not None and entry.old in names[0] and entry.new not in names[1]:
            yield Hit(
                message=f"the mapping file maps '{entry.old}' to '{entry.new}', which is not an operator of the head",
                operator_key=f"mapping:{entry.old}",
                evidence=(Evidence("mapping", entry.old, entry.new), Evidence("written in", after=entry.source)),
                repair="name the operator by its uid, its name or its operator id",
            )


def _names(revision: Revision) -> frozenset[str]:
    found: set[str] = set()
    for node in revision.nodes.values():
        side = revision.side(node)
        found.update(n for n in (str(side.key), side.name, side.id, side.uid, node.declared.display_name) if n)
    return frozenset(found)
