"""Files with values that are none: numbers of 5,000 digits, tags that lie, brackets in brackets. Commands end."""

from pathlib import Path

import pytest
import yaml

from checker.extract.deployments.overlays import documents
from checker.extract.texts import json_documents, yaml_documents
from tests.hostile.commands import command, refused
from tests.hostile.mutations import FILES
from tests.scratch import Scratch

LONG = "9" * 5_000
DEEP = "[" * 50_000
YAML = (
    f"a: {LONG}", "a: 2024-13-45", "a: !!int ''", "a: !!bool x", "a: !!timestamp foo", "a: !!float ''", "a: 1e99999",
    "a: !!binary '***'", "? [a]\n: b", "a: !!python/object:os.system x", "a: !!int 0b", "<<: x", "!!omap [a]", DEEP,
    "a: &a\n  <<: *a", "a: 2001-12-14 21:59:43 +99:99",
)  # fmt: skip
DEPLOYMENT = FILES["deploy/orders.yaml"]
DAMAGED = {
    "deploy/orders.yaml": [f"{DEPLOYMENT}---\n{text}\n" for text in YAML],
    "jobs/other.topology.yaml": [f"{FILES['jobs/orders.topology.yaml']}{text}\n" for text in YAML],
    "compose.yaml": [f"{FILES['compose.yaml']}{text}\n" for text in YAML],
    "overlays/prod/kustomization.yaml": [
        "resources: 5\n",
        "patches: x\n",
        f"resources: {DEEP}\n",
        "resources: [[.]]\n",
    ],
    "jobs/plan.json": [f'{{"flinkVersion": {LONG}}}', DEEP, '{"flinkVersion": "1.20", "nodes": {}}'],
    "Dockerfile": [f"FROM flink:1.20\nENTRYPOINT {DEEP}\n", f"FROM flink:1.20\nCMD [{LONG}]\n"],
    "start.sh": [f"flink run {DEEP}{']' * 50_000}\n", f"curl -d '{DEEP}' http://x/jars/a.jar/run\n"],
    "pom.xml": ["<a>" * 50_000 + "</a>" * 50_000],
    "gradle/libs.versions.toml": [f"[versions]\nflink = {LONG}\n", f"[versions]\nflink = {DEEP}\n"],
    "jobs/job.py": ["a = " + "(" * 5_000, "a = " + "-" * 90_000 + "1\n", f"a = {LONG}\n", "a" + ".b" * 50_000 + "\n"],
    "src/main/java/Job.java": [
        FILES["src/main/java/Job.java"].replace("x + 1", "(" * 20_000 + "1" + ")" * 20_000),
        FILES["src/main/java/Job.java"].replace("x + 1", "-" * 20_001 + "1"),
        "class A {" * 20_000,
    ],
}
OURS = {
    "savepoint-checker.toml": [f"flink = {LONG}\n", f"flink = {DEEP}\n"],
    "savepoint-mapping.toml": [f"a = {LONG}\n", f"a = {DEEP}\n"],
}


@pytest.mark.parametrize("text", YAML, ids=range(len(YAML)))
def test_what_is_not_yaml_is_an_error_of_yaml(text: str) -> None:
    documents(text)
    try:
        yaml_documents(text)
    except yaml.YAMLError:
        assert json_documents(text) == ()


def test_documents_behind_each_other_are_read_in_one_go() -> None:
    assert len(json_documents("{} " * 200_000)) == 200_000


@pytest.mark.parametrize("path", DAMAGED)
def test_a_check_ends(path: str, tmp_path: Path) -> None:
    repository = Scratch(tmp_path / "repository")
    repository.commit(**{name: text for name, text in FILES.items() if not name.endswith(".sql")})
    texts = DAMAGED[path]
    folder, _, name = path.rpartition("/")
    for number, text in enumerate(texts):
        repository.write(f"{folder}/{number}/{name}" if folder else f"{number}/{name}", text)
    repository.commit()
    assert command(repository.folder, "check", "--base", "HEAD~1", "--engine", "in-process").code in (0, 1)


@pytest.mark.parametrize("path", OURS)
def test_configuration_that_is_none_is_an_error(path: str, tmp_path: Path) -> None:
    repository = Scratch(tmp_path / "repository")
    repository.commit(**{"jobs/orders.topology.yaml": FILES["jobs/orders.topology.yaml"]})
    for text in OURS[path]:
        repository.commit(**{path: text})
        refused(repository.folder, "check", "--base", "HEAD~1", "--engine", "in-process", why=path)
