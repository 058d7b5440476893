"""Two runs of one program give different operators or ids."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.rules.base import Category, Hit, Revision, revision_rule


def find_in(revision: Revision) -> Iterable[Hit]:
    """One hit a difference."""
    for text in revision.translation.topology.unstable if revision.translation is not None else ():
        yield Hit(
            message=f"the program is not the same twice: {text}",
            operator_key=f"unstable:{text.partition(':')[0]}",
            repair="set constant uids, and make the graph from nothing that changes between runs",
        )


RULE = revision_rule(
    slug="differs-between-runs",
    title="Two runs of the program differ",
    severity=Severity.ERROR,
    category=Category.UID,
    since="0.1",
    find_in=find_in,
    always=True,
)
