"""The kinds of lost state, each reported by one rule, and which of them a row is."""

from collections.abc import Mapping
from functools import partial

from checker.model.changed_files import ChangedText, renamed_by
from checker.model.comparison import CauseKind, OperatorComparison
from checker.model.findings import Hit, Severity, stable_key
from checker.rules.base import Category, Hits, Rule, RuleContext, grouped, id_evidence, lost, rule, title_of

UID_EDITS = frozenset({CauseKind.UID_ADDED, CauseKind.UID_REMOVED, CauseKind.UID_RENAMED})


def own_uid_edit(row: OperatorComparison) -> bool:
    """Lost because the operator's own uid was added, removed or renamed."""
    return lost(row) and row.cause is not None and row.cause.kind in UID_EDITS and len(row.cause.path) == 1


def uid_edits(context: RuleContext) -> dict[tuple[str, str], OperatorComparison]:
    """The operators whose own uid was edited, by what that says of those behind them."""
    return {row.cause.group: row for row in context.pairs if own_uid_edit(row) and row.cause is not None}


def moved_along(row: OperatorComparison) -> bool:
    """Its uid is made of a place, and one before it was put in or taken out."""
    return row.cause is not None and row.cause.kind is CauseKind.MOVED_ALONG


def uid_edit_rule(module: str, title: str, kind: CauseKind, message: str, repair: str) -> Rule:
    """The rule of a module: a hit per declaration whose uid had this edit; a sink's writer and committer are one.

    ``message`` and ``repair`` may hold ``{operator}``, its uids ``{before}`` and ``{after}`` and its old ``{id}``. A
    uid that is different in every run is a rule of its own.
    """

    def text_of(context: RuleContext, row: OperatorComparison) -> ChangedText | None:
        uids = (row.base and row.base.uid, row.head and row.head.uid)
        return renamed_by(context.texts, uids[0], uids[1]) if uids[0] and uids[1] else None

    def hit(context: RuleContext, row: OperatorComparison) -> Hit:
        assert row.base is not None
        assert row.head is not None
        before, after = (side.uid or NOT_READABLE for side in (row.base, row.head))
        given = {"operator": title_of(row.head), "before": before, "after": after, "id": row.base.id}
        changed = text_of(context, row)
        return Hit(
            message=message.format(**given),
            operator_key=stable_key(row.base),
            base=row.base,
            head=row.head,
            evidence=id_evidence(row),
            repair=repair.format(**given),
            location=changed.location if changed is not None else row.head.uid_location or row.head.location,
        )

    def concerned(row: OperatorComparison) -> bool:
        if kind is not CauseKind.UID_REMOVED and (row.head is None or row.head.uid is None):
            return False
        return own_uid_edit(row) and row.cause is not None and row.cause.kind is kind

    def find(context: RuleContext) -> Hits:
        edited = uid_edits(context)
        own = [row for row in context.pairs if concerned(row)]
        behind = [row for row in context.pairs if row not in own and is_behind(row, edited)]

        def of_edit(row: OperatorComparison) -> object:
            leader = row if row.cause is None else edited.get(row.cause.group, row)
            return text_of(context, leader) or (leader.cause and leader.cause.group)

        led = {of_edit(row) for row in own}
        return grouped((*own, *(r for r in behind if of_edit(r) in led)), partial(hit, context), of_edit)

    find.__module__ = module
    return rule(title, Severity.ERROR, Category.UID)(find)


NOT_READABLE = "(not readable)"
"""What stands for a uid that is not known."""


def is_behind(row: OperatorComparison, edited: Mapping[tuple[str, str], OperatorComparison]) -> bool:
    """Lost because an operator that it reads lost its own state by an edit of its uid."""
    return lost(row) and row.cause is not None and len(row.cause.path) > 1 and row.cause.group in edited


def pin_broken(row: OperatorComparison) -> bool:
    """Lost although pinned: the pin was there before, and the base wrote its state under its generated id."""
    if not lost(row) or row.base is None or row.head is None:
        return False
    return row.base.uid_hash is not None and row.base.uid_hash == row.head.uid_hash
