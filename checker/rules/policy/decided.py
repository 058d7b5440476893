"""One finding for one thing: what is not known is left out beside an error that decides it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any

from checker.model.account import Account
from checker.model.findings import Finding, OperatorSide, Severity
from checker.model.unknowns import Location

NOT_UNDERSTOOD = "edit-not-understood"
UNDECIDED_RULES = frozenset({"undecided", NOT_UNDERSTOOD})
"""Rules whose findings mean "not known": with nothing worse the report is undecided, not failed."""


def without_decided(findings: Sequence[Finding], account: Account | None) -> tuple[Finding, ...]:
    """Findings that nothing silences, without what other errors among them decide: the check fails in any case.

    An operator is decided by an error that names it, an edit by an error at its line.
    """
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    decided = {side.key for f in errors if f.rule not in UNDECIDED_RULES for side in _operators(f)}
    left = [f for f in findings if f.rule != "undecided" or not _all_in({s.key for s in _operators(f)}, decided)]
    edits = account.not_understood if account is not None else ()
    places = {_line(f.location) for f in left if f in errors and f.rule != NOT_UNDERSTOOD} - {None}
    said_elsewhere = _all_in({_line(edit.location) for edit in edits}, places)
    return tuple(f for f in left if not (said_elsewhere and f.rule == NOT_UNDERSTOOD))


def _line(location: Location | None) -> tuple[str, int] | None:
    return None if location is None else (location.file, location.line)


def _operators(finding: Finding) -> Iterator[OperatorSide]:
    yield from (side for side in (finding.head or finding.base, *finding.followers) if side is not None)


def _all_in(some: Set[Any], others: Set[Any]) -> bool:
    return bool(some) and some <= others
