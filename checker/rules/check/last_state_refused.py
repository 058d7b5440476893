"""A savepoint restores, but high availability and last-state upgrades refuse the changed job."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Evidence, OperatorSide, RestorePath, Severity, Verdict
from checker.rules.base import Category, Hit, Rule, RuleContext, titles_of


def find(context: RuleContext) -> Iterable[Hit]:
    """At most one hit a pipeline, and none where the savepoint is refused anyway."""
    rows = context.comparison.operators
    if not context.comparable or any(r.verdict(RestorePath.SAVEPOINT) is Verdict.FAILS for r in rows):
        return
    sides: list[OperatorSide] = [
        r.base for r in rows if r.base is not None and r.verdict(RestorePath.LAST_STATE) is Verdict.FAILS
    ]
    if not sides:
        return
    names = titles_of(sides)
    yield Hit(
        message=f"a savepoint restores, but a last-state upgrade is refused: the ids of {names} are "
        "gone, and that path "
        "refuses even entries without state",
        operator_key="last-state",
        base=sides[0],
        followers=tuple(sides[1:]),
        evidence=tuple(Evidence("not claimed", before=f"{s.name} {s.id}") for s in sides),
        repair="deploy this change with a savepoint",
        location=sides[0].location,
    )


RULE = Rule(
    slug="last-state-refused",
    title="A restart from the last checkpoint is refused",
    severity=Severity.INFO,
    category=Category.RESTORE,
    since="0.1",
    find=find,
)
