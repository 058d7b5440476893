"""An id that named one operator names another one now, and Flink hands it the state without a message."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Evidence, OperatorSide, RestorePath, Severity, Verdict
from checker.rules.base import Category, Hit, Rule, RuleContext, cause_evidence, stable_key, title_of

_WRONG = (Verdict.MISASSIGNED, Verdict.DROPPED, Verdict.FAILS)


def find(context: RuleContext) -> Iterable[Hit]:
    """One hit an operator whose state another one takes."""
    for row in context.comparison.operators:
        base, taker = row.base, row.claimed_by
        if base is None or taker is None or row.stateful is False:
            continue
        verdict = row.verdict(RestorePath.SAVEPOINT)
        if verdict not in _WRONG or contested(context, base):
            continue
        node = context.head.nodes.get(taker.key)
        if verdict is Verdict.FAILS:
            ending = f"and Flink refuses to give it this state: {row.verdicts[0].reason}"
        elif node is not None and node.stateful is False:
            ending = "which keeps no state, so it is lost: Flink says nothing"
        else:
            ending = "which gets this state: Flink says nothing"
        because = f" ({row.cause.text})" if row.cause is not None else ""
        yield Hit(
            message=f"the id of {title_of(base)} now names {title_of(taker)}, {ending}{because}",
            operator_key=stable_key(base),
            base=base,
            head=row.head,
            evidence=(
                Evidence("operator id", base.id, row.head.id if row.head else None),
                Evidence("claimed by", after=taker.name),
                *cause_evidence(row.cause),
            ),
            followers=(taker,),
            location=taker.location,
            repair="give both operators uids of their own and pin the ids they had",
        )


def contested(context: RuleContext, base: OperatorSide) -> bool:
    """Two operators of the head claim the state, which a rule of its own tells."""
    heads = [row.head for row in context.comparison.operators if row.head is not None]
    pinned = any(h.uid_hash == base.id and h.id != base.id for h in heads)
    return pinned and any(h.id == base.id and h.uid_hash in (None, h.id) for h in heads)


RULE = Rule(
    slug="state-misassigned",
    title="State lands in the wrong operator",
    severity=Severity.ERROR,
    category=Category.IDENTITY,
    since="0.1",
    find=find,
)
