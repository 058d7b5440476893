"""Resources of the operator that are replaced, moved or added, and starts of which it can't be told what they run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch
from tests.workflows.deployed import MAIN, PINNED, errors, java, manifest, with_uid

JOB = """\
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String uid = ParameterTool.fromArgs(args).get("uid", "none");
    env.fromElements(1, 2).uid("in").keyBy(x -> x).reduce((a, b) -> a).uid(uid).print().uid("out");
    env.execute();
  }
}
"""
FILES = {
    "pom.xml": "<project><properties><flink.version>1.20.0</flink.version></properties></project>",
    "src/main/java/Job.java": JOB,
}
OLD = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: o, namespace: prod}
spec:
  flinkVersion: v1_20
  job: {jarURI: local:///job.jar, entryClass: Job, parallelism: 2, upgradeMode: savepoint, args: [--uid, orders]}
"""
NOWHERE = OLD.replace(", namespace: prod", "")
SECOND = OLD.replace("name: o,", "name: p,")
FROM_SAVEPOINT = ("upgradeMode", "initialSavepointPath: s3://a/savepoint, upgradeMode")
RESTORED = "flink run -s s3://a/1 -c Job target/job.jar --uid orders\n"
BY_DEFAULT = OLD.replace("upgradeMode: savepoint, ", "")
GONE = "# nothing\n"
BASE = {"k/base/o.yaml": NOWHERE, "k/base/kustomization.yaml": "resources: [o.yaml]\n"}
DEV, PROD = "resources: [../base]\nnamespace: dev\n", "resources: [../base]\nnamespace: prod\n"
OVERLAYS = {**BASE, "k/dev/kustomization.yaml": DEV, "k/prod/kustomization.yaml": PROD}
REPLACED = {("deployment-starts-empty", "error")}
OTHER_UID = {("uid-renamed", "error")}
UNKNOWN = {("edit-not-understood", "error")}


def found(folder: Path, capsys: pytest.CaptureFixture[str], before: Mapping[str, str], after: Mapping[str, str]) -> set:  # type: ignore[type-arg]
    """Rules and severities of everything that is worse than an info."""
    repository = Scratch(folder)
    repository.commit(**{**FILES, **before})
    repository.commit(**after)
    run(["check", "--repo", str(folder), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    every = [finding for pipeline in document["pipelines"] for finding in pipeline["findings"]]
    return {(f["rule"], f["severity"]) for f in every if f["severity"] == "error" or "starts-empty" in f["rule"]}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"o.yaml": OLD}, {"o.yaml": OLD.replace("prod", "stage")}, REPLACED),
        ({"o.yaml": OLD}, {"o.yaml": OLD.replace("prod", "stage").replace(*FROM_SAVEPOINT)}, set()),
        ({"o.yaml": OLD}, {"o.yaml": OLD.replace(*FROM_SAVEPOINT)}, set()),
        ({"o.yaml": OLD}, {"o.yaml": OLD.replace("upgradeMode", "savepointRedeployNonce: 2, upgradeMode")}, UNKNOWN),
        ({"o.yaml": NOWHERE}, {"o.yaml": OLD}, {("deployment-starts-empty", "warning")}),
        ({"o.yaml": OLD}, {"o.yaml": BY_DEFAULT}, REPLACED),
        ({"o.yaml": OLD.replace("savepoint", "last-state")}, {"o.yaml": BY_DEFAULT}, REPLACED),
        ({"o.yaml": OLD}, {"o.yaml": OLD.replace("savepoint", "'${MODE}'")}, set()),
        ({"o.yaml": BY_DEFAULT}, {"pom.xml": FILES["pom.xml"] + "\n"}, set()),
        ({"run.sh": RESTORED}, {"run.sh": RESTORED.replace("-s s3://a/1 ", "")}, REPLACED),
        ({"run.sh": RESTORED}, {"run.sh": RESTORED.replace("s3://a/1", "s3://a/2")}, set()),
        ({"run.sh": RESTORED}, {"run.sh": RESTORED.replace("-s s3://a/1", "--fromSavepoint $LAST")}, set()),
        ({"run.sh": RESTORED.replace("-s s3://a/1 ", "")}, {"run.sh": RESTORED}, set()),
        ({"o.yaml": OLD}, {"o.yaml": GONE, "p.yaml": SECOND}, REPLACED),
        ({"o.yaml": OLD}, {"o.yaml": GONE, "p.yaml": OLD}, set()),
        ({"o.yaml": OLD, "p.yaml": SECOND}, {"p.yaml": SECOND.replace("name: p,", "name: q,")}, REPLACED),
        ({"o.yaml": OLD, "p.yaml": SECOND}, {"p.yaml": SECOND.replace("orders", "sales")}, OTHER_UID),
        ({"o.yaml": OLD, "p.yaml": SECOND}, {"p.yaml": SECOND + "# why\n"}, set()),
        ({"o.yaml": OLD}, {"p.yaml": SECOND}, set()),
        ({"o.yaml": OLD}, {"p.yaml": SECOND.replace("orders", "sales")}, set()),
        ({"o.yaml": OLD}, {"p.yaml": SECOND.replace("prod", "stage").replace("orders", "sales")}, set()),
        (OVERLAYS, {"k/prod/kustomization.yaml": PROD.replace("prod", "production")}, REPLACED),
        (OVERLAYS, {"k/prod/kustomization.yaml": PROD + "namePrefix: x-\n"}, REPLACED),
        (OVERLAYS, {"k/test/kustomization.yaml": PROD.replace("prod", "test")}, set()),
        ({"o.yaml": OLD.partition("\n")[2]}, {"o.yaml": OLD.partition("\n")[2].replace("orders", "sales")}, OTHER_UID),
    ],
)  # fmt: skip
def test_another_resource_in_place_of_the_old_one_starts_empty_and_one_beside_it_is_new(
    before: Mapping[str, str],
    after: Mapping[str, str],
    expected: set[tuple[str, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert found(tmp_path / "r", capsys, before, after) == expected


PYTHON = """\
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).key_by(lambda x: x).reduce(lambda a, b: a).uid("sum").print()
env.execute()
"""
TEMPLATE = """\
Resources:
  App:
    Type: AWS::KinesisAnalyticsV2::Application
    Properties:
      ApplicationName: app
      RuntimeEnvironment: FLINK-1_20
      ApplicationConfiguration:
        EnvironmentProperties:
          PropertyGroups:
            - {PropertyGroupId: kinesis.analytics.flink.run.options, PropertyMap: {python: main.py}}
        FlinkApplicationConfiguration:
          ParallelismConfiguration: {ConfigurationType: CUSTOM, Parallelism: 2}
"""
TWO = {"requirements.txt": "apache-flink==1.20.1\n", "a/main.py": PYTHON, "b/main.py": PYTHON, "pom.xml": "<project/>"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [("infra/app.yaml", UNKNOWN), ("a/infra/app.yaml", set())],
)
def test_a_start_that_may_be_of_several_scripts_is_the_nearest_ones_or_an_edit_of_each(
    path: str, expected: set[tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = {path: TEMPLATE.replace("m: 2", "m: 3")}
    assert found(tmp_path / "r", capsys, {**TWO, path: TEMPLATE}, edited) == expected
    assert found(tmp_path / "s", capsys, {**TWO, path: TEMPLATE}, {path: TEMPLATE + "# why\n"}) == set()


def test_a_jar_of_a_module_with_several_programs_may_run_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other_job = JOB.replace("class Job", "class Other")
    build = FILES["pom.xml"].replace("<project>", "<project><artifactId>jobs</artifactId>")
    before = {"pom.xml": build, "src/main/java/Other.java": other_job, "run.sh": "flink run -p 2 target/jobs-1.jar\n"}
    assert found(tmp_path / "r", capsys, before, {"run.sh": "flink run -p 3 target/jobs-1.jar\n"}) == UNKNOWN


TWO_PINNED = {**PINNED, "src/main/java/Other.java": java(with_uid('"other"'), "Other")}


@pytest.mark.parametrize(
    ("after", "mode", "rules"),
    [
        ({"a.yaml": manifest("a", main="Other")}, "savepoint", {"edit-not-understood"}),
        ({"a.yaml": manifest("a", main="Other"), "b.yaml": manifest("b")}, "savepoint", {"deployment-starts-empty"}),
        ({"a.yaml": manifest("b", main="Other"), "b.yaml": manifest("a")}, "savepoint", set()),
        ({"a.yaml": manifest("a", main="Other", mode="stateless")}, "stateless", set()),
    ],
)
def test_a_resource_that_runs_another_pipeline_ends_the_one_that_it_ran(
    after: dict[str, str], mode: str, rules: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {**TWO_PINNED, "a.yaml": manifest("a", mode=mode), "b.yaml": manifest("b", main="Other", mode=mode)}
    assert errors(tmp_path / "r", capsys, before, after)["Job"] == rules


def test_a_program_that_is_not_followed_keeps_state_that_an_upgrade_mode_may_lose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = {**PINNED, MAIN: java("for (;;) { env = mystery.Library.make(env); }"), "a.yaml": manifest("a")}
    empty = {"deployment-starts-empty"}
    assert errors(tmp_path / "r", capsys, program, {"a.yaml": manifest("a", mode="stateless")})["Job"] == empty
    assert errors(tmp_path / "s", capsys, program, {"a.yaml": manifest("b")})["Job"] == empty
    assert errors(tmp_path / "t", capsys, program, {"a.yaml": manifest("a", options="a: c")})["Job"] == set()
