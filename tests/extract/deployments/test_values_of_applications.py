"""Variables of Terraform and what a stack of the CDK is given decide; an application of another name starts empty."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.workflows.deployed import MAIN, PINNED, POM, WITHOUT, errors, java, with_uid

APPLICATION = """\
resource "aws_kinesisanalyticsv2_application" "this" {
  name                = "${var.project}-job"
  runtime_environment = var.runtime
  application_configuration {
    application_snapshot_configuration {
      snapshots_enabled = var.snapshots
    }
    environment_properties {
      property_group {
        property_group_id = "job"
        property_map = {
          "uid" = var.job.uid
          "log" = local.log
        }
      }
    }
    flink_application_configuration {
      parallelism_configuration {
        configuration_type = "CUSTOM"
        parallelism        = var.slots
      }
    }
  }
}
"""
VARIABLES = """\
variable "slots" {
  default = 4
}
variable "project" {
  default = "orders"
}
variable "runtime" {
  default = "FLINK-1_20"
}
variable "snapshots" {
  default = true
}
variable "job" {
  default = { uid = "a" }
}
locals {
  log = "x"
}
"""
BY_PROPERTY = {
    "pom.xml": POM,
    MAIN: java(
        'String uid = KinesisAnalyticsRuntime.getApplicationProperties().get("job").getProperty("uid"); '
        + with_uid("uid"),
        imports="import com.amazonaws.services.kinesisanalytics.runtime.KinesisAnalyticsRuntime;",
    ),
}
INFRA = {"infra/flink.tf": APPLICATION, "infra/variables.tf": VARIABLES}
ALWAYS = {**INFRA, "infra/terraform.tfvars": 'slots = 4\nproject = "orders"\n'}
CHOSEN = {**INFRA, "infra/dev.tfvars": "slots = 2\n", "infra/env/prod.tfvars": 'slots = 4\nproject = "orders"\n'}
MODULE = {
    "modules/flink/main.tf": APPLICATION,
    "modules/flink/variables.tf": VARIABLES.replace("  default = 4\n", ""),
    "prod/main.tf": 'module "flink" {\n  source  = "../modules/flink"\n  slots   = var.slots\n  project = "orders"\n}\n'
    'variable "slots" {\n  default = 4\n}\n',
}
EMPTY, IDS, UID = {"deployment-starts-empty"}, {"stateful-id-changed"}, {"uid-renamed"}
NOTHING: set[str] = set()


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "expected"),
    [
        ({**WITHOUT, **INFRA}, "infra/variables.tf", "default = 4", "default = 1", IDS),
        ({**PINNED, **INFRA}, "infra/variables.tf", "default = 4", "default = 1", NOTHING),
        ({**WITHOUT, **INFRA}, "infra/variables.tf", "default = 4", "default = 6", NOTHING),
        ({**PINNED, **INFRA}, "infra/variables.tf", '"orders"', '"sales"', EMPTY),
        ({**PINNED, **INFRA}, "infra/variables.tf", "default = true", "default = false", EMPTY),
        ({**BY_PROPERTY, **INFRA}, "infra/variables.tf", '"a"', '"b"', UID),
        ({**BY_PROPERTY, **INFRA}, "infra/variables.tf", '"x"', '"y"', NOTHING),
        ({**WITHOUT, **INFRA}, "infra/flink.tf", '"${var.project}-job"', '"orders-job"', NOTHING),
        ({**PINNED, **INFRA}, "infra/flink.tf", "var.project}-job", "var.project}-jobs", EMPTY),
        ({**PINNED, **INFRA}, "infra/flink.tf", "var.project}-job", "data.project}-jobs", NOTHING),
        ({**WITHOUT, **ALWAYS}, "infra/terraform.tfvars", "slots = 4", "slots = 1", IDS),
        ({**WITHOUT, **ALWAYS}, "infra/variables.tf", "default = 4", "default = 1", NOTHING),
        ({**WITHOUT, **CHOSEN}, "infra/env/prod.tfvars", "slots = 4", "slots = 1", IDS),
        ({**WITHOUT, **CHOSEN}, "infra/env/prod.tfvars", "slots = 4", "slots = 6", NOTHING),
        ({**PINNED, **CHOSEN}, "infra/env/prod.tfvars", '"orders"', '"sales"', EMPTY),
        ({**WITHOUT, **MODULE}, "prod/main.tf", "default = 4", "default = 1", IDS),
        ({**PINNED, **MODULE}, "prod/main.tf", '"orders"', '"sales"', EMPTY),
        (
            {**PINNED, **MODULE},
            "prod/main.tf",
            'variable "slots" {',
            'variable "slots" {\n  description = "x"',
            NOTHING,
        ),
    ],
)
def test_values_of_terraform(
    files: dict[str, str],
    path: str,
    old: str,
    new: str,
    expected: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert old in files[path]
    found = errors(tmp_path / "r", capsys, files, {path: files[path].replace(old, new)})
    assert set().union(*found.values()) == expected


TWICE = {"infra/flink.tf": APPLICATION.replace("var.slots", "var.slots * 2")}
STACK = """\
new kinesisanalytics.CfnApplicationV2(this, 'Job', {
  applicationName: 'orders',
  runtimeEnvironment: 'FLINK-1_20',
  applicationConfiguration: {
    applicationSnapshotConfiguration: { snapshotsEnabled: true },
    flinkApplicationConfiguration: { parallelismConfiguration: { configurationType: 'CUSTOM', parallelism: 4 } },
  },
});
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("'orders'", "'sales'", EMPTY),
        ("'orders'", "props.name", NOTHING),
        ("snapshotsEnabled: true", "snapshotsEnabled: false", EMPTY),
        ("'Job'", "'Orders'", NOTHING),
    ],
)
def test_an_application_of_the_cdk(
    old: str, new: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**PINNED, "package.json": '{"dependencies": {"aws-cdk-lib": "2.0.0"}}', "lib/stack.ts": STACK}
    found = errors(tmp_path / "r", capsys, files, {"lib/stack.ts": STACK.replace(old, new)})
    assert set().union(*found.values()) == expected


CDK = {"package.json": '{"dependencies": {"aws-cdk-lib": "2.0.0"}}', "cdk.json": '{"context": {"slots": 4}}'}
JOBS = """\
import * as kda from 'aws-cdk-lib/aws-kinesisanalytics';
const NAME = 'orders';
export class Jobs extends cdk.Stack {
  constructor(scope: Construct, id: string, given: Props) {
    super(scope, id);
    new kda.CfnApplicationV2(this, 'Job', {
      applicationName: `${given.stage}-${NAME}`,
      runtimeEnvironment: 'FLINK-1_20',
      applicationConfiguration: {
        applicationSnapshotConfiguration: { snapshotsEnabled: given.snapshots },
        environmentProperties: { propertyGroups: [{ propertyGroupId: 'job', propertyMap: { uid: given.uid } }] },
        flinkApplicationConfiguration: {
          parallelismConfiguration: { configurationType: 'CUSTOM', parallelism: SLOTS },
        },
      },
    });
  }
}
"""
MAKING = """\
import * as cdk from 'aws-cdk-lib';
import { Jobs } from '../lib/jobs';
const app = new cdk.App();
new Jobs(app, 'Prod', { parallelism: 4, stage: 'prod', uid: 'a', snapshots: true, tags: 'x' });
"""


@pytest.mark.parametrize(
    ("program", "slots", "path", "old", "new", "expected"),
    [
        (WITHOUT, "given.parallelism", "bin/app.ts", "parallelism: 4", "parallelism: 1", IDS),
        (WITHOUT, "given.parallelism", "bin/app.ts", "parallelism: 4", "parallelism: 6", NOTHING),
        (WITHOUT, "this.node.tryGetContext('slots')", "cdk.json", "4", "1", IDS),
        (WITHOUT, "Number(process.env.SLOTS ?? '4')", "lib/jobs.ts", "?? '4'", "?? '1'", {"edit-not-understood"}),
        (PINNED, "4", "bin/app.ts", "'prod'", "'live'", EMPTY),
        (PINNED, "4", "lib/jobs.ts", "'orders'", "'sales'", EMPTY),
        (PINNED, "4", "lib/jobs.ts", "NAME", "TITLE", NOTHING),
        (PINNED, "4", "bin/app.ts", "snapshots: true", "snapshots: false", EMPTY),
        (PINNED, "4", "bin/app.ts", "tags: 'x'", "tags: 'y'", NOTHING),
        (BY_PROPERTY, "4", "bin/app.ts", "uid: 'a'", "uid: 'b'", UID),
    ],
)
def test_what_a_stack_of_the_cdk_is_given(
    program: dict[str, str],
    slots: str,
    path: str,
    old: str,
    new: str,
    expected: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {**program, **CDK, "lib/jobs.ts": JOBS.replace("SLOTS", slots), "bin/app.ts": MAKING}
    found = errors(tmp_path / "r", capsys, files, {path: files[path].replace(old, new)})
    assert set().union(*found.values()) == expected


@pytest.mark.parametrize(
    ("infra", "path", "old", "new", "expected"),
    [
        ({"go.sh": "terraform apply -var slots=4\n"}, "go.sh", "=4", "=1", {"edit-not-understood"}),
        ({"go.sh": "export TF_VAR_slots=4\nterraform apply\n"}, "go.sh", "=4", "=1", {"edit-not-understood"}),
        ({"go.sh": "terraform apply -var slots=4\n"}, "go.sh", "apply", "apply -auto-approve", NOTHING),
        (TWICE, "infra/variables.tf", "= 4", "= 1",
         {"edit-not-understood"}),
        (TWICE, "infra/variables.tf", '"x"', '"y"', NOTHING),
    ],
)  # fmt: skip
def test_values_that_a_command_or_an_expression_gives(
    infra: dict[str, str],
    path: str,
    old: str,
    new: str,
    expected: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {**WITHOUT, **INFRA, **infra}
    found = errors(tmp_path / "r", capsys, files, {path: files[path].replace(old, new)})
    assert set().union(*found.values()) == expected


def test_an_application_that_skips_its_snapshot_starts_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = """\
    run_configuration {
      application_restore_configuration {
        application_restore_type = "RESTORE_FROM_LATEST_SNAPSHOT"
      }
    }
    flink_application"""
    files = {**PINNED, **INFRA, "infra/flink.tf": APPLICATION.replace("    flink_application", start)}
    how = ("RESTORE_FROM_LATEST_SNAPSHOT", "SKIP_RESTORE_FROM_SNAPSHOT")
    skipping = {"infra/flink.tf": files["infra/flink.tf"].replace(*how)}
    assert errors(tmp_path / "r", capsys, files, skipping)["Job"] == EMPTY


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
        ("aws cloudformation deploy --parameter-overrides Slots=4 Level=INFO", "INFO", "WARN", NOTHING),
        ("aws cloudformation deploy --parameter-overrides Slots=4", "deploy", "deploy --no-fail-on-empty-changeset",
         NOTHING),
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
    assert settled == ["[[deployment]] in the configuration"]


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
