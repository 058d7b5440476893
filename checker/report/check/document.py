"""The canonical report: JSON documents that every other format renders and nothing else.

``pipeline_document`` is made where a pipeline is judged (on a Spark executor or in process);
``report_document`` puts them together. Equal inputs give equal bytes: no clock, no absolute path, sorted where
order has no meaning. The published schema is ``checker/schemas/report.schema.json``.
"""

from collections.abc import Iterable, Sequence

from checker import __version__
from checker.model.account import Account, Explanation
from checker.model.comparison import OperatorComparison
from checker.model.declared_state import StateDescriptor
from checker.model.findings import Finding, OperatorSide, RestorePath, Severity, Suppressed, Verdict
from checker.model.nested import Json, picked, plain, to_json
from checker.model.pipelines import ExtractorKind, Note, Reason
from checker.model.translation import Translation
from checker.model.unknowns import Unknown
from checker.report.ids import ids_document, state_document, unknown_document
from checker.rules.base import RuleContext
from checker.rules.suppressions import UNDECIDED_RULES, own_suppression

FORMAT = "savepoint-checker/report"
VERSION = 1
READ = {
    ExtractorKind.AUTO.value: "read from source",
    ExtractorKind.DOCUMENT.value: "read from a topology document",
    ExtractorKind.JAVA.value: "read from source (java)",
    ExtractorKind.PYTHON.value: "read from source (python)",
    ExtractorKind.SQL.value: "planned by Flink",
    ExtractorKind.FLINK.value: "not read",
}
"""Extractor → how a pipeline was read. A program that was run says so itself."""


def render_json(report: Json) -> str:
    """The report itself, as a file."""
    return to_json(report) + "\n"


def pipeline_document(
    context: RuleContext,
    findings: Sequence[Finding],
    *,
    suppressed: Sequence[Suppressed] = (),
    reason: Reason | None = None,
    assumptions: Sequence[str] = (),
) -> Json:
    """One judged pipeline."""
    comparison, sides = context.comparison, {"base": context.base, "head": context.head}
    unknowns = (*comparison.undecided, *(u for row in comparison.operators for u in row.undecided))
    needs_a_run = any(side.failure for side in sides.values()) or any(u.settled_by is None for u in unknowns)
    return {
        "name": comparison.pipeline,
        "status": _status(context, findings),
        "extractor": {name: side.extractor for name, side in sides.items()},
        "reading": {
            **{name: s.how or (None if s.failure else READ.get(s.extractor or "")) for name, s in sides.items()},
            "why": reason.why if reason else None,
            "settled_by": reason.settled_by if reason and needs_a_run else None,
            "assumptions": list(assumptions),
        },
        "files": {name: list(t.topology.files) if (t := side.translation) else [] for name, side in sides.items()},
        "flink": {"base": comparison.base_flink, "head": comparison.head_flink},
        "failure": {name: side.failure or _refusal(side.translation) for name, side in sides.items()},
        "failure_location": {name: plain(side.failure_location) for name, side in sides.items()},
        "lacking": context.lacking,
        "operators": [_operator(row, allows=context.start.drops_unclaimed) for row in comparison.operators],
        "findings": [finding_document(f) for f in sorted(findings, key=_order)],
        "suppressed": [
            {"finding": finding_document(s.finding), "reason": s.reason, "source": s.source, "expires": s.expires}
            for s in suppressed
        ],
        "undecided": [unknown_document(u) for u in comparison.undecided],
        "account": None if context.account is None else account_document(context.account),
        "graphs": {
            name: ids_document(t, explain=True) if (t := side.translation) else None for name, side in sides.items()
        },
    }


def lacks_means(report: Json) -> bool:
    """Whether what fails is left open by nothing but what this machine lacks: that is no answer, but bad input."""
    limit = Severity(report["fail_on"]).rank
    failing = [(p, f) for p in report["pipelines"] for f in p["findings"] if Severity(f["severity"]).rank >= limit]
    return all(pipeline["lacking"] and finding["rule"] in UNDECIDED_RULES for pipeline, finding in failing)


def account_document(account: Account) -> Json:
    """Every edit that a pipeline can reach, and how many there are of each explanation."""
    return {
        "counts": {e.value: account.count(e) for e in Explanation},
        "edits": [
            picked(edit, "thing", "name", "explanation", "why", "reason", "settled_by", "base", "head")
            for edit in account.edits
        ],
    }


def _status(context: RuleContext, findings: Sequence[Finding]) -> str:
    """``unchanged`` only where no error says otherwise."""
    base, head, comparison = context.base.translation, context.head.translation, context.comparison
    if context.base.failure is None and context.head.refused:
        return "refused"
    if head is None and context.head.failure is None:
        return "removed"
    if context.base.failure or context.head.failure:
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
    return f"Flink refuses to build this job: {translation.refusal.message}"


def _order(finding: Finding) -> tuple[int, str, str, str]:
    return (-finding.severity.rank, finding.rule, finding.operator_key, finding.message)


def finding_document(finding: Finding) -> Json:
    """One finding with both sides, evidence and fingerprint."""
    return {
        **picked(finding, "rule", "severity", "pipeline", "message", "operator_key", "fingerprint"),
        "base": side_document(finding.base),
        "head": side_document(finding.head),
        "evidence": [picked(e, "name", "before", "after") for e in finding.evidence],
        "followers": [side_document(f) for f in finding.followers],
        "repair": finding.repair,
        "suppression": {"configuration": own_suppression(finding)},
        "location": plain(finding.location),
    }


def side_document(side: OperatorSide | None) -> Json | None:
    """One operator at one revision."""
    if side is None:
        return None
    named = picked(side, "name", "id", "uid", "uid_hash", "vertex", "location", "uid_location")
    return {"key": str(side.key), **named}


def _operator(row: OperatorComparison, *, allows: bool) -> Json:
    return {
        "base": side_document(row.base),
        "head": side_document(row.head),
        "match": picked(row.match, "basis", "likeness", "evidence"),
        "stateful": None if isinstance(row.stateful, Unknown) else row.stateful,
        "id_changed": row.id_changed,
        "verdicts": [
            picked(v, "path", "allow_non_restored_state", "verdict", "reason")
            | ({"deployed": True} if allows and v.allow_non_restored_state else {})
            for v in row.verdicts
        ],
        "cause": row.cause and picked(row.cause, "kind", "operator", "operator_name", "text", "path", "location"),
        "claimed_by": side_document(row.claimed_by),
        "state_changes": [{"base": _state(c.base), "head": _state(c.head)} for c in row.state_changes],
        "undecided": [unknown_document(u) for u in row.undecided],
    }


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
    repository: tuple[str | None, str | None] = (None, None),
) -> Json:
    """The whole report. ``base`` and ``head`` are ``{asked, label, commit, note}``; ``rules`` maps slug → about.

    ``repository`` is its name and its address in a browser.
    """
    judged = sorted(pipelines, key=lambda p: str(p["name"]))
    findings = [f for p in judged for f in p["findings"]]
    severities = {s.value: sum(1 for f in findings if f["severity"] == s.value) for s in Severity}
    verdicts = {
        v.value: sum(1 for p in judged for o in p["operators"] if o["verdicts"] and _expected(o["verdicts"]) == v)
        for v in Verdict
    }
    blocking = [f for f in findings if fail_on is not None and Severity(f["severity"]).rank >= fail_on.rank]
    fails = any(f["rule"] not in UNDECIDED_RULES for f in blocking)
    open_ = any(f["rule"] in UNDECIDED_RULES and f["severity"] != Severity.INFO.value for f in findings)
    undecided = verdicts[Verdict.UNDECIDED.value] > 0 or open_
    used = sorted({f["rule"] for f in findings})
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": {"name": "savepoint-checker", "version": __version__},
        "repository": repository[0],
        "repository_url": repository[1],
        "base": base,
        "head": head,
        "verdict": "nothing-checked" if not judged else "fails" if fails else "undecided" if undecided else "passes",
        "fail_on": fail_on.value if fail_on else None,
        "blocking": len(blocking),
        "counts": {"pipelines": len(judged), "findings": severities, "operators": verdicts},
        "rules": {slug: rules[slug] for slug in used if slug in rules},
        "pipelines": judged,
        "notes": [picked(n, "message", "location", "unread", "pipeline") for n in notes],
        "loosened": list(loosened),
    }
