"""What a finding recommends: the repairs that were planned and verified for its operators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from checker.model.findings import Finding, Severity
from checker.model.stream_graph import NodeKey
from checker.model.unknowns import Location
from checker.repair.repairs import Repair
from checker.repair.snippets import Spelling, respelled

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
    if spelling is not Spelling.CDC and any(repair.offered for _, repair in found):
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
    """Whether a repair says more than that ids are not the reason."""
    same_id = repair.base is not None and repair.head is not None and repair.base.id == repair.head.id
    return repair.offered or bool(repair.text) or not same_id


def _lines(names: str, repair: Repair, *, alone: bool) -> list[str]:
    name = "" if alone else f"{names}: "
    text = (repair.text or "").strip().splitlines()
    if not repair.offered or not text:
        return [f"{name}{repair.reason}", *(f"  {line}" for line in text)]
    if len(text) == 1:
        return [f"{name}{text[0]}"]
    return [f"{name}".rstrip() or repair.reason, *(f"  {line}" for line in text)]
