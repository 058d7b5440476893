"""Findings for systems that show texts alone: GitHub's annotations, GitLab's code quality report, JUnit XML, SARIF.

GitHub's workflow commands (``::error file=...``) annotate the lines of a pull request. It shows ten of each kind a
step, so the most severe findings come first and the rest is counted in one line. GitLab's report is a list of issues
in the format of Code Climate's engines. In JUnit XML a pipeline is a test suite; an error is a failed case, an
undecided one a case in error. SARIF 2.1.0 (OASIS) is for code scanning: rules with help, results with fingerprints
that survive moved lines.
"""

import hashlib
from urllib.parse import quote

from checker.model.findings import Severity
from checker.model.nested import Json, to_json
from checker.model.unknowns import settle
from checker.report import wording
from checker.report.grouping import notes_to_show, said_once
from checker.report.pages import environment
from checker.report.presentable import WORDS, presentable, short, without_graphs
from checker.report.wording import (
    change,
    headline,
    listed,
    place,
    reading_in_full,
    tally,
    unmentioned_unknowns,
    untouched,
    verdict_of,
)


def summary(finding: Json) -> str:
    """One line: pipeline and message."""
    return f"{short(finding['pipeline'], 80)}: {short(finding['message'], 1000)}"


def in_full(finding: Json) -> str:
    """Message, evidence, followers, repair and fingerprint, a line each."""
    lines = [short(finding["message"], 2000)]
    compared = finding["base"] is not None
    lines += [f"{e['name']}: {change(e, compared=compared)}" for e in finding["evidence"]]
    if finding["followers"]:
        names = ", ".join(short(follower["name"], 60) for follower in finding["followers"][:20])
        more = len(finding["followers"]) - 20
        lines.append(f"same cause: {names}{f' and {more} more' if more > 0 else ''}")
    if finding["repair"]:
        lines.append(f"repair: {finding['repair']}")
    return "\n".join([*lines, f"fingerprint: {finding['fingerprint']}"])


def line_of(finding: Json, pipeline: Json) -> Json | None:
    """Where a finding is shown: its own line, else the top of the file that its pipeline was read from."""
    if finding["location"]:
        return dict(finding["location"])
    file = next((files[0] for files in (pipeline["files"]["head"], pipeline["files"]["base"]) if files), None)
    return None if file is None else {"file": file, "line": 1, "column": 1}


def failures(pipeline: Json) -> list[str]:
    """Why sides of a pipeline could not be read, where no finding says it: no format may leave that out."""
    return [f"{side + ': ' if side else ''}{short(why, 1000)}" for side, why in wording.failures(pipeline)]


MOST_OF_A_KIND = 10
_MOST_PIPELINES = 4
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render_github(report: Json) -> str:
    """One command per line. Nothing in a name can start a command of its own."""
    shown = presentable(without_graphs(report))
    commands: list[tuple[str, str, str, Json | None]] = []
    by_name = {pipeline["name"]: pipeline for pipeline in shown["pipelines"]}
    for finding, names in said_once(shown["pipelines"]):
        title = f"{listed([short(name, 60) for name in names], _MOST_PIPELINES)}: {finding['rule']}"
        line = line_of(finding, by_name[finding["pipeline"]])
        commands.append((_COMMANDS[Severity(finding["severity"])], title, in_full(finding), line))
    for pipeline in shown["pipelines"]:
        name = short(pipeline["name"], 60)
        kind = "notice" if untouched(pipeline) else "error"
        commands += [(kind, f"{name} could not be read", why, None) for why in failures(pipeline)]
        commands += [
            ("notice", f"{name}: assumed", assumption, None) for assumption in pipeline["reading"]["assumptions"]
        ]
        for unknown in unmentioned_unknowns(pipeline):
            reason = unknown["reason"] + settle(unknown["settled_by"], "\n")
            commands.append(("warning", f"{name}: undecided", reason, unknown["location"]))
    commands += [("notice", "savepoint-checker", note["message"], note["location"]) for note in notes_to_show(shown)]
    lines = []
    for kind in ("error", "warning", "notice"):
        ours = [command for command in commands if command[0] == kind]
        # The last of the ten places says how many did not get one.
        shown_of_kind = ours if len(ours) <= MOST_OF_A_KIND else ours[: MOST_OF_A_KIND - 1]
        lines += [_command(*command) for command in shown_of_kind]
        if len(ours) > len(shown_of_kind):
            more = len(ours) - len(shown_of_kind)
            lines.append(_command(kind, "savepoint-checker", f"{more} more of this kind: see the report", None))
    lines.append(f"savepoint-checker: {headline(shown)}; {tally(shown)}")
    return "\n".join(lines) + "\n"


def _command(kind: str, title: str, message: str, location: Json | None) -> str:
    properties = [f"title={_property(title)}"]
    if location:
        properties = [
            f"file={_property(location['file'])}", f"line={location['line']}", f"col={location['column']}", *properties
        ]  # fmt: skip
    return f"::{kind} {','.join(properties)}::{_message(short(message, 4000))}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


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
    return to_json(issues) + "\n"


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


def render_junit(report: Json) -> str:
    """The report as JUnit's ``testsuites``, valid for the schemas of Jenkins and GitLab."""
    shown = presentable(without_graphs(report))
    least = None if report["fail_on"] is None else Severity(report["fail_on"]).rank
    found = [finding for pipeline in shown["pipelines"] for finding in pipeline["findings"]]
    template = environment(autoescape=True).get_template("junit.xml")
    return template.render(
        report=shown,
        blocking=[f for f in found if least is not None and Severity(f["severity"]).rank >= least],
        words=WORDS,
        **{tool.__name__: tool for tool in (failures, in_full, place, settle, short, untouched, verdict_of)},
        without_finding=_without_finding,
    )


def _without_finding(pipeline: Json) -> list[Json]:
    """The operators that no finding is about."""
    found = {f[side]["key"] for f in pipeline["findings"] for side in ("base", "head") if f[side]}
    return [row for row in pipeline["operators"] if (row["head"] or row["base"])["key"] not in found]


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
    _, _, rest = in_full(finding).partition("\n")
    result["message"] = {"text": f"{summary(finding)}\n{rest}".rstrip()}
    result["locations"] = [_location(finding, line_of(finding, pipeline))]
    result["partialFingerprints"] = {FINGERPRINT: finding["fingerprint"]}
    return result


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
