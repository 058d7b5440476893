"""SARIF 2.1.0 (OASIS) for code scanning: rules with help, results with fingerprints that survive moved lines."""

from __future__ import annotations

from urllib.parse import quote

from checker.model.findings import Severity
from checker.model.nested import Json, to_json
from checker.report.check.continuous_integration import failures, in_full, line_of, summary
from checker.report.presentable import presentable, short, without_graphs
from checker.report.wording import reading_in_full, untouched

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "savepointChecker/v1"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_ROOT = "%SRCROOT%"


def render_sarif(report: Json) -> str:
    """One run with every finding; suppressed ones stand in it as suppressed."""
    shown = presentable(without_graphs(report))
    rules = [_rule(slug, about) for slug, about in shown["rules"].items()]
    places = {rule["id"]: place for place, rule in enumerate(rules)}
    results = []
    for pipeline in shown["pipelines"]:
        results += [_result(finding, pipeline, places) for finding in pipeline["findings"]]
        results += [_suppressed(silenced, pipeline, places) for silenced in pipeline["suppressed"]]
    run = {
        "tool": {
            "driver": {"name": shown["tool"]["name"], "semanticVersion": shown["tool"]["version"], "rules": rules}
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notifications(shown)}],
        "results": results,
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return to_json(document) + "\n"


def _rule(slug: str, about: Json) -> Json:
    page = str(about.get("page") or about["title"])
    return {
        "id": slug,
        "name": "".join(word.capitalize() for word in slug.split("-")),
        "shortDescription": {"text": about["title"]},
        "fullDescription": {"text": about["title"]},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[Severity(about["severity"])]},
    }


def _result(finding: Json, pipeline: Json, places: dict[str, int]) -> Json:
    result: Json = {"ruleId": finding["rule"]}
    if finding["rule"] in places:
        result["ruleIndex"] = places[finding["rule"]]
    result["level"] = _LEVELS[Severity(finding["severity"])]
    result["message"] = {"text": f"{summary(finding)}\n{_rest(finding)}".rstrip()}
    result["locations"] = [_location(finding, line_of(finding, pipeline))]
    result["partialFingerprints"] = {FINGERPRINT: finding["fingerprint"]}
    return result


def _rest(finding: Json) -> str:
    return "\n".join(in_full(finding).split("\n")[1:])


def _suppressed(silenced: Json, pipeline: Json, places: dict[str, int]) -> Json:
    until = f" (until {silenced['expires']})" if silenced["expires"] else ""
    reason = f"{silenced['reason']}{until}, {silenced['source']}"
    return {
        **_result(silenced["finding"], pipeline, places),
        "suppressions": [{"kind": "external", "status": "accepted", "justification": reason}],
    }


def _location(finding: Json, line: Json | None) -> Json:
    side = finding["head"] or finding["base"]
    location: Json = {}
    if line:
        # GitHub shows no result without one.
        location["physicalLocation"] = _physical(line)
    if side:
        location["logicalLocations"] = [
            {
                "name": short(side["name"], 200),
                "fullyQualifiedName": f"{short(finding['pipeline'], 100)}/{short(side['key'], 200)}",
                "kind": "object",
            }
        ]
    return location


def _physical(location: Json) -> Json:
    return {
        "artifactLocation": {"uri": quote(location["file"], safe="/"), "uriBaseId": _ROOT},
        "region": {"startLine": location["line"], "startColumn": location["column"]},
    }


def _notifications(report: Json) -> list[Json]:
    """What is not a finding, but must not be lost: what could not be read, and what stays undecided."""
    collected: list[tuple[str, str, Json | None]] = []
    for pipeline in report["pipelines"]:
        name = short(pipeline["name"], 80)
        level = "note" if untouched(pipeline) else "error"
        collected += [(level, f"{name}: {why}", None) for why in failures(pipeline)]
        collected.append(("note", f"{name}: {reading_in_full(pipeline)}", None))
        collected += [("warning", f"{name}: undecided: {u['reason']}", u["location"]) for u in pipeline["undecided"]]
    collected += [("note", note["message"], note["location"]) for note in report["notes"]]
    collected += [("note", f"loosened: {loosened}", None) for loosened in report["loosened"]]
    notifications = []
    for level, text, location in collected:
        notification: Json = {"level": level, "message": {"text": short(text, 2000)}}
        if location:
            notification["locations"] = [{"physicalLocation": _physical(location)}]
        notifications.append(notification)
    return notifications
