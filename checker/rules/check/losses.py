"""Rules about operators whose state is lost as a whole, each kind of loss reported by one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from checker.compare import compare_pipelines
from checker.model.comparison import CauseKind, MatchBasis, OperatorComparison
from checker.model.findings import Evidence, OperatorSide, RestorePath, Severity, Verdict
from checker.model.gathered import gathered
from checker.model.reaching import reached
from checker.model.stream_graph import NodeKey
from checker.model.topology import Kind
from checker.rules.base import (
    Category,
    Hit,
    RuleContext,
    cause_evidence,
    grouped,
    id_evidence,
    lost,
    lost_either_way,
    rule,
    stable_key,
    title_of,
    titles_of,
)

UID_EDITS = frozenset({CauseKind.UID_ADDED, CauseKind.UID_REMOVED, CauseKind.UID_RENAMED})


def own_uid_edit(row: OperatorComparison) -> bool:
    """Lost because the operator's own uid was added, removed or renamed."""
    return lost(row) and row.cause is not None and row.cause.kind in UID_EDITS and len(row.cause.path) == 1


def pin_broken(row: OperatorComparison) -> bool:
    """Lost although pinned: the pin was there before, and the base wrote its state under its generated id."""
    if not lost(row) or row.base is None or row.head is None:
        return False
    return row.base.uid_hash is not None and row.base.uid_hash == row.head.uid_hash


def moved_by_uid_downstream(context: RuleContext, row: OperatorComparison) -> bool:
    """Lost because a uid was set on (or taken from) an operator that this one does not even read."""
    if not lost(row) or row.head is None or row.cause is None or len(row.cause.path) == 1:
        return False
    if row.cause.kind not in (CauseKind.UID_ADDED, CauseKind.UID_REMOVED):
        return False
    node, translation = context.head_node(row), context.head.translation
    if node is None or translation is None or translation.stream_graph is None:
        return False
    graph = translation.stream_graph
    _, *upstream = reached([node.number], lambda n: (edge.source for edge in graph.inputs_of(graph.nodes[n])))
    return all(graph.nodes[number].declared.id != row.cause.operator for number in upstream)


def moved(context: RuleContext, row: OperatorComparison) -> bool:
    """Its state is lost because of an edit elsewhere (or an unexplained one), and no closer rule says so."""
    return lost(row) and not (own_uid_edit(row) or pin_broken(row) or moved_by_uid_downstream(context, row))


@rule("The generated id of a stateful operator changed", Severity.ERROR, Category.IDENTITY)
def stateful_id_changed(context: RuleContext) -> Iterable[Hit]:
    """A stateful operator's generated id moved, so no operator claims the state it left.

    One hit per cause.
    """
    return grouped((row for row in context.pairs if moved(context, row)), _stateful_id_changed_hit)


def _stateful_id_changed_hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    why = row.cause.text if row.cause is not None else "its position in the job changed"
    pin = f'.setUidHash("{row.base.id}")' if row.base.id else None
    return Hit(
        message=f"the generated id of {title_of(row.head)} changed, so its state does not restore: {why}",
        base=row.base,
        head=row.head,
        evidence=id_evidence(row),
        repair=pin and f"pin the old id on the operator: {pin}",
    )


@rule("A stateful operator was removed", Severity.ERROR, Category.IDENTITY)
def stateful_operator_removed(context: RuleContext) -> Iterable[Hit]:
    """An operator with state is gone, and no other operator takes over its state.

    One hit per operator.
    """
    if not context.comparable:
        return
    deployed = context.head.deployment
    if deployed is not None and deployed.allow_non_restored_state:
        outcome = "the deployment lets Flink drop the state it left, without a message"
    else:
        outcome = "Flink refuses the savepoint because of the state it left"
    for row in context.comparison.operators:
        dropped_on_purpose = row.match.basis is MatchBasis.MAPPING
        if row.head is None and row.base is not None and lost(row) and not dropped_on_purpose:
            yield Hit(
                message=f"{title_of(row.base)} was removed: {outcome}",
                operator_key=stable_key(row.base),
                base=row.base,
                evidence=(Evidence("operator id", before=row.base.id),),
                repair="if its state may go, declare it as dropped in savepoint-mapping.toml and restore with "
                "--allowNonRestoredState",
                location=row.base.location,
            )


_OUTCOMES = {
    Verdict.FAILS: "Flink refuses to start",
    Verdict.DROPPED: "Flink drops it",
    Verdict.MISASSIGNED: "it lands in another operator",
}


@rule("State is lost, whatever the values are that are not known", Severity.ERROR, Category.IDENTITY)
def state_lost_either_way(context: RuleContext) -> Iterator[Hit]:
    """State is lost whatever the unknown values are: they only decide how.

    One hit per cause: its first operator, then the others, and those without state that are open with them.
    """
    rows = context.comparison.operators
    groups = gathered(((row.cause and row.cause.group, row.undecided), row) for row in rows if lost_either_way(row))
    for group in groups.values():
        open_too = [row for row in rows if row not in group and _opened_by(row, group[0])]
        yield _state_lost_either_way_hit(group[0], [*group[1:], *open_too])


def follows_a_loss(row: OperatorComparison, rows: Sequence[OperatorComparison]) -> bool:
    """Whether this rule reports a row: as lost, or beside a lost one that the same unknown values leave open."""
    return any(lost_either_way(loser) and (loser is row or _opened_by(row, loser)) for loser in rows)


def _opened_by(row: OperatorComparison, loser: OperatorComparison) -> bool:
    """An operator without state of its own that takes the lost one's place only with some of the values."""
    if row.stateful is not False or not row.undecided or not set(row.undecided) <= set(loser.undecided):
        return False
    return any(v.possible for v in row.verdicts if v.path is RestorePath.SAVEPOINT)


def _state_lost_either_way_hit(row: OperatorComparison, followers: Iterable[OperatorComparison]) -> Hit:
    assert row.base is not None
    because = f": {row.cause.text}" if row.cause is not None else ""
    path = row.on(RestorePath.SAVEPOINT)
    how = " or ".join(_OUTCOMES[verdict] for verdict in path.possible or (path.verdict,))
    settled = dict.fromkeys(f"settle it with {u.settled_by}" for u in row.undecided if u.settled_by)
    return Hit(
        message=f"the state of {title_of(row.base)} does not restore in any case{because}",
        operator_key=stable_key(row.base),
        base=row.base,
        head=row.head,
        followers=tuple(side for f in followers if (side := f.head or f.base) is not None),
        evidence=(
            *cause_evidence(row.cause),
            Evidence("why", after=f"{how}, depending on this: {'; '.join(u.reason for u in row.undecided)}"),
        ),
        repair="\n".join(settled) or None,
    )


_WRONG = (Verdict.MISASSIGNED, Verdict.DROPPED, Verdict.FAILS)


@rule("State lands in the wrong operator", Severity.ERROR, Category.IDENTITY)
def state_misassigned(context: RuleContext) -> Iterable[Hit]:
    """An id that named one operator names another one now, and Flink hands it the state without a message.

    One hit per cause: one inserted operator can push every state behind it to its neighbour.
    """
    contested = _contested(context)
    rows = [
        row
        for row in context.comparison.operators
        if row.base is not None
        and row.claimed_by is not None
        and row.stateful is not False
        and row.verdict(RestorePath.SAVEPOINT) in _WRONG
        and row.base.id not in contested
    ]
    return grouped(rows, lambda row: _state_misassigned_hit(context, row))


def _state_misassigned_hit(context: RuleContext, row: OperatorComparison) -> Hit:
    base, taker = row.base, row.claimed_by
    assert base is not None
    assert taker is not None
    node = context.head.nodes.get(taker.key)
    if row.verdict(RestorePath.SAVEPOINT) is Verdict.FAILS:
        ending = f"and Flink refuses to give it this state: {row.on(RestorePath.SAVEPOINT).reason}"
    elif node is not None and node.stateful is False:
        ending = "which keeps no state, so it is lost: Flink says nothing"
    else:
        ending = "which gets this state: Flink says nothing"
    because = f" ({row.cause.text})" if row.cause is not None else ""
    return Hit(
        message=f"the id of {title_of(base)} now names {title_of(taker)}, {ending}{because}",
        operator_key=stable_key(base),
        base=base,
        head=row.head,
        evidence=(
            Evidence("operator id", base.id, row.head.id if row.head else None),
            Evidence("claimed by", after=taker.name),
            *cause_evidence(row.cause),
        ),
        location=(row.head or taker).location,
        repair="give both operators uids of their own and pin the ids they had",
    )


def _contested(context: RuleContext) -> frozenset[str]:
    """Ids that two operators of the head claim, which a rule of its own reports."""
    heads = [row.head for row in context.comparison.operators if row.head is not None]
    pinned = {h.uid_hash for h in heads if h.uid_hash is not None and h.uid_hash != h.id}
    return frozenset(h.id for h in heads if h.id is not None and h.id in pinned and h.uid_hash in (None, h.id))


def _does_not_restore(row: OperatorComparison) -> bool:
    if row.base is None or row.stateful is False or not row.verdicts:
        return False
    if row.head is None and row.match.basis is MatchBasis.MAPPING:
        return False  # dropped on purpose
    return row.verdict(RestorePath.SAVEPOINT) in (Verdict.FAILS, Verdict.MISASSIGNED, Verdict.DROPPED)


@rule("State does not restore, for a reason that no other rule reports", Severity.ERROR, Category.RESTORE)
def state_not_restored(context: RuleContext) -> Iterable[Hit]:
    """Fallback for losses that no other rule explained: state that does not restore is never passed over.

    One hit per operator that no other error names. A job that Flink refuses has an error of its own.
    """
    rows = [row for row in context.comparison.operators if _does_not_restore(row)]
    if not rows or not context.comparable:
        return
    mentioned = _mentioned(context) | _lost_before(context)
    for row in rows:
        side = row.base
        assert side is not None
        if any(node.key.handle in mentioned for node in (side, row.head, row.claimed_by) if node is not None):
            continue
        reason = row.on(RestorePath.SAVEPOINT).reason
        yield Hit(
            message=f"the state of {title_of(side)} does not restore: {reason}",
            operator_key=stable_key(side),
            base=row.base,
            head=row.head,
            evidence=id_evidence(row),
        )


def _mentioned(context: RuleContext) -> set[NodeKey]:
    """Declarations that an error speaks of, whatever severity a team gave to its rule."""
    from checker.rules.registry import all_rules  # the registry imports every rule, this one too

    mentioned: set[NodeKey] = set()
    for other_rule in all_rules():
        if other_rule.severity is Severity.ERROR and other_rule.slug != "state-not-restored":
            for hit in other_rule.find(context):
                mentioned.update(side.key.handle for side in (hit.base, hit.head, *hit.followers) if side is not None)
    return mentioned


def _lost_before(context: RuleContext) -> set[NodeKey]:
    """Operators whose state would not restore in the base either: this change did not lose it."""
    same = compare_pipelines(context.pipeline, context.base.translation, context.base.translation)
    return {row.base.key.handle for row in same.operators if row.base is not None and _does_not_restore(row)}


@rule("Restores only with --allowNonRestoredState", Severity.INFO, Category.RESTORE)
def only_with_allow_non_restored(context: RuleContext) -> Iterable[Hit]:
    """The savepoint is refused as it is, and would go through with the flag: what that drops.

    At most one hit per pipeline.
    """
    if not context.comparable:
        return
    rows = [row for row in context.comparison.operators if lost(row)]
    open_or_failed = (Verdict.FAILS, Verdict.UNDECIDED)
    if not rows or any(
        row.verdict(RestorePath.SAVEPOINT, allow_non_restored_state=True) in open_or_failed
        for row in context.comparison.operators
    ):
        return
    sides: list[OperatorSide] = [row.base for row in rows if row.base is not None]
    names = titles_of(sides)
    yield Hit(
        message=f"the savepoint restores only with --allowNonRestoredState, which drops the state of {names} for good",
        operator_key="allow-non-restored-state",
        base=sides[0],
        followers=tuple(sides[1:]),
        evidence=tuple(Evidence("dropped", before=f"{s.name} {s.id}") for s in sides),
    )


@rule("A pipeline with state was removed", Severity.WARNING, Category.RESTORE)
def pipeline_removed(context: RuleContext) -> Iterable[Hit]:
    """A pipeline of the base is not there any more, under this name.

    At most one hit per pipeline.
    """
    if context.base.translation is None or context.head.translation is not None or context.head.failure is not None:
        return
    sides: list[OperatorSide] = [
        row.base for row in context.comparison.operators if row.base is not None and row.stateful is True
    ]
    whose = [title_of(sides[0]) if len(sides) == 1 else f"{len(sides)} operators"] if sides else []
    if any(t.kind is Kind.UNKNOWN for t in context.base.translation.topology.transformations):
        whose.append("operators that could not be read")
    if whose:
        yield Hit(
            message=f"the pipeline is gone, and with it the state of {' and '.join(whose)}; if it was renamed, "
            "compare it under its new name",
            operator_key="pipeline",
            base=sides[0] if sides else None,
            followers=tuple(sides[1:]),
        )
