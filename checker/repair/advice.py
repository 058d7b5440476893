"""What a finding recommends: the repairs that were planned and verified for its operators.

Advice for SQL statements whose state does not restore: SQL has no uids, so ids can't be repaired.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace

from checker.model.findings import Finding, Severity
from checker.model.pipelines import ExtractorKind
from checker.model.stream_graph import NodeKey
from checker.model.topology import Kind, Topology, Transformation
from checker.model.unknowns import Location
from checker.repair.repairs import CALLS, OF_PLANNER, Repair, Spelling, respelled

REPAIR_COMMAND = "savepoint-checker repair --write"
MAKES_THEM = " makes these edits"
_BY_HAND = "by hand: one call makes several of these operators, and each needs its own value"
SHOWN = 12
"""Operators whose repair is written out in one finding."""


def with_repairs(
    findings: Iterable[Finding], repairs: Iterable[Repair], spelling: Spelling = Spelling.JAVA
) -> tuple[Finding, ...]:
    """Errors about operators that do not restore, with their verified repair instead of general advice.

    General advice is given in the terms of the program: its language, or those of a topology document.
    """
    some = tuple(repairs)
    planned = {repair.base.key: repair for repair in some if repair.base is not None}
    planned |= {repair.head.key: repair for repair in some if repair.head is not None}
    advised = (_advised(finding, planned, spelling) for finding in findings)
    return tuple(replace(f, repair=None if f.repair is None else respelled(f.repair, spelling)) for f in advised)


def _advised(finding: Finding, planned: dict[NodeKey, Repair], spelling: Spelling) -> Finding:
    if finding.severity is not Severity.ERROR:
        return finding
    sides = [side for side in (finding.head or finding.base, *finding.followers) if side is not None]
    found = [(side, planned[side.key]) for side in sides if side.key in planned]
    if not found or (finding.repair is not None and not any(_helps(repair) for _, repair in found)):
        return finding
    together: dict[object, tuple[Repair, list[str]]] = {}
    for side, repair in found:
        together.setdefault((repair.text, repair.back or repair.edits, repair.reason), (repair, []))[1].append(
            side.name
        )
    lines: list[str] = []
    for repair, names in list(together.values())[:SHOWN]:
        lines.extend(_lines(", ".join(names), repair, alone=len(sides) == 1))
    if len(together) > SHOWN:
        lines.append(f"... and {len(together) - SHOWN} more")
    if spelling in CALLS and any(repair.offered for _, repair in found):
        shared = _shared(planned.values())
        if any(_place(repair) in shared for _, repair in found):
            lines.append(_BY_HAND)
        elif not shared:  # else some operators would stay broken, and no edit is written
            lines.append(f"{REPAIR_COMMAND}{MAKES_THEM}")
    return replace(finding, repair="\n".join(lines))


def _place(repair: Repair) -> Location | None:
    return None if repair.head is None else repair.head.uid_location or repair.head.location


def _shared(repairs: Iterable[Repair]) -> frozenset[Location]:
    """The calls that make several of the operators to repair: no edit of one call gives each its own value."""
    made: dict[Location, set[str]] = {}
    for repair in repairs:
        place = _place(repair)
        if place is not None and repair.head is not None and repair.edits and repair.back is None:
            made.setdefault(place, set()).add(repair.head.key.declaration)
    return frozenset(place for place, declarations in made.items() if len(declarations) > 1)


def _helps(repair: Repair) -> bool:
    """Whether a repair says more than that ids are not the reason, or that the planner gives them."""
    same_id = repair.base is not None and repair.head is not None and repair.base.id == repair.head.id
    return repair.offered or bool(repair.text) or not (same_id or repair.reason == OF_PLANNER)


def _lines(names: str, repair: Repair, *, alone: bool) -> list[str]:
    name = "" if alone else f"{names}: "
    text = (repair.text or "").strip().splitlines()
    if not repair.offered or not text:
        return [f"{name}{repair.reason}", *(f"  {line}" for line in text)]
    if len(text) == 1:
        return [f"{name}{text[0]}"]
    return [f"{name}".rstrip() or repair.reason, *(f"  {line}" for line in text)]


_OPERATOR = "sql "
_PART_OF_SINK = "sink-"
"""How the operators of a table's sink begin; a program declares sinks as a whole."""
_OF_STATE = frozenset(
    {
        "stateful-id-changed", "state-misassigned", "stateful-operator-removed", "state-not-restored",
        "state-lost-either-way", "value-type-changed", "key-type-changed", "state-kind-changed", "state-ttl-changed",
    }
)  # fmt: skip
_KEEP_PLAN = (
    "keep the old plan: COMPILE PLAN '<file>' FOR the old statement, start the job with EXECUTE PLAN from then on, and "
    "change the plan instead of the statement"
)
_UNDER_OLD_IDS = ", all under SET 'table.exec.uid.generation' = 'DISABLED' (otherwise the plan gets new ids)"
_REORDERED = (
    "restore the order of the statements and of the branches of unions: the planner makes the same operators, and "
    "their generated ids depend on their positions"
)
_NEW_JOB = "run the changed statement as a job of its own beside the old one until it has seen enough, then switch over"
_UID_MISSING = (
    "start the job from a compiled plan (COMPILE PLAN, then EXECUTE PLAN), which gives operators ids of their own, or "
    "SET 'table.exec.uid.generation' = 'ALWAYS', before it has state to lose"
)


def is_planned(topology: Topology) -> bool:
    """Whether Flink's planner made some of the operators."""
    return any((t.operator or "").startswith(_OPERATOR) for t in topology.transformations)


def with_statement_advice(findings: Iterable[Finding], base: Topology, head: Topology) -> tuple[Finding, ...]:
    """Findings about operators of a SQL plan, with what can be done in SQL."""
    program = [
        t for topology in (base, head) if topology.extractor != ExtractorKind.SQL.value
        for t in topology.transformations if not t.kind.virtual and kind_of_plan(t) is None
    ]  # fmt: skip
    keep = OF_PLANNER if program else _KEEP_PLAN
    if not program and not any(isinstance(t.uid, str) for t in base.transformations):
        keep += _UNDER_OLD_IDS
    changed = f"{keep}\n{_NEW_JOB}"
    if _written(base) != _written(head) and _in_any_order(base) == _in_any_order(head):
        changed = _REORDERED
    own = {key for t in program for key in (t.id, t.uid)}
    return tuple(f if f.operator_key in own else _with_statements(f, changed) for f in findings)


def _with_statements(finding: Finding, changed: str) -> Finding:
    if finding.rule == "uid-missing":
        return replace(finding, repair=_UID_MISSING)
    of_state = finding.severity is Severity.ERROR and finding.rule in _OF_STATE
    return replace(finding, repair=changed) if of_state else finding


def _written(topology: Topology, branches: Callable[[Iterable[int]], Hashable] = tuple) -> list[int]:
    """What the sinks write, in order: all that is known of the operators up to them, without their places.

    ``branches`` puts what a union reads in order.
    """
    found: dict[str, int] = {}
    for t in topology.transformations:  # what an operator reads stands before it
        inputs = [found.get(name, 0) for name in t.inputs]
        known = (t.kind, t.operator, str(t.name), t.meaning, t.reads, t.function)
        found[t.id] = hash((known, branches(inputs) if t.kind is Kind.UNION else tuple(inputs)))
    return [found[t.id] for t in topology.transformations if not _read(t, topology)]


def _in_any_order(topology: Topology) -> Counter[int]:
    return Counter(_written(topology, frozenset))


def kind_of_plan(transformation: Transformation) -> str | None:
    """What the planner calls an operator that it made, None for operators of which that is not known."""
    operator = transformation.operator or ""
    if operator.startswith((_OPERATOR, _PART_OF_SINK)):
        return operator.removeprefix(_OPERATOR)
    meant = transformation.meaning if transformation.inputs else None
    return None if meant is None else meant.computes.partition("(")[0]


def _read(transformation: Transformation, topology: Topology) -> bool:
    """Whether anything reads it."""
    return transformation.kind is Kind.UNKNOWN or any(
        transformation.id in follower.inputs for follower in topology.transformations
    )
