"""The report for terminals."""

from __future__ import annotations

from checker.report.document import Json


def render_text(report: Json) -> str:
    """Verdict, then findings by pipeline, then what was not looked at."""
    lines = [f"{report['base']['label']} -> {report['head']['label']}: {report['verdict']}"]
    for pipeline in report["pipelines"]:
        lines.append(f"{pipeline['name']}: {pipeline['status']}")
        for finding in pipeline["findings"]:
            lines.append(f"  {finding['severity']}: {finding['message']} [{finding['rule']}]")
    lines.extend(f"note: {note['message']}" for note in report["notes"])
    return "\n".join(lines) + "\n"
