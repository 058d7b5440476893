"""Manifests as tools render them: read where they are given, asked for where they are not."""

import io
import json
import sys
from pathlib import Path

import pytest

from checker.cli import run
from checker.extract.deployments.discovery import deployments
from checker.model.sources import MemoryFiles
from tests.scratch import Scratch
from tests.workflows.deployed import BY_ARGUMENT, MAIN, POM, TWO, WITHOUT, errors, java, manifest, with_uid

RECORDED = Path(__file__).parents[1] / "data" / "rendered"
TOOLS = ("helm-template.yaml", "kustomize-build.yaml", "cdk-synth.json", "terraform-show.json")
UNKNOWN, RENAMED, OTHER_ID = {"edit-not-understood"}, {"uid-renamed"}, {"stateful-id-changed"}
NOTHING = set[str]()
BY_PROPERTY = {
    "pom.xml": POM,
    MAIN: java(
        'String uid = KinesisAnalyticsRuntime.getApplicationProperties().get("job").getProperty("uid"); '
        + with_uid("uid"),
        imports="import com.amazonaws.services.kinesisanalytics.runtime.KinesisAnalyticsRuntime;",
    ),
}


@pytest.mark.parametrize("name", TOOLS)
def test_what_tools_print_is_read(name: str) -> None:
    (found,) = deployments(MemoryFiles({f"build/{name}": (RECORDED / name).read_bytes()}))
    assert (found.parallelism, found.flink) == (4, "1.20")
    assert found.properties == (("job", (("uid", "counts"),)),) or found.args == ("--uid", "counts")
    assert found.properties or dict(found.environment) == {"LEVEL": "info"}


@pytest.mark.parametrize("name", TOOLS)
def test_rendered_manifests_of_both_revisions_are_compared(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, head = tmp_path / f"base-{name}", tmp_path / f"head-{name}"
    base.write_bytes((RECORDED / name).read_bytes())
    head.write_text(base.read_text().replace("counts", "totals"))
    program = BY_PROPERTY if name.endswith("json") else BY_ARGUMENT
    both = ("--manifests", str(head), "--base-manifests", str(base))
    assert errors(tmp_path / "r", capsys, program, {"note.txt": "x"}, *both)["Job"] == RENAMED
    same = ("--manifests", str(head))
    assert errors(tmp_path / "s", capsys, program, {"note.txt": "x"}, *same)["Job"] == NOTHING


def test_manifests_come_from_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    serial = manifest(parallelism="1")
    base = tmp_path / "base.json"
    base.write_text('{"kind": "ConfigMap"}\n\n{\t"kind": "List", "items": []}')
    given = f"{serial}---\n{manifest('second', main='Other')}".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    options = ("--manifests", "-", "--base-manifests", str(base))
    found = errors(tmp_path / "r", capsys, TWO, {"note.txt": "x"}, *options)
    assert found.keys() == {"Job", "Other"}
    assert run(["check", "--repo", str(tmp_path / "r"), "--manifests", str(tmp_path / "none")]) == 2
    (tmp_path / "words").write_text("no manifest")
    assert run(["check", "--repo", str(tmp_path / "r"), "--manifests", str(tmp_path / "words")]) == 2
    assert "neither YAML nor JSON" in capsys.readouterr().err


CHART = {
    "chart/Chart.yaml": "name: c\n",
    "chart/values.yaml": "uid: a\nimage: {tag: '1'}\n",
    "chart/templates/j.yaml": manifest(args='["--uid", {{ .Values.uid | quote }}]'),
}
BUILT = {"build/manifests/j.yaml": manifest(args='["--uid", a]')}
TERRAFORM = """\
variable "slots" {
  default = 4
}
resource "aws_kinesisanalyticsv2_application" "this" {
  runtime_environment = "FLINK-1_20"
}
"""
MODULE = {
    "modules/flink/main.tf": TERRAFORM,
    "prod/main.tf": 'module "flink" {\n  source = "../modules/flink"\n  slots = 4\n}\n',
    "net/main.tf": 'resource "aws_vpc" "main" {\n  slots = 4\n}\n',
}


def test_manifests_of_one_revision_don_t_explain_an_edit_of_a_chart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.yaml"
    given.write_text(BUILT["build/manifests/j.yaml"])
    edited = {"chart/values.yaml": "uid: b\n"}
    files = {**BY_ARGUMENT, **CHART}
    assert errors(tmp_path / "r", capsys, files, edited, "--manifests", str(given))["Job"] == UNKNOWN
    both = ("--manifests", str(given), "--base-manifests", str(given))
    assert errors(tmp_path / "s", capsys, files, edited, *both)["Job"] == NOTHING


def test_what_was_rendered_wins_over_the_same_resource_in_the_repository(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.yaml"
    given.write_text(manifest(parallelism="4"))
    both = ("--manifests", str(given), "--base-manifests", str(given))
    edited = {"k8s/o.yaml": manifest(parallelism="1")}
    files = {**WITHOUT, "k8s/o.yaml": manifest(parallelism="4")}
    assert errors(tmp_path / "r", capsys, files, edited)["Job"] == OTHER_ID
    assert errors(tmp_path / "s", capsys, files, edited, *both)["Job"] == NOTHING


def test_what_is_not_rendered_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = {path.replace("chart/", "second/"): text for path, text in CHART.items()}
    repository = Scratch(tmp_path / "r")
    repository.commit(**TWO, **CHART, **second, **MODULE)
    repository.commit(**{"note.txt": "x"})
    check = ["check", "--repo", str(tmp_path / "r"), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"]
    run(check)
    notes = [note["message"] for note in json.loads(capsys.readouterr().out)["notes"]]
    assert [note.partition(";")[0] for note in notes if "rendered" in note] == [
        "2 charts, 1 module of Terraform are not rendered: chart, second, modules/flink"
    ]
    given = tmp_path / "given.yaml"
    given.write_text(manifest())
    run([*check, "--manifests", str(given)])
    assert not any("not rendered" in note["message"] for note in json.loads(capsys.readouterr().out)["notes"])
