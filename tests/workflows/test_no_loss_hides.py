"""Neither a pipeline that can't be found any more nor the change's own configuration hides a loss."""

import json
from pathlib import Path
from typing import Any

import pytest

from checker.cli import run
from tests.scratch import Scratch, topology

MAIN = "src/main/java/jobs/Orders.java"
JAVA = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).keyBy(x -> x).reduce((x, y) -> y).uid("orders").print();
    env.execute();
  }
}
"""


def changed(scratch: Scratch, before: dict[str, str], after: dict[str, str | None]) -> Scratch:
    scratch.commit(**before)
    for path, content in after.items():
        if content is None:
            (scratch.folder / path).unlink()
        else:
            scratch.write(path, content)
    scratch.commit("a change")
    return scratch


def check(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, report


@pytest.mark.parametrize("comment", ["", "/** Will be a flink job. */\n"])
def test_a_class_that_becomes_a_job_is_new(tmp_path: Path, capsys: pytest.CaptureFixture[str], comment: str) -> None:
    plain = f"package jobs; {comment}public class Orders {{ public static void main(String[] args) {{ }} }}"
    code, report = check(changed(Scratch(tmp_path / "repo"), {MAIN: plain}, {MAIN: JAVA}), capsys)
    assert (code, report["pipelines"][0]["status"]) == (0, "added")


LOSSES = [
    "discover = false",
    'exclude = ["*.topology.yaml"]',
    "[rules]\nstateful-id-changed = 'off'",
    "[rules]\nstateful-id-changed = 'info'",
    "fail_on = 'never'",
]
CONFIGURATION = "savepoint-checker.toml"


@pytest.mark.parametrize("loosened", LOSSES)
def test_what_the_configuration_of_a_change_loosens_does_not_hold_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], loosened: str
) -> None:
    before, after = topology("job"), topology("job", before="filter")
    scratch = changed(
        Scratch(tmp_path / "repo"), {"job.topology.yaml": before}, {"job.topology.yaml": after, CONFIGURATION: loosened}
    )
    code, report = check(scratch, capsys)
    assert code == 1
    assert any(f["rule"] == "stateful-id-changed" for p in report["pipelines"] for f in p["findings"])
    notes = (*report["loosened"], *(n["message"] for n in report["notes"]))
    assert any("until the base says so too" in s or "the head's configuration leaves it out" in s for s in notes)


@pytest.mark.parametrize("link", ["conf", "conf/app.properties"])
def test_what_is_reached_through_a_link_is_an_edit_that_nobody_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], link: str
) -> None:
    reads = JAVA.replace(
        '"orders"', 'org.apache.flink.api.java.utils.ParameterTool.fromPropertiesFile("conf/app.properties").get("id")'
    )
    scratch = Scratch(tmp_path / "repo")
    below = link.removeprefix("conf")
    scratch.commit(**{MAIN: reads, "prod/app.properties": "id=a", "test/app.properties": "id=b"})
    place = scratch.folder / link
    for target in ("prod", "test"):
        place.parent.mkdir(exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(("../" if below else "") + target + below)
        scratch.commit("a link")
    code, report = check(scratch, capsys)
    assert code == 1
    assert "edit-not-understood" in {f["rule"] for p in report["pipelines"] for f in p["findings"]}


def test_edits_of_a_document_are_accounted_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"a.topology.yaml": topology(uid="count")}
    _, report = check(changed(Scratch(tmp_path / "repo"), files, {"a.topology.yaml": topology(uid="total")}), capsys)
    (pipeline,) = report["pipelines"]
    assert [(e["name"], e["explanation"]) for e in pipeline["account"]["edits"]] == [("a.topology.yaml", "compared")]
