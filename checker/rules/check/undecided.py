"""What could not be decided about state: reported, never passed."""

from collections.abc import Iterable
from dataclasses import replace

from checker.model.account import RUN, TRY
from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, Hit, RestorePath, Severity, Verdict
from checker.model.stream_graph import NodeKey
from checker.model.unknowns import Location, Unknown, settle
from checker.rules.base import Category, Hits, RuleContext, kept, refused_by_head, rule, title_of
from checker.rules.check.state_lost_either_way import follows_a_loss

_PROGRAMS = (".java", ".py")


@rule("Whether state restores could not be decided", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """One hit for a side that could not be read, else one per unknown that leaves a verdict open."""
    yield from _unreadable(context)
    rows = context.comparison.operators
    opened: dict[Unknown, list[OperatorComparison]] = {}
    for row in rows:
        if _open(context, row) and not follows_a_loss(row, rows):
            for unknown in row.undecided or (_reason(row),):
                opened.setdefault(unknown, []).append(row)
    for unknown in context.comparison.gaps:
        opened.setdefault(unknown, [])
    for hit in _hits(_once(opened), _first_file(context)):
        yield replace(hit, repair=None) if context.lacking else hit


def _unreadable(context: RuleContext) -> Hits:
    """A side that could not be read.

    A warning where neither side could, as before the change, or it was deleted. What Flink refuses in the base has no
    savepoint that could be lost.
    """
    base, head = context.base, context.head
    if base.failure is not None and head.failure is not None:
        account = context.account
        if account is not None and account.not_understood and context.lacking:
            why = f"its edits could not be checked on this machine: {head.failure}"
            yield Hit(message=why, operator_key="unreadable", location=account.not_understood[0].location)
            return
        if account is not None and account.not_understood:
            return  # these edits are an error, which says why the pipeline could not be read
        if base.failure == head.failure and account is not None and account.without_effect:
            return  # no edit that it can reach counts: nothing is lost that was not before
        yield Hit(
            message=f"neither revision of the pipeline could be read, so its state is undecided: {head.failure}",
            operator_key="unreadable",
            evidence=(Evidence("failure", base.failure, head.failure),) if base.failure != head.failure else (),
            location=head.failure_location,
            at_most=Severity.WARNING,
        )
        return
    if head.failure is not None and head.certainly_new and base.translation is None and base.failure is None:
        yield Hit(
            message=f"the pipeline is new, so it has no state to restore; it could not be read: {head.failure}",
            operator_key="unreadable:head",
            location=head.failure_location,
            at_most=Severity.INFO,
        )
        return
    if head.translation is None and head.failure is None:
        return  # the pipeline is gone, as its own rule says
    for side, name in ((head, "head"), (base, "base")):
        if side.failure is not None and not (side is head and refused_by_head(context)):
            why = f"the pipeline could not be read in the {name}, so its state is undecided"
            if side.refused:
                why = f"compare with the revision that runs, because Flink refuses the job of the {name}"
            yield Hit(
                message=f"{why}: {side.failure}",
                operator_key=f"unreadable:{name}",
                location=side.failure_location,
                at_most=Severity.INFO if side is base and side.refused else None,
            )


def _once(opened: dict[Unknown, list[OperatorComparison]]) -> dict[Unknown, list[OperatorComparison]]:
    """The same with every reason once: without those that another one, at the same place, repeats or holds."""
    found: dict[Unknown, list[OperatorComparison]] = {}
    for unknown, rows in opened.items():
        alike = [listed for listed in opened if _holds(listed, unknown)]
        into = max(alike, key=lambda listed: len(listed.reason))
        together = found.setdefault(into, [])
        together.extend(row for row in rows if row not in together)
    return found


def _holds(listed: Unknown, unknown: Unknown) -> bool:
    places = {str(place) for place in (unknown.location, listed.location) if place is not None}
    return unknown.reason in listed.reason and len(places) < 2 and unknown.settled_by == listed.settled_by


def _open(context: RuleContext, row: OperatorComparison) -> bool:
    """A savepoint restore is open; for operators without state the other path alone is not a finding.

    Changed types and mixed max parallelism have rules of their own, for operators of the program's first shape: there
    the operator itself is certain.
    """
    elsewhere = kept(row) and context.base_node(row) is not None and context.head_node(row) is not None
    undecided = any(v.verdict is Verdict.UNDECIDED for v in row.verdicts if v.path is RestorePath.SAVEPOINT)
    return undecided and bool(row.undecided or not elsewhere)


def _reason(row: OperatorComparison) -> Unknown:
    """Why a row is open that names no unknown."""
    return Unknown(next(iter(_further_reasons([row])), "") if kept(row) else "an id could not be computed")


def _further_reasons(rows: list[OperatorComparison]) -> Iterable[str]:
    """What the restore paths of the first operator say, each reason once."""
    return dict.fromkeys(v.reason for row in rows[:1] for v in row.verdicts if v.verdict is Verdict.UNDECIDED)


def _first_file(context: RuleContext) -> Location | None:
    """The place where a pipeline begins, for unknowns without a place of their own."""
    sides = (context.head.translation, context.base.translation)
    return next((Location(s.topology.files[0], 1) for s in sides if s is not None and s.topology.files), None)


def _hits(opened: dict[Unknown, list[OperatorComparison]], first: Location | None) -> Hits:
    """One hit per set of operators: what else leaves the same ones open is its evidence."""
    together: dict[tuple[NodeKey, ...], tuple[list[OperatorComparison], list[Unknown]]] = {}
    for number, (unknown, rows) in enumerate(opened.items()):
        keys = tuple(row.side.key for row in rows)
        same = keys or (NodeKey(f"{number}"),)
        together.setdefault(same, (rows, []))[1].append(unknown)
    reasons = [unknown.reason for unknown in opened]
    for rows, unknowns in together.values():
        yield _hit(unknowns, rows, first, reasons)


def _hit(unknowns: list[Unknown], rows: list[OperatorComparison], first: Location | None, reasons: list[str]) -> Hit:
    unknown = unknowns[0]
    sides = [row.side for row in rows]
    whose = "operators that could not be read"
    if sides:
        whose = title_of(sides[0]) if len(sides) == 1 else f"{len(sides)} operators"
    place = unknown.location or next((s.location for s in sides if s.location is not None), first)
    settled = dict.fromkeys(settle(u.settled_by, "") for u in unknowns if u.settled_by)
    if not all(u.settled_by for u in unknowns) and place is not None and place.file.endswith(_PROGRAMS):
        run_or_try = TRY if place.file.endswith(".py") else RUN  # scripts are not run
        settled[f"{settle(run_or_try, '')}, or accept this finding with a reason"] = None
    others = [f"{u.reason} ({u.location})" if u.location else u.reason for u in unknowns[1:]]
    further = [reason for reason in _further_reasons(rows) if not any(_same(reason, sentence) for sentence in reasons)]
    return Hit(
        message=f"the state of {whose} is undecided: {unknown.reason}",
        operator_key=f"unknown:{unknown.settled_by or unknown.reason}",
        base=rows[0].base if rows else None,
        head=rows[0].head if rows else None,
        followers=tuple(sides[1:]),
        evidence=tuple(Evidence("why", after=reason) for reason in dict.fromkeys((*others, *further))),
        repair="\n".join(settled) or None,
        location=place,
    )


def _same(left: str, right: str) -> bool:
    return left in right or right in left
