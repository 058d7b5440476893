"""Rules about uids: added, removed, renamed, missing, or not the same in every run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from checker.model.comparison import CauseKind, OperatorComparison
from checker.model.findings import Evidence, OperatorSide, Severity
from checker.model.stream_graph import NodeKind, Role, StreamNode
from checker.model.unknowns import NAMED_ANEW, Cause, Unknown
from checker.rules.base import (
    Category,
    Hit,
    Revision,
    Rule,
    RuleContext,
    grouped,
    id_evidence,
    revision_rule,
    rule,
    stable_key,
    title_of,
)
from checker.rules.check.losses import moved_by_uid_downstream, own_uid_edit

_INNER = (Role.PRE_WRITE, Role.PRE_COMMIT, Role.POST_COMMIT)


def _uid_edit_rule(slug: str, kind: CauseKind, title: str, message: str, repair: str) -> Rule:
    """The rule for one edit of an operator's own uid.

    One hit per declaration: a sink's writer and committer go together. A uid that is another one in every run is a
    rule of its own.
    """

    def hit(row: OperatorComparison) -> Hit:
        assert row.base is not None
        assert row.head is not None
        before, after = row.base.uid or "(not readable)", row.head.uid or "(not readable)"
        shown = {"operator": title_of(row.head), "before": before, "after": after, "id": row.base.id}
        return Hit(
            message=message.format_map(shown),
            operator_key=stable_key(row.base),
            base=row.base,
            head=row.head,
            evidence=id_evidence(row),
            repair=repair.format_map(shown),
            location=row.head.uid_location or row.head.location,
        )

    def concerned(row: OperatorComparison) -> bool:
        if kind is not CauseKind.UID_REMOVED and (row.head is None or row.head.uid is None):
            return False
        return own_uid_edit(row) and row.cause is not None and row.cause.kind is kind

    def find(context: RuleContext) -> Iterable[Hit]:
        return grouped((row for row in context.pairs if concerned(row)), hit)

    find.__name__ = slug
    return rule(title, Severity.ERROR, Category.UID)(find)


UID_EDITS = (
    _uid_edit_rule(
        "uid_added_without_pin",
        CauseKind.UID_ADDED,
        "A uid was added to an operator that already has state",
        "{operator} got the uid '{after}' but its state lies under the id it had without one: it does not restore",
        'pin the old id once, beside the uid: .setUidHash("{id}")',
    ),
    _uid_edit_rule(
        "uid_removed",
        CauseKind.UID_REMOVED,
        "The uid of a stateful operator was removed",
        "{operator} lost its uid '{before}': the state under it does not restore",
        'put the uid back: .uid("{before}")',
    ),
    _uid_edit_rule(
        "uid_renamed",
        CauseKind.UID_RENAMED,
        "The uid of a stateful operator was renamed",
        "the uid of {operator} was renamed from '{before}' to '{after}': the state under the old one does not restore",
        'put the old uid back: .uid("{before}")',
    ),
)


@rule("A uid moved the ids of operators that it does not feed", Severity.ERROR, Category.UID)
def uid_moves_upstream_ids(context: RuleContext) -> Iterable[Hit]:
    """A uid on an operator with several inputs changes the order of the walk, and ids before it.

    One hit per cause.
    """
    return grouped((row for row in context.pairs if moved_by_uid_downstream(context, row)), _hit)


def _hit(row: OperatorComparison) -> Hit:
    assert row.base is not None
    assert row.head is not None
    assert row.cause is not None
    return Hit(
        message=f"a uid on '{row.cause.operator_name}' moved {title_of(row.head)}, which does not even read from it: "
        "its state does not restore",
        base=row.base,
        head=row.head,
        evidence=id_evidence(row),
        repair=f'pin the old id on the operator: .setUidHash("{row.base.id}")',
    )


@revision_rule("A stateful operator has no uid", Severity.WARNING, Category.UID)
def uid_missing(revision: Revision) -> Iterable[Hit]:
    """A stateful operator has no uid: its id depends on everything before it.

    One hit per declaration: a sink is one, whatever it expands to.
    """
    seen: set[str] = set()
    for node in revision.nodes.values():
        if node.stateful is not True or node.uid is not None or node.kind is NodeKind.UNKNOWN:
            continue
        if node.role in _INNER or node.declared.id in seen:
            continue
        seen.add(node.declared.id)
        side = revision.side(node)
        yield Hit(
            message=f"{title_of(side)} keeps state but has no uid: any change before it in the job can cut it off "
            "from its state",
            head=side,
            repair='add .uid("...") while the operator has no state yet; once it has, pin the old id as well',
        )


@revision_rule("An operator inside a sink has no uid although the sink has one", Severity.WARNING, Category.UID)
def inner_operator_unpinned(revision: Revision) -> Iterable[Hit]:
    """Operators that a sink makes itself keep generated ids unless they are pinned one by one.

    One hit per inner operator with state, and one per sink whose pins leave its committer out.
    """
    for node in revision.nodes.values():
        side = revision.side(node)
        if node.kind is NodeKind.UNKNOWN or node.stateful is False or node.uid is not None:
            continue
        if node.role in _INNER and node.uid_hash is None:
            yield Hit(
                message=f"{title_of(side)} is made by the sink and keeps a generated id: a uid on the "
                "sink does not pin it",
                operator_key=str(side.key),
                head=side,
                repair="set a uid where the sink makes the operator; a library's sink often has an option for a prefix",
            )
        hashes = node.declared.uid_hashes
        if node.role is Role.COMMITTER and hashes is not None and hashes.writer and node.uid_hash is None:
            yield Hit(
                message=f"the writer beside {title_of(side)} is pinned, the committer is not: what it has not "
                "committed yet is lost when its id moves",
                operator_key=str(side.key),
                head=side,
                repair='pin both: CustomSinkOperatorUidHashes.builder().setWriterUidHash("...")'
                '.setCommitterUidHash("...").build()',
            )


@revision_rule("A uid depends on configuration", Severity.WARNING, Category.UID)
def uid_depends_on_configuration(revision: Revision) -> Iterable[Hit]:
    """A uid computed from arguments or configuration: another value cuts the operator off from its state.

    One hit per declaration.
    """
    seen: set[str] = set()
    for node in revision.nodes.values():
        keys = node.declared.uid_depends_on
        if not keys or node.stateful is False or node.declared.id in seen:
            continue
        seen.add(node.declared.id)
        side = revision.side(node)
        names = ", ".join(keys)
        yield Hit(
            message=f"the uid of {title_of(side)} is made from {names}: with another value its state does not restore, "
            "and two operators may get one uid",
            head=side,
            evidence=(Evidence("depends on", after=names),),
            repair="use a constant; name what is configured elsewhere, for instance in name(...)",
            location=side.uid_location,
        )


@revision_rule("A uid or the name of a state is different in every run", Severity.ERROR, Category.UID, always=True)
def uid_not_deterministic(revision: Revision) -> Iterable[Hit]:
    """A uid, or the name of a state, made from UUIDs, clocks, random numbers, counters or identity hash codes.

    One hit per declaration, as long as it is there: it does harm between two runs of one revision.
    """
    if revision.translation is not None and revision.translation.topology.takes_no_savepoints:
        return  # it ends by itself: there is nothing to restore
    seen: set[str] = set()
    for node in revision.nodes.values():
        yield from _of_states(revision, node)
        uid = node.uid
        if not isinstance(uid, Unknown) or uid.cause is not Cause.NON_DETERMINISTIC or node.declared.id in seen:
            continue
        seen.add(node.declared.id)
        side = revision.side(node)
        yield Hit(
            message=f"the uid of {title_of(side)} is different in every run: no savepoint of this job ever restores "
            "its state",
            operator_key=str(side.key),
            head=side,
            evidence=(Evidence("uid", after=uid.reason),),
            repair='set a constant: .uid("...")',
            location=side.uid_location or uid.location,
        )
    yield from _named_anew(revision)


def _named_anew(revision: Revision) -> Iterable[Hit]:
    """One hit for all states that PyFlink names: it blocks nothing, for the program can't name them."""
    sides = [
        revision.side(node)
        for node in revision.nodes.values()
        if any(name.derived_from == NAMED_ANEW for name in _unknown_names(node))
    ]
    for first in sides[:1]:
        yield Hit(
            message=f"PyFlink gives the state of reduce() a new name whenever a task of {title_of(first)} starts: what "
            "was reduced is lost at every restart, with any savepoint",
            operator_key=f"reduce {stable_key(first)}",
            head=first,
            followers=tuple(sides[1:]),
            repair="reduce in a KeyedProcessFunction, with a ReducingState that it names",
            at_most=Severity.INFO,
        )


def _unknown_names(node: StreamNode) -> list[Unknown]:
    states = () if isinstance(node.declared.state, Unknown) else node.declared.state
    return [state.name for state in states if isinstance(state.name, Unknown)]


def _of_states(revision: Revision, node: StreamNode) -> Iterable[Hit]:
    unknown = next((name for name in _unknown_names(node) if name.cause is Cause.NON_DETERMINISTIC), None)
    if unknown is not None and node.role not in (Role.COMMITTER, Role.GLOBAL_COMMITTER):
        side = revision.side(node)
        yield Hit(
            message=f"the name of a state of {title_of(side)} is different in every run: its values stay under the old "
            "name, where no run ever finds them",
            operator_key=str(side.key),
            head=side,
            evidence=(Evidence("state", after=unknown.reason),),
            repair="give the state a constant name",
            location=unknown.location,
        )


@revision_rule("Two runs of the program differ", Severity.ERROR, Category.UID, always=True)
def differs_between_runs(revision: Revision) -> Iterable[Hit]:
    """Two runs of one program give different operators or ids.

    One hit per difference.
    """
    for text in revision.translation.topology.unstable if revision.translation is not None else ():
        yield Hit(
            message=f"two runs of the program differ: {text}",
            operator_key=f"unstable:{text.partition(':')[0]}",
            repair="set constant uids, and build the graph only from what does not change between runs",
        )


@revision_rule("A uid on a call that makes no operator", Severity.WARNING, Category.UID)
def uid_without_operator(revision: Revision) -> Iterable[Hit]:
    """uid or setUidHash on keyBy, union, a partitioning call or a side output: Flink ignores it.

    One hit per call.
    """
    translation = revision.translation
    for t in translation.topology.operators() if translation is not None else ():
        if not t.kind.virtual or (t.uid is None and t.uid_hash is None):
            continue
        what = "uid" if t.uid is not None else "setUidHash"
        value = t.uid if t.uid is not None else t.uid_hash
        uid = value if isinstance(value, str) else None
        yield Hit(
            message=f"{what} on a {t.kind} is ignored: the call makes no operator, so nothing is pinned",
            operator_key=f"{t.kind}:{uid or t.id}",
            head=replace(OperatorSide.of_declaration(t), uid=uid),
            evidence=(Evidence(what, after=uid),),
            repair="move it behind the call that makes the operator, before any keyBy or partitioning",
            location=t.uid_location or t.uid_hash_location or t.location,
        )
