"""A finding keeps its fingerprint as long as it is the same finding: what code scanning rests on."""

import json
from pathlib import Path

import pytest

from checker.engines.choice import judge_pipelines
from checker.model.nested import Json
from checker.report.formats import Report, renderer
from checker.workflows.check.comparing_revisions import plan_check, run_check
from tests.scratch import Scratch

PATH = "src/main/java/com/acme/Orders.java"
JOB = """package com.acme;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.socketTextStream("h", 1).uid("in")
            .keyBy(x -> x).reduce((a, b) -> a).uid("total").name("total")
            .keyBy(x -> x).reduce((a, b) -> b).uid("last")
            .print().uid("out");
        env.execute();
    }
}
"""
BROKEN = JOB.replace('uid("total")', 'uid("totals")')
FILES = {
    PATH: JOB,
    "pom.xml": "<project><properties><flink.version>1.20.1</flink.version></properties></project>\n",
    "src/main/java/com/acme/Other.java": "package com.acme;\nclass Other { int a; }\n",
}


def report(folder: Path, **head: str) -> Json:
    scratch = Scratch(folder)
    scratch.commit("one", **FILES)
    scratch.commit("two", **{PATH: BROKEN, **head})
    return run_check(plan_check(folder, base="HEAD~1", head="HEAD"), judge_pipelines)


def fingerprints(found: Json, severity: str = "") -> list[str]:
    findings = [f for pipeline in found["pipelines"] for f in pipeline["findings"]]
    return sorted(f["fingerprint"] for f in findings if severity in ("", f["severity"]))


@pytest.mark.parametrize(
    "head",
    [
        {PATH: "// moved\n\n\n" + BROKEN},
        {PATH: BROKEN.replace(".keyBy(", "\n   .keyBy( /* by itself */ ").replace("    ", "\t")},
        {PATH: BROKEN.replace("env.execute();", 'System.out.println("starts");\n        env.execute();')},
        {"src/main/java/com/acme/Other.java": "package com.acme;\nclass Other { long a; }\n"},
        {"pom.xml": "<!-- built -->\n" + FILES["pom.xml"], "README.md": "more\n"},
    ],
    ids=["moved lines", "layout", "a log line", "another class", "a build file"],
)
def test_fingerprints_stay_over_what_is_no_part_of_the_finding(tmp_path: Path, head: dict[str, str]) -> None:
    plain = fingerprints(report(tmp_path / "plain"))
    assert plain
    assert fingerprints(report(tmp_path / "edited", **head)) == plain


def test_another_finding_has_another_fingerprint(tmp_path: Path) -> None:
    plain = set(fingerprints(report(tmp_path / "plain"), "error"))
    edited = report(tmp_path / "other", **{PATH: JOB.replace('uid("last")', 'uid("latest")')})
    assert plain
    assert plain.isdisjoint(fingerprints(edited, "error"))


@pytest.mark.parametrize("name", ["text", "json", "markdown", "html", "sarif", "junit", "github", "gitlab"])
def test_all_formats_say_the_same_fingerprints(tmp_path: Path, name: str) -> None:
    found = report(tmp_path / "repo")
    rendered = renderer(Report.CHECK, name)(found)
    assert all(fingerprint in rendered for fingerprint in fingerprints(found))
    if name == "json":
        assert fingerprints(json.loads(rendered)) == fingerprints(found)
