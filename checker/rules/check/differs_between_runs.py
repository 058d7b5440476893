"""Two runs of one program give different operators or ids."""

from checker.model.findings import Hit, Severity
from checker.rules.base import Category, Hits, Revision, revision_rule


@revision_rule("Two runs of the program differ", Severity.ERROR, Category.UID, always=True)
def find(revision: Revision) -> Hits:
    """One hit per difference."""
    for text in revision.translation.topology.unstable if revision.translation is not None else ():
        yield Hit(
            message=f"two runs of the program differ: {text}",
            operator_key=f"unstable:{text.partition(':')[0]}",
            repair="set constant uids, and build the graph only from what does not change between runs",
        )
