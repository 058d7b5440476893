"""Silencing findings by the configuration, never without a reason."""

import glob
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Any

from checker.model.account import Account, Why
from checker.model.findings import Evidence, Finding, OperatorSide, Severity, Suppressed, Suppression, stable_key
from checker.model.unknowns import Location


def _holds(reason: Suppression, today: date) -> bool:
    return bool(reason.reason.strip()) and (reason.expires is None or today <= reason.expires)


def _failed(reason: Suppression) -> Evidence:
    """What a reader of the finding has to know of a suppression that does not hold."""
    if not reason.reason.strip():
        return Evidence("suppression without a reason", after=reason.source)
    return Evidence("suppression expired", before=str(reason.expires), after=f"{reason.source}: {reason.reason}")


def apply_suppressions(
    findings: Iterable[Finding], suppressions: Iterable[Suppression] = (), today: date | None = None
) -> tuple[tuple[Finding, ...], tuple[Suppressed, ...]]:
    """What is still to be reported, and what was silenced and why.

    A finding that speaks of several operators is silenced only when all of them are; silenced followers leave it.
    What is expired on ``today`` (None = nothing expires), or has no reason, silences nothing and is named in the
    finding's evidence.
    """
    configured = tuple(suppressions)
    day = today or date.min
    kept: list[Finding] = []
    silenced: list[Suppressed] = []
    for finding in findings:
        sides = (finding.side, *finding.followers)
        reasons = [list(_reasons(finding, side, configured)) for side in sides]
        holding = [next((r for r in found if _holds(r, day)), None) for found in reasons]
        if all(holding):
            first = holding[0]
            assert first is not None
            silenced.append(_suppressed(finding, first))
            continue
        failed = tuple(dict.fromkeys(_failed(r) for found in reasons for r in found if not _holds(r, day)))
        followers = tuple(s for s, r in zip(sides[1:], holding[1:], strict=True) if r is None)
        for side, reason in zip(sides[1:], holding[1:], strict=True):
            if reason is not None and side is not None:
                silenced.append(_suppressed(_about(finding, side), reason))
        changes = {"followers": followers} if len(followers) != len(sides) - 1 else {}
        kept.append(replace(finding, evidence=(*finding.evidence, *failed), **changes))  # type: ignore[arg-type]
    return tuple(kept), tuple(silenced)


def _suppressed(finding: Finding, reason: Suppression) -> Suppressed:
    expires = None if reason.expires is None else reason.expires.isoformat()
    return Suppressed(finding=finding, reason=reason.reason.strip(), source=reason.source, expires=expires)


def _about(finding: Finding, side: OperatorSide) -> Finding:
    """The part of a finding that speaks of one follower."""
    return replace(finding, head=side, base=None, operator_key=stable_key(side), followers=(), location=side.location)


def _reasons(
    finding: Finding, side: OperatorSide | None, suppressions: tuple[Suppression, ...]
) -> Iterator[Suppression]:
    for suppression in suppressions:
        if (
            fnmatchcase(finding.rule, suppression.rule)
            and (suppression.pipeline is None or fnmatchcase(finding.pipeline, suppression.pipeline))
            and (
                not suppression.operators
                or any(fnmatchcase(n, g) for n in _names(finding, side) for g in suppression.operators)
            )
        ):
            yield suppression


def _names(finding: Finding, side: OperatorSide | None) -> tuple[str, ...]:
    """What a suppression may call an operator."""
    if side is None:
        return (finding.operator_key,)
    names = [side.uid, side.name, str(side.key), str(side.key.handle)]
    if finding.base is not None and side is finding.head:
        names += [finding.base.uid, finding.base.name]
    return tuple(n for n in names if n is not None)


def own_suppression(finding: Finding) -> str:
    """The ``[[suppress]]`` that silences exactly this finding, to be copied into ``savepoint-checker.toml``."""
    lines = ["[[suppress]]", f"rule = {_toml(finding.rule)}", f"pipeline = {_toml(glob.escape(finding.pipeline))}"]
    names = [_toml(glob.escape(_names(finding, side)[0])) for side in finding.sides]
    operators = list(dict.fromkeys(names))
    if len(operators) == 1:
        lines.append(f"operator = {operators[0]}")
    elif operators:
        lines += ["operator = [", *(f"  {operator}," for operator in operators), "]"]
    return "\n".join([*lines, 'reason = ""  # required: why this may stay'])


def _toml(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'


NOT_UNDERSTOOD = "edit-not-understood"
UNDECIDED_RULES = frozenset({"undecided", NOT_UNDERSTOOD})
"""Rules whose findings mean "not known": with nothing worse the report is undecided, not failed."""


def without_decided(findings: Sequence[Finding], account: Account | None) -> tuple[Finding, ...]:
    """Findings that nothing silences, without what other errors among them decide: the check fails in any case.

    An operator is decided by an error that names it, an edit by an error at its line. Where a file does not parse any
    more, all else is judged once it does, as compilers do it.
    """
    edits = account.not_understood if account is not None else ()
    if any(edit.why is Why.BROKEN for edit in edits):
        first = tuple(finding for finding in findings if finding.rule == NOT_UNDERSTOOD)
        return first or tuple(findings)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    decided = {side.key for f in errors if f.rule not in UNDECIDED_RULES for side in f.sides}
    left = [f for f in findings if f.rule != "undecided" or not _all_in({s.key for s in f.sides}, decided)]
    places = {_line(f.location) for f in left if f in errors and f.rule != NOT_UNDERSTOOD} - {None}
    said_elsewhere = _all_in({_line(edit.location) for edit in edits}, places)
    return tuple(f for f in left if not (said_elsewhere and f.rule == NOT_UNDERSTOOD))


def _line(location: Location | None) -> tuple[str, int] | None:
    return None if location is None else (location.file, location.line)


def _all_in(some: Set[Any], others: Set[Any]) -> bool:
    return bool(some) and some <= others
