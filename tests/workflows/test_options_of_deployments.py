"""An edit of an option with which a deployment starts a job is an edit of the job, whatever starts it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from checker.cli import run
from checker.extract import registry
from checker.extract.deployments import with_deployment
from checker.model.deployments import Deployment, DeploymentKind, UpgradeMode
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Location
from checker.settings import Settings
from checker.workflows.check.records import CheckPlan, ReadTask, SideInfo
from checker.workflows.check.stages import pipeline_stage, read_stage
from tests.scratch import Scratch
from tests.workflows.deployed import BY_ARGUMENT, WITHOUT, errors
from tests.workflows.deployed import manifest as resource

SCRIPT = """\
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1, 2], Types.INT()).map(lambda x: x, Types.INT())
counted = numbers.key_by(lambda x: x, Types.INT()).reduce(lambda a, b: a)
counted.map(lambda x: x, Types.INT()).print()
env.execute()
"""
JAVA = """\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a).map(x -> x).print();
    env.execute();
  }
}
"""
FILES = {
    "requirements.txt": "apache-flink==1.20.0\n",
    "pom.xml": "<project><properties><flink.version>1.20.0</flink.version></properties></project>",
    "jobs/job.py": SCRIPT,
    "src/main/java/Job.java": JAVA,
}
DRIVER = "org.apache.flink.client.python.PythonDriver"


def document(main: str, arguments: list[str], option: str) -> str:
    job = {"jarURI": "local:///job.jar", "entryClass": main, "args": arguments, "parallelism": 2}
    return f"""\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: {main.rpartition(".")[2].lower()}}}
spec:
  flinkVersion: v1_20
  flinkConfiguration: {{{option}}}
  job: {json.dumps(job)}
"""


def manifest(script: str, java: str = "a: b") -> str:
    return document(DRIVER, ["-py", "/opt/job.py"], script) + "---\n" + document("Job", [], java)


def rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str
) -> dict[str, set[str]]:
    """Pipeline → its errors, after an edit of one file."""
    repository = Scratch(tmp_path)
    repository.commit(**FILES, **{path: before})
    repository.commit(**{path: after})
    run(["check", "--repo", str(tmp_path), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return {
        pipeline["name"]: {f["rule"] for f in pipeline["findings"] if f["severity"] == "error"}
        for pipeline in report["pipelines"]
    }


@pytest.mark.parametrize(
    ("option", "rule"),
    [
        ("pipeline.operator-chaining.enabled: false", "stateful-id-changed"),
        ("python.operator-chaining.enabled: false", "stateful-operator-removed"),
        ("python.execution-mode: thread", "undecided"),
        ("pipeline.generic-types: false", "edit-not-understood"),
    ],
)
def test_of_a_script_in_a_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, rule: str) -> None:
    found = rules(tmp_path, capsys, "deploy.yaml", manifest("a: b"), manifest(option))
    assert rule in found["job"]
    assert found["Job"] == set()


def test_of_the_second_document_concern_its_own_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = manifest("a: b", "pipeline.operator-chaining.enabled: false")
    found = rules(tmp_path, capsys, "deploy.yaml", manifest("a: b"), after)
    assert found["job"] == set()
    assert "stateful-id-changed" in found["Job"]


def test_that_decide_nothing_are_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rules(tmp_path, capsys, "deploy.yaml", manifest("pipeline.name: a"), manifest("pipeline.name: b"))
    assert found == {"job": set(), "Job": set()}


def test_of_a_start_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = "flink run -c Job job.jar\n"
    found = rules(tmp_path, capsys, "run.sh", before, "flink run -Dpipeline.generic-types=false -c Job job.jar\n")
    assert found["Job"] == {"edit-not-understood"}


def test_of_other_code_on_the_class_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = (manifest("a: b", f"pipeline.jars: file:///lib-{version}.jar") for version in (1, 2))
    assert rules(tmp_path, capsys, "deploy.yaml", before, after)["Job"] == {"edit-not-understood"}


def test_of_a_patch_beside_an_edited_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def files(*, patched: bool) -> dict[str, str]:
        patch = '[{op: add, path: /spec/flinkConfiguration/pipeline.generic-types, value: "false"}]\n'
        return {
            "base/kustomization.yaml": "resources: [job.yaml]\n",
            "base/job.yaml": document("Job", [], "a: c" if patched else "a: b"),
            "prod/kustomization.yaml": "resources: [../base]\npatches: [{path: patch.yaml, target: {name: job}}]\n",
            "prod/patch.yaml": patch if patched else "[]\n",
        }

    repository = Scratch(tmp_path)
    repository.commit(**FILES, **files(patched=False))
    repository.commit(**files(patched=True))
    run(["check", "--repo", str(tmp_path), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    (errors,) = [
        {f["rule"] for f in p["findings"] if f["severity"] == "error"}
        for p in report["pipelines"]
        if p["name"] == "Job"
    ]
    assert "edit-not-understood" in errors


CHART = {
    **FILES,
    "chart/Chart.yaml": "name: job\n",
    "chart/values.yaml": "enabled: true\nimage: {tag: v1}\nsource: orders\n",
    "chart/templates/job.yaml": "{{- if lookup .Values.enabled }}\n"
    + document("Job", ["--source", "{{ .Values.source }}"], "a: b")
    + "# the end\n{{- end }}\n",
}


@pytest.mark.parametrize(
    ("path", "before", "after", "found"),
    [
        ("chart/values.yaml", "orders", "sales", True),
        ("chart/values.yaml", "tag: v1", "tag: v2", False),
        ("chart/values.yaml", "source: orders", "source: orders  # the topic", False),
        ("chart/templates/job.yaml", '"--source"', '"--topic"', True),
        ("chart/templates/job.yaml", "# the end", "# the end of it", False),
    ],
)
def test_a_chart_that_needs_helm_may_start_the_job_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str, found: bool
) -> None:
    scratch = Scratch(tmp_path / "repo")
    program = JAVA.replace(".map(x -> x)", ".uid(args[1]).map(x -> x)")
    files = {**CHART, "src/main/java/Job.java": program}
    scratch.commit(**files)
    assert before in files[path]
    scratch.commit(**{path: files[path].replace(before, after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    errors = {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}
    assert errors == ({"edit-not-understood"} if found else set())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("run.sh", """curl http://jm:8081/jars/x/run -d '{"entryClass": "Job", "programArgsList": ["x", "orders"]}'"""),
        (
            "flow.yaml",
            "kind: Workflow\nspec:\n  templates:\n"
            "  - container: {image: f, command: [flink, run, -c, Job, a.jar, x, orders]}\n",
        ),
        (
            "task.yaml",
            "kind: Task\nspec:\n  steps:\n  - image: f\n    script: |\n"
            "      set -e\n      flink run -c Job a.jar x orders\n",
        ),
    ],
)
def test_arguments_of_requests_and_workflows_are_the_job_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, text: str
) -> None:
    scratch = Scratch(tmp_path / "repo")
    program = JAVA.replace(".map(x -> x)", ".uid(args[1]).map(x -> x)")
    scratch.commit(**{**FILES, "src/main/java/Job.java": program, path: text})
    scratch.commit(**{path: text.replace("orders", "sales")})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = {f["rule"] for p in report["pipelines"] for f in p["findings"]}
    assert {"uid-renamed", "deployment-arguments-changed"} <= found


def test_what_was_read_while_planning_keeps_its_deployment() -> None:
    """Scripts of SQL and captured programs are read before any engine starts; their deployments are judged too."""
    files = MemoryFiles({path: text.encode() for path, text in FILES.items()})
    entry = registry.discover(files, Settings()).entries[0]
    read = read_stage(ReadTask(entry=entry, files=files))
    assert read is not None
    place = Location("o.yaml", 1)
    start = Deployment(kind=DeploymentKind.FLINK_DEPLOYMENT, name="o", target="", location=place)
    asked = [
        with_deployment(entry, replace(start, upgrade_mode=mode))
        for mode in (UpgradeMode.SAVEPOINT, UpgradeMode.LAST_STATE)
    ]
    plan = CheckPlan(
        base=SideInfo(asked="base", label="base", commit=None),
        head=SideInfo(asked="head", label="head", commit=None),
        base_entries=(),
        head_entries=(),
        base_files=files,
        head_files=files,
        severities={},
        fail_on=None,
        base_read=(read,),
        head_read=(read,),
        asked={entry.name: (asked[0], asked[1])},
    )
    document = pipeline_stage(plan, entry.name)
    assert document is not None
    assert "deployment-mode-changed" in {finding["rule"] for finding in document["findings"]}


def test_verdicts_are_those_of_the_start_that_the_deployment_makes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An operator that is removed fails the start, unless ``allowNonRestoredState`` lets Flink drop its state."""
    verdicts = []
    program = JAVA.replace("(1, 2)", '(1, 2).uid("numbers")').replace("-> a)", '-> a).uid("first")')
    removed = program.replace('.keyBy(x -> x).reduce((a, b) -> a).uid("first")', "")
    for allowed in ("false", "true"):
        repository = Scratch(tmp_path / allowed)
        deployment = manifest("a: b").replace('"parallelism"', f'"allowNonRestoredState": {allowed}, "parallelism"')
        repository.commit(**{**FILES, "src/main/java/Job.java": program, "deploy.yaml": deployment})
        repository.commit(**{"src/main/java/Job.java": removed})
        run(["check", "--repo", str(tmp_path / allowed), "--base", "HEAD~1", "--engine", "in-process"])
        verdicts.append(next(line for line in capsys.readouterr().out.splitlines() if line.startswith("Job")))
    assert "1 start fails" in verdicts[0]
    assert "1 state dropped" in verdicts[1]
    assert "start fails" not in verdicts[1]


DEFAULT_2 = 'parallelism.default: "2"'
CONFIGURED = '[[pipeline]]\nname = "Job"\nmain = "Job"\nparallelism = 4\n'


@pytest.mark.parametrize(
    ("files", "path", "before", "after", "moved"),
    [
        ({"o.yaml": resource(parallelism="4", options=DEFAULT_2)}, "o.yaml", "parallelism: 4", "parallelism: 1", True),
        ({"o.yaml": resource(parallelism="4", options=DEFAULT_2)}, "o.yaml", DEFAULT_2, DEFAULT_2[:-2] + '1"', False),
        ({"o.yaml": resource(parallelism="", options=DEFAULT_2)}, "o.yaml", DEFAULT_2, DEFAULT_2[:-2] + '1"', True),
        (
            {"o.yaml": resource(parallelism="", options=DEFAULT_2), "savepoint-checker.toml": CONFIGURED},
            "savepoint-checker.toml", "= 4", "= 1", True,
        ),
    ],
)  # fmt: skip
def test_a_parallelism_of_the_job_wins_over_the_option(
    files: dict[str, str], path: str, before: str, after: str, moved: bool,
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    found = errors(tmp_path, capsys, {**WITHOUT, **files}, {path: files[path].replace(before, after)})["Job"]
    assert found == ({"stateful-id-changed"} if moved else set())


SESSION = """\
services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        state.backend.type: hashmap
  submit:
    image: jobs
    command: flink run -d -c Job jobs.jar
"""
OVERLAYS = {
    "base/job.yaml": resource(),
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    **{
        f"{name}/{path}": text
        for name in ("dev", "prod")
        for path, text in {
            "kustomization.yaml": "resources: [../base]\npatches: [{path: p.yaml}]\n",
            "p.yaml": f"kind: FlinkDeployment\nmetadata: {{name: o}}\nspec: {{job: {{args: [--uid, {name}]}}}}\n",
        }.items()
    },
}


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "rules"),
    [
        ({"docker-compose.yml": SESSION}, "docker-compose.yml", "run -d", "run -d -p 4", set()),
        ({"docker-compose.yml": SESSION}, "docker-compose.yml", "hashmap", "rocksdb", {"edit-not-understood"}),
        (
            {"docker-compose.yml": SESSION.replace("-d", "-p 4")}, "docker-compose.yml", "state.backend.type: hashmap",
            "state.backend.type: hashmap\n        pipeline.operator-chaining: false", set(),
        ),
        (OVERLAYS, "prod/p.yaml", "--uid, prod", "--uid, live", {"uid-renamed"}),
        (OVERLAYS, "prod/p.yaml", "{args", "{parallelism: 9, args", set()),
    ],
)  # fmt: skip
def test_an_edit_of_what_runs_a_pipeline_elsewhere(
    files: dict[str, str], path: str, old: str, new: str, rules: set[str], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    edited = {path: files[path].replace(old, new)}
    assert edited[path] != files[path]
    assert errors(tmp_path, capsys, {**BY_ARGUMENT, **files}, edited)["Job"] == rules
