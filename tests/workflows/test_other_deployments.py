"""An edit of a manifest, a configuration or an image concerns the pipelines that run with it, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.extract.deployments import with_deployment
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.unknowns import Location
from tests.workflows.deployed import (
    BY_ARGUMENT,
    MAIN,
    PINNED,
    POM,
    TWO,
    WITHOUT,
    WITHOUT_UIDS,
    errors,
    java,
    manifest,
    with_uid,
)

UNKNOWN = {"edit-not-understood"}
OTHER_ID = {"stateful-id-changed"}
NOTHING: set[str] = set()


def cluster(name: str, option: str = 'parallelism.default: "2"', image: str = "flink:1.20") -> str:
    text = manifest(name, options=option, spec=f"flinkVersion: v1_20\n  image: {image}")
    return text.partition("  job:")[0]


def session_job(name: str, main: str, cluster_name: str) -> str:
    spec = f"deploymentName: {cluster_name}"
    return manifest(name, main=main, parallelism="", kind="FlinkSessionJob", spec=spec, options="")


SESSIONS = {
    "c.yaml": cluster("one"),
    "d.yaml": cluster("two"),
    "j.yaml": session_job("j", "Job", "one"),
    "k.yaml": session_job("k", "Other", "two"),
}
OTHER_PARALLELISM = cluster("one", 'parallelism.default: "1"')


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (OTHER_PARALLELISM, OTHER_ID),
        (cluster("one", 'parallelism.default: "2", pipeline.generic-types: "false"'), UNKNOWN),
        (cluster("one", image="flink:1.19"), UNKNOWN),
        (cluster("one").replace("v1_20", "v1_20\n  serviceAccount: x"), NOTHING),
        (cluster("one", 'parallelism.default: "2", taskmanager.numberOfTaskSlots: "4"'), NOTHING),
    ],
)
def test_a_session_cluster_concerns_the_jobs_that_are_submitted_to_it(
    after: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {**TWO, **SESSIONS}
    assert errors(tmp_path / "r", capsys, before, {"c.yaml": after}) == {"Job": expected, "Other": NOTHING}
    assert errors(tmp_path / "s", capsys, before, {"c.yaml": after}, "--pipeline", "Job") == {"Job": expected}
    assert errors(tmp_path / "t", capsys, before, {"c.yaml": after}, "--pipeline", "Other") == {"Other": NOTHING}
    one_file = {"all.yaml": "---\n".join({**SESSIONS, "c.yaml": after}.values())}
    found = errors(tmp_path / "u", capsys, {**TWO, "all.yaml": "---\n".join(SESSIONS.values())}, one_file)
    assert found == {"Job": expected, "Other": NOTHING}


PATCH = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: q}
spec: {flinkConfiguration: {pipeline.generic-types: "true"}, job: {parallelism: 3}}
"""
OVERLAY = {
    "k/base/kustomization.yaml": "resources: [o.yaml, q.yaml]\n",
    "k/base/o.yaml": manifest(),
    "k/base/q.yaml": manifest("q", main="Other"),
    "k/prod/kustomization.yaml": "resources: [../base]\nnamePrefix: prod-\npatches: [{path: q-patch.yaml}]\n",
    "k/prod/q-patch.yaml": PATCH,
}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [('"true"', '"false"', UNKNOWN), (": 3", ": 1", OTHER_ID), ("{name: q}", "{name: q, labels: {a: b}}", NOTHING)],
)
def test_a_patch_concerns_what_it_patches(
    old: str, new: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = errors(tmp_path / "r", capsys, {**TWO, **OVERLAY}, {"k/prod/q-patch.yaml": PATCH.replace(old, new)})
    assert found == {"Job": NOTHING, "Other": expected}


MODULES = {
    "pom.xml": POM.replace("<artifactId>jobs</artifactId>", "<modules><module>a</module><module>b</module></modules>"),
    "a/pom.xml": "<project><artifactId>a</artifactId></project>",
    "b/pom.xml": "<project><artifactId>b</artifactId></project>",
    f"a/{MAIN}": java(WITHOUT_UIDS),
    "b/src/main/java/Other.java": java(WITHOUT_UIDS, "Other"),
}
IMAGE = "FROM flink:1.20\nCOPY a/target/a-1.0.jar /opt/flink/usrlib/a.jar\n"
OWN = {"o.yaml": manifest(spec="image: flink:1.20"), "q.yaml": manifest("q", main="Other", spec="image: flink:1.20")}


@pytest.mark.parametrize(
    ("program", "files", "edit", "expected"),
    [
        (MODULES, {"docker/a.Dockerfile": IMAGE}, ("1.20", "1.19"), (UNKNOWN, NOTHING)),
        (MODULES, {"docker/all.Dockerfile": "FROM flink:1.20\n"}, ("1.20", "1.19"), (UNKNOWN, UNKNOWN)),
        (MODULES, {"a/conf/config.yaml": "parallelism: {default: 2}\n"}, ("2", "1"), (UNKNOWN, NOTHING)),
        (MODULES, {"conf/config.yaml": "parallelism: {default: 2}\n"}, ("2", "1"), (UNKNOWN, UNKNOWN)),
        (TWO, {"q.yaml": OWN["q.yaml"], "o.yaml": OWN["o.yaml"]}, ("1.20", "1.19"), (NOTHING, UNKNOWN)),
        (TWO, {"conf/flink-conf.yaml": "parallelism.default: 2\n", **OWN}, (": 2", ": 1"), (NOTHING, NOTHING)),
    ],
)
def test_an_image_or_configuration_of_others(
    program: dict[str, str], files: dict[str, str], edit: tuple[str, str],
    expected: tuple[set[str], set[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = next(iter(files))
    after = {path: files[path].replace(*edit)}
    found = errors(tmp_path / "r", capsys, {**program, **files}, after)
    assert (found["Job"], found["Other"]) == expected


def backends(before: str, after: str, mode: str = "savepoint", more: str = "") -> tuple[str, str]:
    return (
        manifest(options=f"state.backend.type: {before}{more}", mode=mode),
        manifest(options=f"state.backend.type: {after}{more}", mode=mode),
    )


REFUSED = {"deployment-mode-refused"}
NATIVE = ", kubernetes.operator.savepoint.format.type: NATIVE"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (*backends("rocksdb", "hashmap"), NOTHING),
        (*backends("rocksdb", "forst"), REFUSED),
        (*backends("rocksdb", "forst", "last-state"), NOTHING),
        (*backends("rocksdb", "hashmap", "last-state"), REFUSED),
        (*backends("rocksdb", "hashmap", more=NATIVE), REFUSED),
        (manifest(), manifest(options="execution.savepoint.ignore-unclaimed-state: true"), NOTHING),
        (manifest(jar="local:///jobs-1.0.jar"), manifest(jar="local:///jobs-1.1.jar"), NOTHING),
        (manifest(jar="local:///other-1.0.jar"), manifest(jar="local:///jobs-1.0.jar"), NOTHING),
        (manifest(jar="local:///jobs-1.0.jar"), manifest(jar="local:///other-1.0.jar"), UNKNOWN),
        (manifest(jar="local:///jobs-${V}.jar"), manifest(jar="local:///jobs-${VERSION}.jar"), NOTHING),
    ],
)
def test_options_and_jars_of_a_resource(
    before: str, after: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert errors(tmp_path / "r", capsys, {**PINNED, "o.yaml": before}, {"o.yaml": after})["Job"] == expected


@pytest.mark.parametrize(
    ("field", "option", "expected"),
    [(None, "true", True), (None, "false", None), (False, "true", False), (True, "false", True), (None, None, None)],
)
def test_the_option_to_drop_state_is_that_of_the_resource(
    field: bool | None, option: str | None, expected: bool | None
) -> None:
    for key in ("execution.state-recovery", "execution.savepoint"):
        started = Deployment(
            kind=DeploymentKind.FLINK_DEPLOYMENT,
            name="o",
            target="",
            location=Location("o.yaml", 1),
            allow_non_restored_state=field,
            configuration=() if option is None else ((f"{key}.ignore-unclaimed-state", option),),
        )
        found = with_deployment(PipelineEntry(name="o", extract=ExtractorKind.JAVA), started).deployment
        assert found is not None
        assert found.allow_non_restored_state is expected


FROM_FILE = {**WITHOUT, MAIN: java(with_uid('ParameterTool.fromPropertiesFile(args[0]).get("uid", "none")'))}
SETTINGS = "uid=a\ntopic=x\n"
NAMED = {
    "k.yaml": manifest(args='["/opt/flink/conf/prod.properties"]'),
    "conf/prod.properties": SETTINGS,
    "conf/dev.properties": SETTINGS,
}


@pytest.mark.parametrize(
    ("path", "after", "expected"),
    [
        ("conf/prod.properties", SETTINGS.replace("uid=a", "uid=b"), UNKNOWN),
        ("conf/prod.properties", SETTINGS.replace("=x", "=y"), NOTHING),
        ("conf/prod.properties", f"# why\n{SETTINGS}", NOTHING),
        ("conf/dev.properties", SETTINGS.replace("uid=a", "uid=b"), NOTHING),
    ],
)
def test_a_file_that_the_start_names_is_the_programs(
    path: str, after: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert errors(tmp_path / "r", capsys, {**FROM_FILE, **NAMED}, {path: after})["Job"] == expected


BY_JAR = manifest(main="", jar="local:///jobs-1.0.jar")
DECLARED = {**TWO, "pom.xml": POM.replace("<properties>", "<mainClass>Job</mainClass><properties>")}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("parallelism: 2", "parallelism: 1"), (OTHER_ID, NOTHING)),
        (("jobs-1.0", "jobs-1.1"), (NOTHING, NOTHING)),
        (("jobs-1.0", "other"), (UNKNOWN, NOTHING)),
    ],
)
def test_a_resource_of_the_program_that_the_build_declares(
    edit: tuple[str, str], expected: tuple[set[str], set[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**DECLARED, "o.yaml": BY_JAR, "p.yaml": manifest("p", main="", jar="local:///jobs-1.0.jar")}
    found = errors(tmp_path / "r", capsys, files, {"o.yaml": BY_JAR.replace(*edit)})
    assert (found["Job"], found["Other"]) == expected


def test_the_parallelism_of_a_job_of_kubernetes_is_none_of_flink(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = manifest() + "---\nkind: Job\nmetadata: {name: setup}\nspec:\n  parallelism: 2\n"
    before = {**WITHOUT, "o.yaml": text}
    after = {"o.yaml": text.replace("  parallelism: 2", "  parallelism: 1")}
    assert errors(tmp_path / "r", capsys, before, after) == {"Job": NOTHING}
    assert errors(tmp_path / "s", capsys, before, {"o.yaml": text.replace(", parallelism: 2", "")})["Job"] != NOTHING


@pytest.mark.parametrize(
    ("program", "first", "expected"),
    [
        (PINNED, manifest(parallelism=""), set()),
        (PINNED, manifest(), set()),
        (WITHOUT, manifest(), {"undecided"}),
        (WITHOUT, manifest(parallelism=""), {"edit-not-understood"}),
        (PINNED, manifest(options='pipeline.max-parallelism: "256"'), {"max-parallelism-changed"}),
        (PINNED, manifest(mode="stateless"), set()),  # it may never have run
        (BY_ARGUMENT, manifest(), {"undecided"}),
    ],
)
def test_the_first_manifest_of_a_pipeline(
    program: dict[str, str], first: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = errors(tmp_path, capsys, program, {"deploy/o.yaml": first})["Job"]
    assert found == expected


@pytest.mark.parametrize("path", [".circleci/config.yml", "azure-pipelines.yml", "job.service", "bin/submit"])
def test_commands_in_files_of_other_tools(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = "run: /opt/flink run -p 2 -c Job job.jar --uid a\nname: x\n"
    files = {**BY_ARGUMENT, path: start}
    assert errors(tmp_path / "r", capsys, files, {path: start.replace("--uid a", "--uid b")})["Job"] == {"uid-renamed"}
    assert errors(tmp_path / "s", capsys, files, {path: start.replace("name: x", "name: y")})["Job"] == set()


def test_of_modules_whose_jars_are_called_alike_the_nearest_is_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = POM.replace("</project>", "<build><finalName>app</finalName></build></project>")
    files = {
        f"{module}/{path}": text
        for module, name in (("one", "One"), ("two", "Two"))
        for path, text in (
            ("pom.xml", build.replace("jobs", module)),
            (f"src/main/java/{name}.java", java(WITHOUT_UIDS, name)),
            ("k8s/job.yaml", manifest(module, main="", jar="local:///app.jar")),
        )
    }
    fewer = {path: files[path].replace("parallelism: 2", "parallelism: 1") for path in ("one/k8s/job.yaml",)}
    assert errors(tmp_path / "r", capsys, files, fewer) == {"One": OTHER_ID, "Two": NOTHING}
    moved = {"k8s/one.yaml": files.pop("one/k8s/job.yaml"), **files}
    fewer = {"k8s/one.yaml": moved["k8s/one.yaml"].replace("parallelism: 2", "parallelism: 1")}
    assert errors(tmp_path / "s", capsys, moved, fewer)["One"] >= OTHER_ID


def test_a_module_with_several_programs_leaves_its_manifest_to_no_other_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = POM.replace("</project>", "<build><finalName>app</finalName></build></project>")
    files = {
        **{f"{m}/pom.xml": build.replace("jobs", m) for m in ("one", "two")},
        **{f"one/src/main/java/{name}.java": java(WITHOUT_UIDS, name) for name in ("One", "Other")},
        "two/src/main/java/Two.java": java(WITHOUT_UIDS, "Two"),
        **{f"{m}/job.yaml": manifest(m, main="", jar="local:///app.jar") for m in ("one", "two")},
    }
    fewer = {"one/job.yaml": files["one/job.yaml"].replace("parallelism: 2", "parallelism: 1")}
    unsure = {"edit-not-understood"}
    assert errors(tmp_path, capsys, files, fewer) == {"One": unsure, "Other": unsure, "Two": NOTHING}


def test_starts_of_benchmarks_are_no_deployments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = '#!/bin/sh\nfor main in $MAINS; do\n  flink run -d -p 4 -c "$main" jobs.jar --uid a\ndone\n'
    for number, (folder, expected) in enumerate((("bench", NOTHING), ("deploy", {"edit-not-understood"}))):
        before = {**TWO, f"{folder}/run.sh": start}
        found = errors(tmp_path / str(number), capsys, before, {f"{folder}/run.sh": start.replace("-p 4", "-p 1")})
        assert found == {"Job": expected, "Other": expected}
