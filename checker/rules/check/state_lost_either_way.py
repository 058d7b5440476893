"""State is lost whatever the unknown values are: they only decide how."""

from collections.abc import Iterable, Sequence

from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, Hit, RestorePath, Severity, Verdict, stable_key
from checker.model.nested import gathered
from checker.model.unknowns import settle
from checker.rules.base import Category, Hits, RuleContext, cause_evidence, lost_either_way, rule, title_of

_OUTCOMES = {
    Verdict.FAILS: "Flink refuses to start",
    Verdict.DROPPED: "Flink drops it",
    Verdict.MISASSIGNED: "it lands in another operator",
}


@rule("State is lost for every possible value of what is unknown", Severity.ERROR, Category.IDENTITY)
def find(context: RuleContext) -> Hits:
    """One hit per cause: its first operator, then the others, and those without state that are open with them."""
    rows = context.comparison.operators
    groups = gathered(((row.cause and row.cause.group, row.undecided), row) for row in rows if lost_either_way(row))
    for lost in groups.values():
        open_too = [row for row in rows if row not in lost and _opened_by(row, lost[0])]
        yield _hit(lost[0], [*lost[1:], *open_too])


def follows_a_loss(row: OperatorComparison, rows: Sequence[OperatorComparison]) -> bool:
    """Whether this rule reports a row: as lost, or beside a lost one that the same unknown values leave open."""
    return any(lost_either_way(lost) and (lost is row or _opened_by(row, lost)) for lost in rows)


def _opened_by(row: OperatorComparison, lost: OperatorComparison) -> bool:
    """An operator without state of its own that takes the lost one's place only with some of the values."""
    if row.stateful is not False or not row.undecided or not set(row.undecided) <= set(lost.undecided):
        return False
    return any(v.possible for v in row.verdicts if v.path is RestorePath.SAVEPOINT)


def _hit(row: OperatorComparison, followers: Iterable[OperatorComparison]) -> Hit:
    assert row.base is not None
    because = f": {row.cause.text}" if row.cause is not None else ""
    path = row.on(RestorePath.SAVEPOINT)
    how = " or ".join(_OUTCOMES[verdict] for verdict in path.possible or (path.verdict,))
    settled = dict.fromkeys(settle(u.settled_by, "") for u in row.undecided if u.settled_by)
    return Hit(
        message=f"the state of {title_of(row.base)} does not restore in any case{because}",
        operator_key=stable_key(row.base),
        base=row.base,
        head=row.head,
        followers=tuple(row.side for row in followers),
        evidence=(
            *cause_evidence(row.cause),
            Evidence("why", after=f"{how}, depending on this: {'; '.join(u.reason for u in row.undecided)}"),
        ),
        repair="\n".join(settled) or None,
    )
