"""Parameters of CloudFormation templates decide; an application of another name starts empty."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.workflows.deployed import PINNED, WITHOUT, errors

EMPTY, IDS = {"deployment-starts-empty"}, {"stateful-id-changed"}
NOTHING: set[str] = set()


TEMPLATE = """\
Parameters:
  Slots: {Type: Number, Default: 4}
  Stage: {Type: String, Default: prod}
  Level:
    Type: String
    Default: INFO
Resources:
  Orders:
    Type: AWS::KinesisAnalyticsV2::Application
    Properties:
      ApplicationName: !Sub "${Stage}-orders"
      RuntimeEnvironment: FLINK-1_20
      ApplicationConfiguration:
        FlinkApplicationConfiguration:
          MonitoringConfiguration: {ConfigurationType: CUSTOM, LogLevel: !Ref Level}
          ParallelismConfiguration: {ConfigurationType: CUSTOM, Parallelism: !Ref Slots}
"""


@pytest.mark.parametrize(
    ("program", "old", "new", "expected"),
    [
        (WITHOUT, "Default: 4", "Default: 1", IDS),
        (WITHOUT, "Default: 4", "Default: 6", NOTHING),
        (WITHOUT, "!Ref Slots", "4", NOTHING),
        (WITHOUT, "Default: INFO", "Default: WARN", NOTHING),
        (PINNED, "Default: prod", "Default: live", EMPTY),
        (PINNED, "{Type: String, Default: prod}", "{Type: String, Default: prod, Description: x}", NOTHING),
    ],
)
def test_parameters_of_a_template(
    program: dict[str, str],
    old: str,
    new: str,
    expected: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {**program, "app.yaml": TEMPLATE}
    found = errors(tmp_path / "r", capsys, files, {"app.yaml": TEMPLATE.replace(old, new)})
    assert set().union(*found.values()) == expected


@pytest.mark.parametrize(
    ("command", "old", "new", "expected"),
    [
        ("aws cloudformation deploy --parameter-overrides Slots=4 Level=INFO", "Slots=4", "Slots=1",
         {"edit-not-understood"}),
        ("aws cloudformation create-stack --parameters ParameterKey=Slots,ParameterValue=4", "=4", "=1",
         {"edit-not-understood"}),
        ("aws cloudformation deploy --parameter-overrides Slots=4\naws s3 sync a b", "a b", "a c", NOTHING),
    ],
)  # fmt: skip
def test_a_command_gives_parameters_of_a_template(
    command: str, old: str, new: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**WITHOUT, "app.yaml": TEMPLATE, "deploy.sh": f"#!/bin/sh\n{command}\n"}
    found = errors(tmp_path / "r", capsys, files, {"deploy.sh": files["deploy.sh"].replace(old, new)})
    assert set().union(*found.values()) == expected


def test_a_parameter_of_a_template_is_no_argument_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--arg`` gives values to what the program asks for, not to what fills a deployment in."""
    command = "#!/bin/sh\naws cloudformation deploy --parameter-overrides Slots={}\n"
    files = {**WITHOUT, "app.yaml": TEMPLATE}
    errors(tmp_path / "r", capsys, {**files, "deploy.sh": command.format(4)}, {"deploy.sh": command.format(1)})
    run(["check", "--repo", str(tmp_path / "r"), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"])
    (pipeline,) = json.loads(capsys.readouterr().out)["pipelines"]
    settled = [edit["settled_by"] for edit in pipeline["account"]["edits"]]
    assert settled == ["[[deployment]]"]


PARENT = """\
Resources:
  Child:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: app.yaml
      Parameters:
        Slots: 4
        Level: INFO
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"), [("Slots: 4", "Slots: 1", {"edit-not-understood"}), ("INFO", "WARN", NOTHING)]
)
def test_a_template_gives_parameters_of_another(
    old: str, new: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**WITHOUT, "app.yaml": TEMPLATE, "parent.yaml": PARENT}
    found = errors(tmp_path / "r", capsys, files, {"parent.yaml": PARENT.replace(old, new)})
    assert set().union(*found.values()) == expected
