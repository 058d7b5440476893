"""GitLab's code quality report: a list of issues in the format of Code Climate's engines."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from checker.model.findings import Severity
from checker.report.check.prose import failures, in_full, line_of, summary
from checker.report.presentable import presentable, short, without_graphs
from checker.report.wording import unmentioned_unknowns, untouched

Json = dict[str, Any]

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def render_gitlab(report: Json) -> str:
    """Findings, unreadable pipelines and undecided values; GitLab asks for a file and a line of each."""
    shown = presentable(without_graphs(report))
    issues = []
    for pipeline in shown["pipelines"]:
        name = short(pipeline["name"], 80)
        for finding in pipeline["findings"]:
            severity = _SEVERITIES[Severity(finding["severity"])]
            text = summary(finding)
            issue = _issue(finding["rule"], text, severity, line_of(finding, pipeline), finding["fingerprint"])
            issues.append({**issue, "content": {"body": in_full(finding)}})
        unread = [(f"{name}: {why}", f"unreadable\0{pipeline['name']}{why}") for why in failures(pipeline)]
        severity = "info" if untouched(pipeline) else "critical"
        issues += [_issue("unreadable", text, severity, None, key) for text, key in unread]
        for assumption in pipeline["reading"]["assumptions"]:
            issues.append(
                _issue(
                    "assumption", f"{name}: assumed: {assumption}", "info", None, f"{pipeline['name']}\0{assumption}"
                )
            )
        for unknown in unmentioned_unknowns(pipeline):
            text = f"{name}: undecided: {short(unknown['reason'], 1000)}"
            key = f"undecided\0{pipeline['name']}\0{unknown['reason']}"
            issues.append(_issue("undecided", text, "major", unknown["location"], key))
    return json.dumps(issues, ensure_ascii=False, indent=2) + "\n"


def _issue(rule: str, text: str, severity: str, location: Json | None, key: str) -> Json:
    return {
        "type": "issue",
        "check_name": rule,
        "description": text,
        "categories": ["Compatibility"],
        "severity": severity,
        "fingerprint": hashlib.sha256(f"{rule}\0{key}".encode()).hexdigest()[:32],
        "location": {
            "path": location["file"] if location else ".",
            "lines": {"begin": location["line"] if location else 1},
        },
    }
