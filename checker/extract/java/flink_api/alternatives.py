"""Which decisions of a program lead to which of its shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from checker.extract.interpreting.path_choices import Decision
from checker.extract.java.machine.flink_values import Job
from checker.extract.java.machine.values import short
from checker.extract.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Unknown

_COUNTER = re.compile(r"#\d+")


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the program that executes a job."""

    job: Job
    decisions: tuple[Decision, ...]


def _open_symbols(paths: Sequence[Path]) -> list[str]:
    """The choices that go different ways on the paths, in the order the program meets them."""
    ways: dict[tuple[int, ...], dict[int, str]] = {}
    for path in paths:
        before: tuple[int, ...] = ()
        for decision in path.decisions:
            ways.setdefault(before, {}).setdefault(decision.taken, _symbol(decision))
            before = (*before, decision.taken)
    return list(dict.fromkeys(symbol for taken in ways.values() if len(taken) > 1 for symbol in taken.values()))


def _symbol(decision: Decision) -> str:
    """What a decision is about, whatever number its symbol got on this path."""
    return _COUNTER.sub("", decision.symbol)


def what_decides(paths: Sequence[Path]) -> Unknown:
    """The first choice that is open, made of what all open ones are made of."""
    relevant = set(_open_symbols(paths))
    open_ones = {_symbol(d): d.unknown for path in paths for d in path.decisions if _symbol(d) in relevant}
    if not open_ones:
        return Unknown("which of several shapes the program takes is not known", Cause.BRANCH)
    made = tuple(dict.fromkeys(unknown.derived_from for unknown in open_ones.values()))
    first = next(iter(open_ones.values()))
    known = [value for value in made if value is not None and value != NEEDS_CODE]
    return replace(first, derived_from=short("; ".join(known)) if len(known) == len(made) else NEEDS_CODE)


def label_of(mine: Sequence[Path], paths: Sequence[Path]) -> str:
    """When a shape is taken: the decisions that all its paths share and others don't."""
    relevant = _open_symbols(paths)
    found: list[str] = []
    for symbol in relevant:
        labels = {d.label for path in mine for d in path.decisions if _symbol(d) == symbol}
        if len(labels) == 1:
            found.append(labels.pop())
    return " and ".join(found) or "otherwise"


def decision_of(mine: Sequence[Path], paths: Sequence[Path]) -> str | None:
    """The same decisions by what their conditions are made of; None where that is not known of one of them."""
    found: list[str] = []
    for symbol in _open_symbols(paths):
        decisions = [d for path in mine for d in path.decisions if _symbol(d) == symbol]
        if len({d.taken for d in decisions}) != 1:
            continue
        parts = {d.unknown.derived_from for d in decisions}
        if len(parts) != 1 or None in parts or NEEDS_CODE in parts:
            return None
        found.append(f"{decisions[0].unknown.derived_from}: {decisions[0].taken} of {decisions[0].ways}")
    return "; ".join(found) or "otherwise"
