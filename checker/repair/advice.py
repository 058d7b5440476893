"""What a finding tells people to do: the repairs that were planned and verified for the operators it speaks of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from checker.model.findings import Finding, OperatorSide, Severity
from checker.model.stream_graph import NodeKey
from checker.repair.plan import Repair

REPAIR_COMMAND = "savepoint-checker repair --write"
SHOWN = 12
"""Operators whose repair is written out in one finding."""


def with_repairs(findings: Iterable[Finding], repairs: Iterable[Repair]) -> tuple[Finding, ...]:
    """Errors about operators that do not restore, with their verified repair instead of general advice."""
    planned: dict[NodeKey, Repair] = {}
    for repair in repairs:
        for side in (repair.head, repair.base):
            if side is not None:
                planned.setdefault(side.key, repair)
    return tuple(_advised(finding, planned) for finding in findings)


def _advised(finding: Finding, planned: dict[NodeKey, Repair]) -> Finding:
    if finding.severity is not Severity.ERROR:
        return finding
    sides = [side for side in (finding.head or finding.base, *finding.followers) if side is not None]
    found = [(side, planned[side.key]) for side in sides if side.key in planned]
    if not found:
        return finding
    lines: list[str] = []
    for side, repair in found[:SHOWN]:
        lines.extend(_lines(side, repair, alone=len(sides) == 1))
    if len(found) > SHOWN:
        lines.append(f"... and {len(found) - SHOWN} more")
    if any(repair.offered for _, repair in found):
        lines.append(f"{REPAIR_COMMAND} makes these edits")
    return replace(finding, repair="\n".join(lines))


def _lines(side: OperatorSide, repair: Repair, *, alone: bool) -> list[str]:
    name = "" if alone else f"{side.name}: "
    text = (repair.text or "").strip().splitlines()
    if not repair.offered or not text:
        return [f"{name}{repair.reason}", *(f"  {line}" for line in text)]
    if len(text) == 1:
        return [f"{name}{text[0]}"]
    return [f"{name}".rstrip() or repair.reason, *(f"  {line}" for line in text)]
