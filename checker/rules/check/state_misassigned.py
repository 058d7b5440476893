"""An id that named one operator names another one now, and Flink hands it the state without a message."""

from checker.model.account import Explanation
from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, Hit, RestorePath, Severity, Verdict, stable_key
from checker.model.unknowns import Location
from checker.rules.base import Category, Hits, RuleContext, cause_evidence, grouped, lost, rule, title_of
from checker.rules.check.losses import moved_along

_WRONG = (Verdict.MISASSIGNED, Verdict.DROPPED, Verdict.FAILS)


@rule("State lands in the wrong operator", Severity.ERROR, Category.IDENTITY)
def find(context: RuleContext) -> Hits:
    """One hit per cause: one inserted operator can push every state behind it to its neighbour."""
    contested = _contested(context)
    rows = [
        row
        for row in context.comparison.operators
        if row.base is not None
        and (row.claimed_by is not None or (lost(row) and moved_along(row)))
        and row.stateful is not False
        and row.verdict(RestorePath.SAVEPOINT) in _WRONG
        and row.base.id not in contested
    ]
    return grouped(sorted(rows, key=lambda row: row.claimed_by is None), lambda row: _hit(context, row))


def _hit(context: RuleContext, row: OperatorComparison) -> Hit:
    base, taker = row.base, row.claimed_by
    assert base is not None
    assert taker is not None
    node = context.head.nodes.get(taker.key)
    if row.verdict(RestorePath.SAVEPOINT) is Verdict.FAILS:
        ending = f"and Flink refuses to give it this state: {row.on(RestorePath.SAVEPOINT).reason}"
    elif node is not None and node.stateful is False:
        ending = "which keeps no state, so it is lost without an error"
    else:
        ending = "which gets this state without an error"
    because = f" ({row.cause.text})" if row.cause is not None else ""
    named = title_of(taker) if title_of(taker) != title_of(base) else "another operator of that name"
    return Hit(
        message=f"the id of {title_of(base)} now belongs to {named}, {ending}{because}",
        operator_key=stable_key(base),
        base=base,
        head=row.head,
        evidence=(
            Evidence("operator id", base.id, row.head.id if row.head else None),
            Evidence("claimed by", after=taker.name),
            *cause_evidence(row.cause),
        ),
        location=_list_edited(context, row) or (row.head or taker).location,
        repair="give both operators uids of their own and pin the ids they had",
    )


def _list_edited(context: RuleContext, row: OperatorComparison) -> Location | None:
    """Where the list was edited along which uids moved: at the only edit that was compared, if there is one only."""
    edits = () if context.account is None or not moved_along(row) else context.account.edits
    places = {edit.location for edit in edits if edit.explanation is Explanation.COMPARED}
    return places.pop() if len(places) == 1 else None


def _contested(context: RuleContext) -> frozenset[str]:
    """Ids that two operators of the head claim, which a rule of its own reports."""
    heads = [row.head for row in context.comparison.operators if row.head is not None]
    pinned = {h.uid_hash for h in heads if h.uid_hash is not None and h.uid_hash != h.id}
    return frozenset(h.id for h in heads if h.id is not None and h.id in pinned and h.uid_hash in (None, h.id))
