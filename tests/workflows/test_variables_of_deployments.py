"""A variable that decides an id, set outside of the program: known where the repository says it, else an open edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

JOB = """\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a).uid("sum-" + System.getenv("SUFFIX")).print().uid("out");
    env.execute();
  }
}
"""
FILES = {
    "pom.xml": "<project><properties><flink.version>1.20.0</flink.version></properties></project>",
    "src/main/java/Job.java": JOB,
}
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {SUFFIX: a}\n"
GENERATED = "resources: [job.yaml]\nconfigMapGenerator: [{name: settings, literals: [SUFFIX=a]}]\n"
FROM_FILE = "resources: [job.yaml]\nconfigMapGenerator: [{name: settings, envs: [prod.env]}]\n"
COMPOSE = "services:\n  job:\n    env_file: [prod.env]\n    command: flink run -c Job /job.jar\n"
EXPORT = "export SUFFIX=a\nflink run -c Job job.jar\n"


def manifest(container: str) -> str:
    return f"""\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: job}}
spec:
  flinkVersion: v1_20
  podTemplate: {{spec: {{containers: [{{name: flink-main-container, {container}}}]}}}}
  job: {{jarURI: "local:///job.jar", entryClass: Job, parallelism: 2}}
"""


ALL = manifest("envFrom: [{configMapRef: {name: settings}}]")
ONE = manifest("env: [{name: SUFFIX, valueFrom: {configMapKeyRef: {name: settings, key: SUFFIX}}}]")
OVER = manifest("envFrom: [{configMapRef: {name: settings}}], env: [{name: SUFFIX, value: z}]")


def errors(
    folder: Path, capsys: pytest.CaptureFixture[str], before: dict[str, str], after: Mapping[str, str | None]
) -> list[str]:
    repository = Scratch(folder)
    repository.commit(**{**FILES, **before})
    for path in [path for path, text in after.items() if text is None]:
        (folder / path).unlink()
    repository.commit(**{path: text for path, text in after.items() if text is not None})
    run(["check", "--repo", str(folder), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"])
    (pipeline,) = json.loads(capsys.readouterr().out)["pipelines"]
    return [finding["rule"] for finding in pipeline["findings"] if finding["severity"] == "error"]


@pytest.mark.parametrize(
    ("files", "edited"),
    [
        ({"k8s/job.yaml": ALL, "k8s/map.yaml": MAP}, "k8s/map.yaml"),
        ({"k8s/job.yaml": ONE, "k8s/map.yaml": MAP}, "k8s/map.yaml"),
        ({"k8s/job.yaml": ONE, "k8s/kustomization.yaml": GENERATED}, "k8s/kustomization.yaml"),
        ({"k8s/job.yaml": ALL, "k8s/kustomization.yaml": FROM_FILE, "k8s/prod.env": "SUFFIX=a\n"}, "k8s/prod.env"),
        ({"compose.yaml": COMPOSE, "prod.env": 'SUFFIX="a"\n'}, "prod.env"),
        ({"run.sh": EXPORT}, "run.sh"),
    ],
)
def test_what_the_repository_says_is_the_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], edited: str
) -> None:
    after = files[edited].replace("SUFFIX: a", "SUFFIX: b").replace("SUFFIX=a", "SUFFIX=b").replace('="a"', '="b"')
    assert after != files[edited]
    assert errors(tmp_path, capsys, files, {edited: after}) == ["uid-renamed"]


def test_a_variable_of_the_container_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"k8s/job.yaml": OVER, "k8s/map.yaml": MAP}
    assert errors(tmp_path, capsys, files, {"k8s/map.yaml": MAP.replace("a}", "b}")}) == []


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("Dockerfile", "FROM flink:1.20\nENV SUFFIX=a\n", "FROM flink:1.20\nENV SUFFIX=b\n"),
        ("deploy/other.yaml", "env:\n  - name: SUFFIX\n    value: a\n", "env:\n  - name: SUFFIX\n    value: b\n"),
        (".github/workflows/deploy.yml", "env:\n  SUFFIX: a\n", "env: {}\n"),
    ],
)
def test_what_may_set_it_is_an_open_edit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str
) -> None:
    assert errors(tmp_path, capsys, {path: before}, {path: after}) == ["edit-not-understood"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("Dockerfile", "FROM flink:1.20\nENV SUFFIX=a\n", "FROM flink:1.20\nENV SUFFIX=a\nRUN date\n"),
        ("deploy/other.yaml", "image: a\nenv: {SUFFIX: a}\n", "image: b\nenv: {SUFFIX: a}\n"),
        ("run.sh", "# SUFFIX is a\ntrue\n", "# SUFFIX is b\ntrue\n"),
        ("docs/run.sh", "SUFFIX=a\n", "SUFFIX=b\n"),
    ],
)
def test_what_sets_nothing_is_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str
) -> None:
    assert errors(tmp_path, capsys, {path: before}, {path: after}) == []


def test_an_answer_is_not_remembered_beyond_such_an_edit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {"Dockerfile": "FROM flink:1.20\nENV SUFFIX=a\n"}
    assert errors(tmp_path / "one", capsys, before, {"README.md": "x\n"}) == []
    assert errors(tmp_path / "two", capsys, before, {"Dockerfile": "ENV SUFFIX=b\n"}) == ["edit-not-understood"]


GIVEN = JOB.replace('"sum-" + System.getenv("SUFFIX")', 'System.getenv("SUFFIX") == null ? "sum" : "other"')
LISTED = manifest("env: [{name: TOPIC, value: a}]")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"k.yaml": LISTED}, {"ci/deploy.sh": "export SUFFIX=a\n"}, ["edit-not-understood"]),
        ({"k.yaml": LISTED}, {"ci/deploy.sh": "export OTHER=a\n"}, []),
        ({"k.yaml": LISTED}, {"k.yaml": LISTED.replace("TOPIC", "OTHER")}, []),
        ({"k.yaml": LISTED}, {"k.yaml": None, "deploy/k.yaml": LISTED}, []),
        ({"k.yaml": LISTED}, {"k.yaml": None, "deploy/k.yaml": LISTED.replace("v1_20", "v1_20\n  a: 1")}, []),
    ],
)
def test_what_counts_as_not_set_stays_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: dict[str, str], after: Mapping[str, str | None],
    expected: list[str],
) -> None:  # fmt: skip
    job = {"src/main/java/Job.java": GIVEN}
    assert errors(tmp_path, capsys, {**before, **job}, after) == expected


MAKE = "SUFFIX := $(shell echo a)\nOTHER := 1\nrun:\n\tflink run -c Job -p 2 job.jar --suffix $(SUFFIX)\n"
OF_ARGUMENTS = JOB.replace('System.getenv("SUFFIX")', "args[1]")


@pytest.mark.parametrize(("old", "new", "passes"), [("echo a", "echo b", False), (":= 1", ":= 2", True)])
def test_a_variable_of_a_start_command_that_is_not_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, passes: bool
) -> None:
    program = OF_ARGUMENTS.replace(
        "String[] args) throws Exception {",
        """String[] args) throws Exception {
    args = new String[] {"", org.apache.flink.api.java.utils.ParameterTool.fromArgs(args).get("suffix")};""",
    )
    before = {"Makefile": MAKE, "src/main/java/Job.java": program}
    found = errors(tmp_path, capsys, before, {"Makefile": MAKE.replace(old, new, 1)})
    assert ("edit-not-understood" not in found) is passes


PINNED = {"src/main/java/Job.java": JOB.replace(' + System.getenv("SUFFIX")', "")}


@pytest.mark.parametrize(
    ("path", "before", "after", "version", "rules"),
    [
        ("Dockerfile", "FROM flink:1.20.0-java17\n", "FROM flink:2.0.0-java17\n", "1.20.0", {"edit-not-understood"}),
        ("docker/Dockerfile", "ARG V=1.20\nFROM flink:${V}\n", "ARG V=2.0\nFROM flink:${V}\n", "1.20.0",
         {"edit-not-understood"}),
        ("compose.yaml", "services: {job: {\n  image: flink:1.20}}\n", "services: {job: {\n  image: flink:2.0}}\n",
         "1.20.0", {"edit-not-understood"}),
        ("Dockerfile", "FROM flink:1.20.0-java17\n", "FROM flink:1.20.1-java17\n", "1.20.0", set()),
        ("Dockerfile", "FROM flink:1.19\n", "FROM flink:1.20\n", "1.19.0", set()),
    ],
)  # fmt: skip
def test_another_release_in_the_image_is_an_edit(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    path: str,
    before: str,
    after: str,
    version: str,
    rules: set[str],
) -> None:
    pom = FILES["pom.xml"].replace("1.20.0", version)
    files = {**PINNED, path: before, "pom.xml": pom}
    head = {path: after, "pom.xml": FILES["pom.xml"], "notes.md": "x"}
    assert set(errors(tmp_path / "repo", capsys, files, head)) == rules


def test_an_argument_that_counts_where_a_variable_is_not_set_is_an_open_edit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = 'String e = System.getenv("SUFFIX");\n    String u = e != null ? e : args("uid");'
    job = JOB.replace("    env.from", f"    {chosen.replace('args(', PARAMETER)}\n    env.from", 1)
    before = {
        "src/main/java/Job.java": job.replace('System.getenv("SUFFIX"))', "u)"),
        "start.sh": "./start Job --uid a\n",
    }
    assert errors(tmp_path, capsys, before, {"start.sh": "./start Job --uid b\n"}) == ["edit-not-understood"]


PARAMETER = "org.apache.flink.api.java.utils.ParameterTool.fromArgs(args).get("


OPTION = 'ConfigOptions.key("sum.suffix").stringType().defaultValue("none")'
BY_COMPUTED_NAME = (
    'Optional.ofNullable(System.getenv(OPTION.key().replace(".", "_"))).map(t -> t).orElse(OPTION.defaultValue())'
)


def deployed(value: str, reads: str, variable: str = "sum_suffix") -> dict[str, str]:
    source = (
        JOB.replace('System.getenv("SUFFIX")', reads)
        .replace("public class Job {", f"public class Job {{\n  static final ConfigOption<String> OPTION = {OPTION};")
        .replace("import org", "import java.util.*;\nimport org.apache.flink.configuration.*;\nimport org", 1)
    )
    env = f"env: [{{name: OTHER, value: x}}, {{name: {variable}, value: {value}}}]"
    return {"k8s/job.yaml": manifest(env), "src/main/java/Job.java": source}


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        (BY_COMPUTED_NAME, "uid-renamed"),
        ('System.getenv().get("sum_suffix")', "uid-renamed"),
        ('System.getenv().getOrDefault("sum_suffix", "none")', "uid-renamed"),
        ('(System.getenv().containsKey("sum_suffix") ? System.getenv("sum_suffix") : "none")', "uid-renamed"),
        ("System.getenv(com.lib.Names.ofSuffix())", "undecided"),
        ('new HashMap<>(System.getenv()).get("sum_suffix")', "undecided"),
        ('com.lib.Maps.first(System.getenv(), "sum_suffix")', "undecided"),
    ],
)
def test_a_variable_whose_name_is_computed_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reads: str, expected: str
) -> None:
    assert errors(tmp_path, capsys, deployed("a", reads), deployed("b", reads)) == [expected]


@pytest.mark.parametrize(
    "reads",
    [
        BY_COMPUTED_NAME, 'System.getenv().getOrDefault("sum_suffix", "none")', "com.lib.Names.ofSuffix()",
        'System.getenv("sum_" + "suffix")',
    ],
)  # fmt: skip
def test_a_variable_that_the_program_never_asks_for_is_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reads: str
) -> None:
    assert errors(tmp_path, capsys, deployed("a", reads, "LEVEL"), deployed("b", reads, "LEVEL")) == []


@pytest.mark.parametrize("reads", ["System.getenv(com.lib.Names.ofSuffix())", "com.lib.Maps.of(System.getenv())"])
def test_what_is_asked_for_by_a_name_that_is_not_known_is_equal_to_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reads: str
) -> None:
    assert errors(tmp_path, capsys, deployed("a", reads), {"README.md": "x\n"}) == []


SCRIPT = """\
import os
import names
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
keyed = env.from_collection([1, 2]).key_by(lambda x: x)
keyed.reduce(lambda a, b: a).uid("sum-" + os.environ.get(names.suffix(), "none")).print().uid("out")
env.execute()
"""


@pytest.mark.parametrize(("after", "expected"), [("a", []), ("b", ["undecided"])])
def test_a_script_asks_for_a_variable_whose_name_is_not_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], after: str, expected: list[str]
) -> None:
    start = "export SUFFIX={0}\nflink run -py job.py\n"
    files = {"job.py": SCRIPT, "pom.xml": "", "src/main/java/Job.java": "", "run.sh": start.format("a")}
    changed = {"run.sh": start.format(after), "README.md": "x\n"}
    assert errors(tmp_path, capsys, files, changed) == expected


@pytest.mark.parametrize(
    ("path", "before", "after", "open_"),
    [
        ("deploy/prod.env", "UID_EU=a\n", "UID_EU=b\n", True),
        ("k8s/settings.yaml", MAP.replace("SUFFIX", "UID_EU"), MAP.replace("SUFFIX: a", "UID_EU: b"), True),
        ("run.sh", "export UID_EU=a\n", "export UID_EU=b\n", True),
        ("deploy/prod.env", "BUCKET=a\n", "BUCKET=b\n", False),
        ("deploy/prod.env", "UID_EU=a\n", "# note\nUID_EU=a\n", False),
    ],
)
def test_a_variable_whose_name_is_computed_is_set_in_another_file(
    path: str, before: str, after: str, open_: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = JOB.replace('System.getenv("SUFFIX")', 'System.getenv("UID_" + args[0])')
    program = {"src/main/java/Job.java": job}
    found = errors(tmp_path / "r", capsys, {**program, path: before}, {path: after})
    assert found == (["edit-not-understood"] if open_ else [])
