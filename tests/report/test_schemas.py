"""Machine formats against the schemas of those who read them."""

import gzip
import json
import re
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema

from checker.model.findings import Severity
from checker.report.check.continuous_integration import FINGERPRINT
from checker.report.formats import FORMATS, Report, format_of, formats_of, renderer
from tests.report import samples
from tests.report.hostile import NAMES, hostile

DATA = Path(__file__).resolve().parents[1] / "data" / "report"
OURS = Path(__file__).resolve().parents[2] / "checker" / "schemas" / "report.schema.json"

REPORTS = {
    "example": samples.example(),
    "empty": samples.report(),
    "large": samples.report(samples.large(500)),
    **{f"hostile-{name}": hostile(name) for name in NAMES},
}


@pytest.fixture(params=REPORTS, ids=str)
def report(request: pytest.FixtureRequest) -> Any:
    return REPORTS[request.param]


@cache
def ours() -> jsonschema.Draft202012Validator:
    schema = json.loads(OURS.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@cache
def sarif() -> jsonschema.Draft4Validator:
    schema = json.loads(gzip.decompress((DATA / "sarif-2.1.0-rtm.5.json.gz").read_bytes()))
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


@cache
def junit() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(DATA / "junit-10.xsd")


def test_json_is_valid(report: Any) -> None:
    written = renderer(Report.CHECK, "json")(report).encode("utf-8", "backslashreplace").decode()
    ours().validate(json.loads(written))


def test_json_schema_refuses_what_it_does_not_know(report: Any) -> None:
    assert not ours().is_valid({**report, "surprise": 1})


def test_sarif_is_valid(report: Any) -> None:
    sarif().validate(json.loads(renderer(Report.CHECK, "sarif")(report)))


def test_sarif_names_rules_lines_and_fingerprints() -> None:
    run = json.loads(renderer(Report.CHECK, "sarif")(samples.example()))["runs"][0]
    lost = next(r for r in run["results"] if r["ruleId"] == "stateful-operator-id-changed")
    assert lost["level"] == "error"
    assert run["tool"]["driver"]["rules"][lost["ruleIndex"]]["id"] == lost["ruleId"]
    place = lost["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (samples.SOURCE, 33)
    assert lost["partialFingerprints"] == {
        FINGERPRINT: next(f["fingerprint"] for p in samples.example()["pipelines"] for f in p["findings"])
    }
    assert [r["suppressions"][0]["kind"] for r in run["results"] if "suppressions" in r] == ["external"]
    texts = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert any("does not parse" in text for text in texts)
    assert any("nobody gave" in text for text in texts)


def test_a_finding_without_a_line_is_shown_at_the_file_its_pipeline_was_read_from() -> None:
    report = samples.example()
    judged = next(p for p in report["pipelines"] if p["name"] == "orders")
    judged["files"]["head"] = ["jobs/orders.topology.yaml"]
    for finding in judged["findings"]:
        finding["location"] = None
    result = json.loads(renderer(Report.CHECK, "sarif")(report))["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "jobs/orders.topology.yaml"
    assert "::error file=jobs/orders.topology.yaml,line=1,col=1," in renderer(Report.CHECK, "github")(report)
    issues = json.loads(renderer(Report.CHECK, "gitlab")(report))
    assert any(issue["location"]["path"] == "jobs/orders.topology.yaml" for issue in issues)


def test_sarif_fingerprints_survive_moved_lines() -> None:
    def prints(shift: int) -> list[Any]:
        text = renderer(Report.CHECK, "sarif")(samples.example())
        moved = re.sub(r'"startLine": (\d+)', lambda m: f'"startLine": {int(m[1]) + shift}', text)
        return [r["partialFingerprints"] for r in json.loads(moved)["runs"][0]["results"]]

    assert prints(0) == prints(100)
    assert len({json.dumps(p) for p in prints(0)}) == len(prints(0))


def test_junit_is_valid(report: Any) -> None:
    junit().validate(StringIO(renderer(Report.CHECK, "junit")(report)))


def test_junit_fails_what_the_report_fails_and_no_more() -> None:
    text = renderer(Report.CHECK, "junit")(samples.example())
    assert 'failures="1" errors="3"' in text.splitlines()[1]
    never = renderer(Report.CHECK, "junit")(samples.report(*samples.example()["pipelines"], fail_on=None))
    assert 'failures="0" errors="3"' in never.splitlines()[1]
    strict = renderer(Report.CHECK, "junit")(samples.report(*samples.example()["pipelines"], fail_on=Severity.WARNING))
    assert 'failures="2" errors="3"' in strict.splitlines()[1]


def test_gitlab_issues_have_what_gitlab_asks_for(report: Any) -> None:
    issues = json.loads(renderer(Report.CHECK, "gitlab")(report))
    for issue in issues:
        assert set(issue) >= {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["lines"]["begin"] >= 1
        assert not issue["location"]["path"].startswith("./")
    prints = [issue["fingerprint"] for issue in issues]
    assert len(set(prints)) == len(prints)


def test_every_format_says_that_a_pipeline_was_not_read() -> None:
    for name in FORMATS:
        render = renderer(Report.CHECK, name)
        assert "ClicksJob.java does not parse" in render(samples.example()).replace("\\", ""), name


def test_endings_are_known_formats_and_double_ones_win() -> None:
    assert format_of(Report.CHECK, Path("gl.gitlab.json")) == "gitlab"
    assert format_of(Report.CHECK, Path("a/b.sarif")) == "sarif"
    assert format_of(Report.CHECK, Path("report.json")) == "json"
    for report in Report:
        assert {"text", "json", "markdown", "html"} <= set(formats_of(report))
        for name in formats_of(report):
            assert all(format_of(report, Path(f"a{ending}")) == name for ending in FORMATS[name])
