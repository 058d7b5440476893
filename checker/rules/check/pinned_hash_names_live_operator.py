"""Two operators of one job claim one state: which of them gets it is left to chance."""

from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, Revision, revision_rule, title_of


@revision_rule("A pinned hash is the id of another operator of the job", Severity.ERROR, Category.PIN)
def find(revision: Revision) -> Hits:
    """One hit per pinned operator."""
    sides = [revision.side(node) for node in revision.nodes.values()]
    own = {side.id: side for side in sides if side.id is not None}
    for side in sides:
        owner = own.get(side.uid_hash) if side.uid_hash is not None else None
        if owner is None or owner.key == side.key:
            continue
        if owner.uid_hash in (None, owner.id):  # else it looks for its own state elsewhere, too
            yield Hit(
                message=f"{title_of(side)} is pinned to {side.uid_hash}, which is the id of {title_of(owner)}: both "
                "claim one state, and which of them gets it changes from run to run",
                head=side,
                evidence=(Evidence("pinned to", after=side.uid_hash), Evidence("id of", after=owner.name)),
                repair="pin the id that this operator itself had, or remove the pin",
            )
