"""JUnit XML: one test suite per pipeline; an error is a failed case, an undecided one a case in error."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

from checker.model.findings import Severity, Verdict
from checker.report.check.prose import failures, in_full
from checker.report.presentable import presentable, short, without_graphs
from checker.report.vocabulary import WORDS
from checker.report.wording import place, untouched, verdict_of

Json = dict[str, Any]


def render_junit(report: Json) -> str:
    """The report as JUnit's ``testsuites``, valid for the schemas of Jenkins and GitLab."""
    shown = presentable(without_graphs(report))
    root = ET.Element("testsuites", name="savepoint-checker")
    for pipeline in shown["pipelines"]:
        root.append(_suite(shown, pipeline))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False, short_empty_elements=True).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _suite(report: Json, pipeline: Json) -> ET.Element:
    name = short(pipeline["name"], 200)
    cases = [_failed(name, finding, report["fail_on"]) for finding in pipeline["findings"]]
    for why in failures(pipeline):
        case = _case(name, f"reading {why.split(':')[0]}")
        _outcome(case, "skipped" if untouched(pipeline) else "error", "unreadable", why, why)
        cases.append(case)
    cases += [_case(name, f"assumed: {short(assumption, 300)}") for assumption in pipeline["reading"]["assumptions"]]
    for unknown in pipeline["undecided"]:
        case = _case(name, short(unknown["reason"], 300))
        settled = f"\nsettle it with {unknown['settled_by']}" if unknown["settled_by"] else ""
        where = f"\nat {place(unknown['location'])}" if unknown["location"] else ""
        _outcome(case, "error", "undecided", unknown["reason"], f"{unknown['reason']}{where}{settled}")
        cases.append(case)
    for silenced in pipeline["suppressed"]:
        case = _case(name, _title(silenced["finding"]))
        ET.SubElement(case, "skipped", message=short(f"{silenced['reason']} ({silenced['source']})", 500))
        cases.append(case)
    found = {f[side]["key"] for f in pipeline["findings"] for side in ("base", "head") if f[side]}
    for row in pipeline["operators"]:
        verdict, side = Verdict(verdict_of(row)), row["head"] or row["base"]
        if side["key"] not in found:
            case = _case(name, f"{short(side['name'], 200)} ({short(side['key'], 100)}): {WORDS[verdict]}")
            if verdict is Verdict.UNDECIDED:
                _outcome(case, "error", "undecided", "what becomes of its state is undecided", "")
            cases.append(case)
    suite = ET.Element("testsuite", name=name, tests=str(len(cases)))
    for kind, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for case in cases if case.find(tag) is not None)))
    suite.set("time", "0")
    suite.extend(cases)
    return suite


def _case(pipeline: str, title: str) -> ET.Element:
    return ET.Element("testcase", name=title, classname=pipeline, time="0")


def _title(finding: Json) -> str:
    return f"{finding['rule']}: {short(finding['operator_key'], 200)}"


def _failed(pipeline: str, finding: Json, fail_on: str | None) -> ET.Element:
    case = _case(pipeline, _title(finding))
    where = f"\nat {place(finding['location'])}" if finding["location"] else ""
    counts = fail_on is not None and Severity(finding["severity"]).rank >= Severity(fail_on).rank
    if counts:
        _outcome(case, "failure", finding["severity"], finding["message"], in_full(finding) + where)
    else:
        ET.SubElement(case, "system-out").text = f"{finding['severity']}: {in_full(finding)}{where}"
    return case


def _outcome(case: ET.Element, tag: str, kind: str, message: str, text: str) -> None:
    ET.SubElement(case, tag, message=short(message, 500), type=kind).text = text
