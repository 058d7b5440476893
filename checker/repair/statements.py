"""Advice for SQL statements whose state does not restore: SQL has no uids, so ids can't be repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from checker.model.findings import Finding, Severity
from checker.model.pipelines import ExtractorKind
from checker.model.topology import Kind, Topology, Transformation

_OPERATOR = "sql "
_MOVED = frozenset(
    {
        "stateful-id-changed", "state-misassigned", "stateful-operator-removed", "state-not-restored",
        "state-lost-either-way",
    }
)  # fmt: skip
_TYPES = frozenset({"value-type-changed", "key-type-changed", "state-kind-changed"})
_KEEP_PLAN = (
    "keep the old plan: COMPILE PLAN '<file>' FOR the old statement, start the job with EXECUTE PLAN from then on, and "
    "change the plan instead of the statement"
)
_NEW_JOB = "run the changed statement as a job of its own beside the old one until it has seen enough, then switch over"
_UIDS = (
    "for jobs that start without state: SET 'table.exec.uid.generation' = 'ALWAYS' with 'table.exec.uid.format' = "
    "'<type>_<transformation>' gives operators ids that do not follow from their place, where a type occurs once"
)
_UID_MISSING = (
    "start the job from a compiled plan (COMPILE PLAN, then EXECUTE PLAN), which gives operators ids of their own, or "
    "SET 'table.exec.uid.generation' = 'ALWAYS', before it has state to lose"
)
_TTL = "time-to-live can be given from the first start on, per table or per aggregate, with the STATE_TTL hint"


def is_planned(topology: Topology) -> bool:
    """Whether Flink's planner made the operators."""
    return any((t.operator or "").startswith(_OPERATOR) for t in topology.transformations)


def with_statement_advice(findings: Iterable[Finding], base: Topology, head: Topology) -> tuple[Finding, ...]:
    """Findings about operators of a SQL plan, with what can be done in SQL."""
    changed = list(_plan_changes(base, head))
    planned = {t.id for t in head.transformations if head.extractor == ExtractorKind.SQL.value or _kind(t) is not None}
    return tuple(_advised(finding, changed, planned) for finding in findings)


def _advised(finding: Finding, changed: list[str], planned: set[str]) -> Finding:
    if finding.rule == "uid-missing" and finding.operator_key in planned:
        return replace(finding, repair=_UID_MISSING)
    if finding.severity is not Severity.ERROR:
        return finding
    if finding.rule in _MOVED:
        return replace(finding, repair="\n".join([*changed, _KEEP_PLAN, _NEW_JOB, _UIDS]))
    if finding.rule in _TYPES:
        return replace(finding, repair="\n".join([f"Flink migrates no SQL state: {_NEW_JOB}"]))
    if finding.rule == "state-ttl-changed":
        return replace(finding, repair=_TTL)
    return finding


def _plan_changes(base: Topology, head: Topology) -> Iterator[str]:
    """What the planner makes that it did not make before, and the places where that moves the ids of sources."""
    before, after = Counter(_kinds(base)), Counter(_kinds(head))
    moved = [*(f"{kind} added" for kind in after - before), *(f"{kind} gone" for kind in before - after)]
    if moved:
        yield f"the planner makes another plan: {', '.join(moved)}; ids follow from places in the plan"
    was, now = _behind_sources(base), _behind_sources(head)
    for source in sorted(was.keys() & now.keys()):
        if "Calc" in now[source] and not was[source]:
            yield (
                f"the first WHERE, expression or unused column behind {source} puts a Calc between the source and what "
                "reads it, which moves the id of the source and of everything behind it"
            )
        elif "Calc" in was[source] and not now[source]:
            yield f"nothing is computed or left out behind {source} any more: its Calc is gone, which moves its id"
    sinks = [sum(not _read(t, topology) for t in topology.transformations) for topology in (base, head)]
    if sinks[0] != sinks[1]:
        yield (
            f"{sinks[0]} sinks became {sinks[1]}: INSERTs of one statement set share their sources, so keep the set "
            "whole and run a new INSERT as a job of its own"
        )


def _kinds(topology: Topology) -> Iterator[str]:
    return (kind for transformation in topology.transformations if (kind := _kind(transformation)) is not None)


def _kind(transformation: Transformation) -> str | None:
    """What the planner calls an operator that it made, None for operators of which that is not known."""
    operator = transformation.operator or ""
    if operator.startswith(_OPERATOR):
        return operator.removeprefix(_OPERATOR)
    meant = transformation.meaning if transformation.inputs else None
    return None if meant is None else meant.computes.partition("(")[0]


def _behind_sources(topology: Topology) -> dict[str, set[str]]:
    """Source → the kinds of operators that read it without an exchange between."""
    found: dict[str, set[str]] = {t.id: set() for t in topology.transformations if t.kind.source}
    for transformation in topology.transformations:
        for name in transformation.inputs:
            if name in found and not transformation.kind.virtual:
                found[name].add((transformation.operator or "").removeprefix(_OPERATOR))
    return found


def _read(transformation: Transformation, topology: Topology) -> bool:
    """Whether anything reads it."""
    return transformation.kind is Kind.UNKNOWN or any(
        transformation.id in follower.inputs for follower in topology.transformations
    )
