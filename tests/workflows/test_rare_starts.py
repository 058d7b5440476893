"""Starts and settings that are written down in unusual places: edits that matter count, and others are silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch
from tests.workflows.deployed import BY_ARGUMENT, MAIN, PINNED, POM, TWO, WITHOUT, errors, java, manifest, with_uid

UNKNOWN = {"edit-not-understood"}
OTHER_ID = {"stateful-id-changed"}
NOTHING: set[str] = set()

HOCON = {
    "pom.xml": POM,
    MAIN: java(with_uid('ConfigFactory.load().getString("uid")'), imports="import com.typesafe.config.ConfigFactory;"),
}
RESOURCES = "src/main/resources"


@pytest.mark.parametrize(
    ("include", "path"),
    [
        ('file("conf/base.conf")', "conf/base.conf"),
        ('file("/opt/app/conf/base")', "conf/base.conf"),
        ('url("file:///opt/base.conf")', "conf/base.conf"),
        ('url("classpath:base.conf")', f"{RESOURCES}/base.conf"),
        ('required(file("conf/base.conf"))', "conf/base.conf"),
        ("base.conf", f"{RESOURCES}/base.conf"),
    ],
)
def test_what_hocon_includes_from_anywhere_counts(
    include: str, path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "uid = a\nother { x = 1 }\n"
    files = {**HOCON, f"{RESOURCES}/application.conf": f"include {include}\n", path: text, "conf/more.conf": text}
    assert errors(tmp_path / "r", capsys, files, {path: text.replace("a\n", "b\n")})["Job"] == UNKNOWN
    assert errors(tmp_path / "s", capsys, files, {path: f"# why\n{text}"})["Job"] == NOTHING
    assert errors(tmp_path / "t", capsys, files, {"conf/more.conf": "uid = b\n"})["Job"] == NOTHING


CDK = """\
from aws_cdk import Stack, aws_kinesisanalytics as flink
flink.CfnApplication(self, "app", runtime_environment="FLINK-1_20", application_configuration={
    "application_code_configuration": {"code_content": {"s3_content_location": {"file_key": "jobs-1.0.jar"}}},
    "flink_application_configuration": {
        "parallelism_configuration": {"configuration_type": "CUSTOM", "parallelism": 2}}})
"""
OF_CDK = {"infra/app.py": CDK, "infra/requirements.txt": "aws-cdk-lib\n"}
IN_IMAGE = """\
FROM flink:1.20 AS unused
CMD ["standalone-job", "--job-classname", "Other"]
FROM flink:1.20
ENV LEVEL=info
ENTRYPOINT ["/docker-entrypoint.sh"]
CMD ["standalone-job", "-Dparallelism.default=2", "--job-classname", "Job", "--uid", "a"]
"""
DOCUMENT = "# Run\n\n    kubectl cp target/jobs-1.0.jar pod:/opt/app.jar\n"
RUN = "flink run -p 2 /opt/app.jar\n"


@pytest.mark.parametrize(
    ("files", "edit", "harmless", "expected"),
    [
        (OF_CDK, ('m": 2', 'm": 1'), ("from", "# why\nfrom"), UNKNOWN),
        ({"Dockerfile": IN_IMAGE}, ("default=2", "default=1"), ("info", "warn"), OTHER_ID),
        ({"Dockerfile": IN_IMAGE}, ('"a"', '"b"'), ("AS unused", "AS other"), {"uid-renamed"}),
        ({"run.sh": RUN, "README.md": DOCUMENT}, ("-p 2", "-p 1"), ("flink", "# why\nflink"), OTHER_ID),
        ({"run.sh": RUN}, ("-p 2", "-p 1"), ("app.jar", "app-1.1.jar"), UNKNOWN),
        ({"run.sh": "flink run -p 2 $JAR\n"}, ("-p 2", "-p 1"), ("flink", "# why\nflink"), UNKNOWN),
    ],
)  # fmt: skip
def test_a_start_in_an_unusual_place(
    files: dict[str, str], edit: tuple[str, str], harmless: tuple[str, str], expected: set[str],
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path, text = next(iter(files.items()))
    program = BY_ARGUMENT if expected == {"uid-renamed"} else WITHOUT
    assert errors(tmp_path / "r", capsys, {**program, **files}, {path: text.replace(*edit)})["Job"] == expected
    assert errors(tmp_path / "s", capsys, {**program, **files}, {path: text.replace(*harmless)})["Job"] == NOTHING


@pytest.mark.parametrize(
    "files",
    [
        {"run.sh": "flink run -p 2 examples/WordCount.jar\n"},
        {"run.sh": RUN, "start.sh": "flink run -c Job jobs.jar\nflink run -c Other jobs.jar\n"},
    ],
)
def test_a_start_of_something_else_is_silent(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, text = next(iter(files.items()))
    after = {path: text.replace("-p 2", "-p 1").replace('m": 2', 'm": 1')}
    assert errors(tmp_path / "r", capsys, {**TWO, **files}, after) == {"Job": NOTHING, "Other": NOTHING}


def test_an_image_that_a_manifest_starts_otherwise_is_the_manifest_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compose = "services:\n  job:\n    build: .\n    command: standalone-job --job-classname Job --uid a\n"
    files = {**BY_ARGUMENT, "Dockerfile": IN_IMAGE, "compose.yaml": compose}
    assert errors(tmp_path / "r", capsys, files, {"Dockerfile": IN_IMAGE.replace('"a"', '"b"')})["Job"] == NOTHING


def test_deployments_of_the_configuration_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configured = '[[deployment]]\npipeline = "Job"\nenvironment = "prod"\nparallelism = 3\n'
    Scratch(tmp_path / "r").commit(**PINNED, **{"savepoint-checker.toml": configured})
    run(["deployments", "--repo", str(tmp_path / "r")])
    shown = capsys.readouterr().out
    assert "configured deployment Job → Job" in shown
    assert "environment prod" in shown


@pytest.mark.parametrize(
    ("given", "noted"),
    [("nosuch=1", True), ("uid=a", False), ("job.u-id=a", False), ("execution.runtime-mode=BATCH", False)],
)
def test_a_value_that_nothing_asks_for_is_noted(
    given: str, noted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = Scratch(tmp_path / "r")
    repository.commit(**BY_ARGUMENT)
    repository.commit(**{"notes.md": "x\n"})
    run(["check", "--repo", str(tmp_path / "r"), "--base", "HEAD~1", "--engine", "in-process", "--arg", given])
    assert ("nothing in the repository asks for it" in capsys.readouterr().out) is noted


FIELDS = manifest(args="[]").replace("job: {", "job:\n    parallelism: 2\n    upgradeMode: savepoint\n    args: [a]\n#")


@pytest.mark.parametrize(
    ("old", "new", "rule", "line"),
    [
        ("parallelism: 2", "parallelism: 3", "deployment-parallelism-changed", 8),
        ("upgradeMode: savepoint", "upgradeMode: stateless", "deployment-starts-empty", 9),
        ("[a]", "[b]", "deployment-arguments-changed", 10),
    ],
)
def test_a_finding_stands_at_the_key(
    old: str, new: str, rule: str, line: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FIELDS.partition("#")[0] + "    jarURI: local:///jobs.jar\n    entryClass: Job\n"
    repository = Scratch(tmp_path / "r")
    repository.commit(**PINNED, **{"o.yaml": text})
    repository.commit(**{"o.yaml": text.replace(old, new)})
    run(["check", "--repo", str(tmp_path / "r"), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"])
    findings = [f for p in json.loads(capsys.readouterr().out)["pipelines"] for f in p["findings"]]
    assert [f["location"]["line"] for f in findings if f["rule"] == rule] == [line]


DAG = "from airflow import DAG\nrun = BashOperator(task_id='x', bash_command='flink run -p 1 -c {} /opt/jobs.jar')\n"
STEP = """\
Resources:
  Step:
    Type: AWS::EMR::Step
    Properties:
      Name: a
      HadoopJarStep:
        Args:
          - flink
          - run
          - -p
          - "1"
          - -c
          - Job
          - s3://b/jobs.jar
"""
FOR_WINDOWS = "$p = 1\nflink.bat run --parallelism 1 -c Job jobs.jar\n"


@pytest.mark.parametrize(
    ("files", "path", "text", "before", "after", "rules"),
    [
        (WITHOUT, "dags/run.py", DAG.format("Job"), "-p 1", "-p 4", UNKNOWN),
        (WITHOUT, "dags/run.py", DAG.format("Job"), "-p 1 ", "", UNKNOWN),
        (WITHOUT, "dags/run.py", DAG.format("Job"), "task_id='x'", "task_id='y'", NOTHING),
        (WITHOUT, "dags/run.py", DAG.format("elsewhere.Other"), "-p 1", "-p 4", NOTHING),
        (PINNED, "dags/run.py", DAG.format("Job"), "-p 1", "-p 4", NOTHING),
        (WITHOUT, "emr.yaml", STEP, '"1"', '"4"', UNKNOWN),
        (WITHOUT, "emr.yaml", STEP, "Name: a", "Name: b", NOTHING),
        (WITHOUT, "run.ps1", FOR_WINDOWS, "parallelism 1", "parallelism 4", UNKNOWN),
        (WITHOUT, "run.ps1", FOR_WINDOWS, "$p = 1", "# Once a day.\n$q = 1", NOTHING),
    ],
)
def test_a_parallelism_in_a_file_that_no_reader_follows(
    files: dict[str, str], path: str, text: str, before: str, after: str, rules: set[str],
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert errors(tmp_path, capsys, {**files, path: text}, {path: text.replace(before, after)})["Job"] == rules


def test_a_jar_of_two_programs_may_start_either(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = {"infra/app.py": CDK.replace('m": 2', 'm": 1')}
    both = {"Job": {"edit-not-understood"}, "Other": {"edit-not-understood"}}
    assert errors(tmp_path / "r", capsys, {**TWO, **OF_CDK}, after) == both
