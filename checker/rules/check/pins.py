"""Rules about operator ids that a program pins with ``setUidHash``."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, Severity
from checker.rules.base import (
    Category,
    Hit,
    Revision,
    RuleContext,
    grouped,
    id_evidence,
    kept,
    revision_rule,
    rule,
    title_of,
)
from checker.rules.check.losses import pin_broken


@rule("A pinned hash no longer finds the state", Severity.ERROR, Category.PIN)
def pinned_hash_broken(context: RuleContext) -> Iterable[Hit]:
    """A pin from an earlier change is kept, but the base has long written its state under its own id.

    One hit per cause.
    """
    return grouped((row for row in context.pairs if pin_broken(row)), _hit)


def _hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    return Hit(
        message=f"{title_of(row.head)} is pinned to {row.head.uid_hash}, but the base wrote its state under "
        f"{row.base.id}: it does not restore",
        base=row.base,
        head=row.head,
        evidence=(Evidence("pinned to", row.base.uid_hash, row.head.uid_hash), *id_evidence(row)),
        repair=f'pin the id that the base has now: .setUidHash("{row.base.id}")',
    )


@rule("A pinned hash works for one restore only", Severity.INFO, Category.PIN)
def pinned_hash_expires(context: RuleContext) -> Iterable[Hit]:
    """A pin finds the state now; after the first savepoint of the new job it finds nothing any more.

    One hit per operator whose pin is what makes it restore.
    """
    for row in context.pairs:
        node = context.base_node(row)
        if (
            node is None
            or node.has_coordinator
            or row.stateful is False
            or not kept(row)
            or row.head is None
            or row.base is None
        ):
            continue
        if row.head.uid_hash is None or row.head.uid_hash != row.base.id or row.head.id == row.base.id:
            continue
        then = "give it a uid before the job changes again and remove the pin"
        if row.head.uid is not None:
            then = (
                f"remove the pin once a savepoint of the new job exists: from then on its uid '{row.head.uid}' finds it"
            )
        yield Hit(
            message=f"the pin of {title_of(row.head)} finds the state of the base; its own snapshots lie under "
            f"{row.head.id}, so {then}",
            base=row.base,
            head=row.head,
            evidence=(Evidence("operator id", row.base.id, row.head.id),),
        )


@revision_rule("A pinned hash is the id of another operator of the job", Severity.ERROR, Category.PIN)
def pinned_hash_names_live_operator(revision: Revision) -> Iterable[Hit]:
    """Two operators of one job claim one state: which of them gets it is left to chance.

    One hit per pinned operator.
    """
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


@rule("A pinned hash is no longer needed", Severity.INFO, Category.PIN)
def pinned_hash_removable(context: RuleContext) -> Iterable[Hit]:
    """A pin that was already there when the base ran: its state lies under the generated id by now.

    One hit per operator. Silent as long as nothing else changes in the pipeline.
    """
    if not context.changed:
        return
    ids = {row.base.id for row in context.comparison.operators if row.base is not None}
    for row in context.pairs:
        base, head = row.base, row.head
        if base is None or head is None or head.uid_hash is None or base.uid_hash != head.uid_hash:
            continue
        if row.id_changed is False and head.uid_hash != head.id and head.uid_hash not in ids:
            yield Hit(
                message=f"the pin of {title_of(head)} has done its work: the state lies under {head.id} since the "
                "first savepoint of the base, and the pin can go",
                base=base,
                head=head,
                evidence=(Evidence("pinned to", base.uid_hash, head.uid_hash),),
            )


@rule("A pinned source reads every split again", Severity.ERROR, Category.PIN)
def coordinator_state_lost(context: RuleContext) -> Iterable[Hit]:
    """setUidHash on an operator with a coordinator: the reader finds its state, the enumerator does not.

    One hit per operator.
    """
    for row in context.pairs:
        node, base, head = context.base_node(row), row.base, row.head
        if node is None or base is None or head is None or not node.has_coordinator or base.id is None:
            continue
        if head.uid_hash == base.id and head.id != base.id:
            yield Hit(
                message=f"{title_of(head)} is pinned to its old id, but coordinators are looked up by generated id "
                "only: the split enumerator starts fresh, and every split is read a second time",
                base=base,
                head=head,
                evidence=(Evidence("operator id", base.id, head.id), Evidence("pinned to", after=head.uid_hash)),
                repair=f'keep the id itself: .uid("{base.uid}")'
                if base.uid
                else "undo the change that moved the id, or start the source from explicit positions: renaming the "
                "operator inside the savepoint drops its coordinator's state",
            )
