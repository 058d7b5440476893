"""The canonical report: JSON documents that every other format renders and nothing else.

``pipeline_document`` is made where a pipeline is judged (on a Spark executor or in process);
``report_document`` puts them together. Equal inputs give equal bytes: no clock, no absolute path, sorted where
order has no meaning. The published schema is ``checker/schemas/report.schema.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from checker import __version__
from checker.model.account import Account, Explanation, RunBy
from checker.model.comparison import Cause, Comparison, OperatorComparison, PipelineFailure
from checker.model.declared_state import StateDescriptor
from checker.model.findings import Finding, OperatorSide, RestorePath, Severity, Suppressed, Verdict
from checker.model.pipelines import ExtractorKind, Note, Reason
from checker.model.plain import fields, plain
from checker.model.rehearsal import Rehearsal
from checker.model.translation import Translation
from checker.model.unknowns import Unknown
from checker.report.ids.document import ids_document, state_document, unknown_document
from checker.rules.policy.decided import UNDECIDED_RULES
from checker.rules.policy.suppressions import own_comment, own_suppression

Json = dict[str, Any]
"""An object of the published format; keys are fixed by its schema."""

FORMAT = "savepoint-checker/report"
VERSION = 1
READ = {
    ExtractorKind.AUTO.value: "read from source",
    ExtractorKind.DOCUMENT.value: "read from a topology document",
    ExtractorKind.JAVA.value: "read from source (java)",
    ExtractorKind.PYTHON.value: "read from source (python)",
    ExtractorKind.SQL.value: "read from a compiled plan",
    ExtractorKind.FLINK.value: "not read",
}
"""Extractor → how a pipeline was read. A program that was run says so itself."""


def to_json(document: Any) -> str:
    """Canonical text of a document."""
    return json.dumps(document, ensure_ascii=False, indent=2)


def render_json(report: Json) -> str:
    """The report itself, as a file."""
    return to_json(report) + "\n"


def pipeline_document(
    comparison: Comparison,
    findings: Sequence[Finding],
    *,
    base: Translation | None,
    head: Translation | None,
    extractors: tuple[str | None, str | None],
    failures: tuple[PipelineFailure | None, PipelineFailure | None] = (None, None),
    suppressed: Sequence[Suppressed] = (),
    hows: tuple[str | None, str | None] = (None, None),
    reason: Reason | None = None,
    assumptions: Sequence[str] = (),
    matched: Iterable[str] = (),
    idle_comments: Iterable[str] = (),
    account: Account | None = None,
    rehearsal: Rehearsal | None = None,
    allows: bool = False,
) -> Json:
    """One judged pipeline. ``hows`` say what exactly was run, where a program was.

    ``allows``: the head's deployment lets Flink drop state that no operator claims.

    ``matched`` are the places of suppressions that speak of a finding, ``idle_comments`` of comments in its files that
    speak of none.
    """
    unknowns = (*comparison.undecided, *(u for row in comparison.operators for u in row.undecided))
    needs_a_run = any(failures) or any(u.settled_by is None for u in unknowns)
    return {
        "name": comparison.pipeline,
        "status": _status(comparison, base, head, failures, findings),
        "extractor": {"base": extractors[0], "head": extractors[1]},
        "reading": {
            "base": hows[0] or (READ[extractors[0]] if extractors[0] else None),
            "head": hows[1] or (READ[extractors[1]] if extractors[1] else None),
            "why": reason.why if reason else None,
            "settled_by": reason.settled_by if reason and needs_a_run else None,
            "assumptions": list(assumptions),
        },
        "files": {"base": list(base.topology.files) if base else [], "head": list(head.topology.files) if head else []},
        "flink": {"base": comparison.base_flink, "head": comparison.head_flink},
        "failure": {
            "base": failures[0].message if failures[0] else _refusal(base),
            "head": failures[1].message if failures[1] else _refusal(head),
        },
        "failure_location": {
            "base": plain(failures[0].location) if failures[0] else None,
            "head": plain(failures[1].location) if failures[1] else None,
        },
        "operators": [_operator(row, allows=allows) for row in comparison.operators],
        "findings": [finding_document(f) for f in sorted(findings, key=_order)],
        "suppressed": [
            {"finding": finding_document(s.finding), "reason": s.reason, "source": s.source, "expires": s.expires}
            for s in suppressed
        ],
        "suppressions": {"matched": sorted(matched), "idle_comments": sorted(idle_comments)},
        "undecided": [unknown_document(u) for u in comparison.undecided],
        "account": None if account is None else account_document(account),
        "rehearsal": None if rehearsal is None else fields(rehearsal, "start", "message"),
        "graphs": {
            "base": ids_document(base, explain=True) if base else None,
            "head": ids_document(head, explain=True) if head else None,
        },
    }


def account_document(account: Account) -> Json:
    """Every edit that a pipeline can reach, and how many there are of each explanation."""
    return {
        "counts": {e.value: account.count(e) for e in Explanation},
        "edits": [
            fields(edit, "thing", "name", "explanation", "why", "reason", "settled_by", "base", "head")
            | {"run_by": None if edit.run_by is None else _run_by(edit.run_by)}
            for edit in account.edits
        ],
    }


def _run_by(operator: RunBy) -> Json:
    return {"name": operator.name, "uid": operator.uid, "keyed_behind": operator.keyed_behind}


def _status(
    comparison: Comparison,
    base: Translation | None,
    head: Translation | None,
    failures: tuple[PipelineFailure | None, PipelineFailure | None],
    findings: Sequence[Finding],
) -> str:
    """``unchanged`` only where no error says otherwise."""
    before, now = failures
    if before is None and now is not None and now.refused:
        return "refused"
    if before or now:
        return "unreadable"
    if base is None or head is None:
        return "added" if base is None else "removed"
    if base.refusal or head.refusal:
        return "refused"
    if all(side.topology.takes_no_savepoints for side in (base, head)):
        return "batch"
    ids = any(o.id_changed is not False or o.base is None or o.head is None for o in comparison.operators)
    kept = all(o.verdict(RestorePath.SAVEPOINT) in _KEPT for o in comparison.operators if o.verdicts)
    wrong = comparison.undecided or any(finding.severity is Severity.ERROR for finding in findings)
    return "unchanged" if kept and not ids and not wrong else "changed"


_KEPT = (Verdict.RESTORES, Verdict.STATELESS, Verdict.STARTS_EMPTY)


def _refusal(translation: Translation | None) -> str | None:
    if translation is None or translation.refusal is None:
        return None
    return f"Flink would refuse to build this job: {translation.refusal.message}"


def _order(finding: Finding) -> tuple[int, str, str, str]:
    return (-finding.severity.rank, finding.rule, finding.operator_key, finding.message)


def finding_document(finding: Finding) -> Json:
    """One finding with both sides, evidence and fingerprint."""
    return {
        **fields(finding, "rule", "severity", "pipeline", "message", "operator_key", "fingerprint"),
        "base": side_document(finding.base),
        "head": side_document(finding.head),
        "evidence": [fields(e, "name", "before", "after") for e in finding.evidence],
        "followers": [side_document(f) for f in finding.followers],
        "repair": finding.repair,
        "suppression": {"configuration": own_suppression(finding), "comment": own_comment(finding)},
        "location": plain(finding.location),
    }


def side_document(side: OperatorSide | None) -> Json | None:
    """One operator at one revision."""
    if side is None:
        return None
    named = fields(side, "name", "id", "uid", "uid_hash", "vertex", "location", "uid_location")
    return {"key": str(side.key), **named}


def _operator(row: OperatorComparison, *, allows: bool) -> Json:
    return {
        "base": side_document(row.base),
        "head": side_document(row.head),
        "match": fields(row.match, "basis", "likeness", "evidence"),
        "stateful": None if isinstance(row.stateful, Unknown) else row.stateful,
        "id_changed": row.id_changed,
        "verdicts": [
            fields(v, "path", "allow_non_restored_state", "verdict", "reason")
            | ({"deployed": True} if allows and v.allow_non_restored_state else {})
            for v in row.verdicts
        ],
        "cause": _cause(row.cause),
        "claimed_by": side_document(row.claimed_by),
        "state_changes": [{"base": _state(c.base), "head": _state(c.head)} for c in row.state_changes],
        "undecided": [unknown_document(u) for u in row.undecided],
    }


def _cause(cause: Cause | None) -> Json | None:
    if cause is None:
        return None
    return fields(cause, "kind", "operator", "operator_name", "text", "path", "location")


def _state(state: StateDescriptor | None) -> Json | None:
    return None if state is None else state_document(state)


def _expected(verdicts: list[Json]) -> str:
    """The verdict on a start from a savepoint: as the deployment does it, else without its leave to drop state."""
    return str(next((v["verdict"] for v in verdicts if "deployed" in v), verdicts[0]["verdict"]))


def report_document(
    *,
    base: Json,
    head: Json,
    pipelines: Iterable[Json],
    rules: Json,
    fail_on: Severity | None,
    notes: Sequence[Note] = (),
    loosened: Sequence[str] = (),
    repository: str | None = None,
    repository_url: str | None = None,
) -> Json:
    """The whole report. ``base`` and ``head`` are ``{asked, label, commit, note}``; ``rules`` maps slug → about."""
    judged = sorted(pipelines, key=lambda p: str(p["name"]))
    findings = [f for p in judged for f in p["findings"]]
    severities = {s.value: sum(1 for f in findings if f["severity"] == s.value) for s in Severity}
    verdicts = {
        v.value: sum(1 for p in judged for o in p["operators"] if o["verdicts"] and _expected(o["verdicts"]) == v)
        for v in Verdict
    }
    blocking = [f for f in findings if fail_on is not None and Severity(f["severity"]).rank >= fail_on.rank]
    fails = any(f["rule"] not in UNDECIDED_RULES for f in blocking)
    undecided = verdicts[Verdict.UNDECIDED.value] > 0 or any(f["rule"] in UNDECIDED_RULES for f in findings)
    used = sorted({f["rule"] for f in findings})
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": {"name": "savepoint-checker", "version": __version__},
        "repository": repository,
        "repository_url": repository_url,
        "base": base,
        "head": head,
        "verdict": "nothing-checked" if not judged else "fails" if fails else "undecided" if undecided else "passes",
        "fail_on": fail_on.value if fail_on else None,
        "blocking": len(blocking),
        "counts": {"pipelines": len(judged), "findings": severities, "operators": verdicts},
        "rules": {slug: rules[slug] for slug in used if slug in rules},
        "pipelines": judged,
        "notes": [fields(n, "message", "location", "unread", "pipeline") for n in notes],
        "loosened": list(loosened),
    }
