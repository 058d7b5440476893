"""Sets of applications, charts that have others as parts, and inputs of workflows: what they give decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.deployed import BY_ARGUMENT, errors, manifest

OTHER_UID = {"uid-renamed"}
CHART = {
    "chart/Chart.yaml": "name: orders\n",
    "chart/values.yaml": "job: {uid: z}\nimage: {tag: v0}\n",
    "chart/templates/j.yaml": manifest(
        args='["--uid", {{ .Values.job.uid | quote }}]', spec="image: a:{{ .Values.image.tag }}"
    ),
}


def application_set(generators: str, *, more: str = "", parameter: str = "{{uid}}") -> str:
    return f"""apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: all}}
spec:
  {more}
  generators: [{generators}]
  template:
    metadata: {{name: "orders-{{{{path.basename}}}}"}}
    spec: {{source: {{path: chart, helm: {{parameters: [{{name: job.uid, value: "{parameter}"}}]}}}}}}
"""


FILES = 'git: {files: [{path: "envs/*/config.yaml"}, {path: envs/old/config.yaml, exclude: true}]}'
JSON = 'git: {files: [{path: "**/config.json"}]}'
NESTED = {"envs/prod/config.yaml": "job:\n  uid: a\nteam: blue\n"}
MATRIX = f"matrix: {{generators: [{{list: {{elements: [{{tier: prod}}]}}}}, {{{FILES.replace('*', '{{tier}}')}}}]}}"
MERGE = f"merge: {{mergeKeys: [id], generators: [{{list: {{elements: [{{id: x, uid: q}}]}}}}, {{{FILES}}}]}}"


@pytest.mark.parametrize(
    ("set_", "files"),
    [
        (application_set(f"{{{FILES}}}"), {"envs/prod/config.yaml": "uid: a\nteam: blue\n"}),
        (application_set(f"{{{FILES}}}", parameter="{{job.uid}}"), NESTED),
        (application_set(f"{{{FILES}}}", parameter="{{ .job.uid }}", more="goTemplate: true"), NESTED),
        (application_set(f"{{{JSON}}}"), {"x/y/config.json": '[{"uid": "a", "team": "blue"}]'}),
        (application_set(f"{{{MATRIX}}}"), {"envs/prod/config.yaml": "uid: a\nteam: blue\n"}),
        (application_set(f"{{{MERGE}}}"), {"envs/prod/config.yaml": "id: x\nuid: a\nteam: blue\n"}),
    ],
)
def test_files_of_parameters_decide(
    set_: str, files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = {**BY_ARGUMENT, **CHART, "argo.yaml": set_, **files, "envs/old/config.yaml": "uid: a\nid: y\n"}
    ((path, text),) = files.items()
    uid = text.replace("uid: a", "uid: b").replace('"uid": "a"', '"uid": "b"')
    assert errors(tmp_path / "uid", capsys, tree, {path: uid})["Job"] == OTHER_UID
    assert errors(tmp_path / "team", capsys, tree, {path: text.replace("blue", "red")})["Job"] == set()
    overridden = {"chart/values.yaml": "job: {uid: y}\nimage: {tag: v0}\n"}
    assert errors(tmp_path / "chart", capsys, tree, overridden)["Job"] == set()
    assert errors(tmp_path / "old", capsys, tree, {"envs/old/config.yaml": "uid: b\nid: y\n"})["Job"] == set()


@pytest.mark.parametrize("generator", ['git: {directories: [{path: "apps/*"}]}', "clusters: {}"])
def test_value_files_that_are_named_by_parameters_decide(
    generator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "{{path.basename}}" if "git" in generator else "{{name}}"
    set_ = application_set(f"{{{generator}}}").replace(
        'parameters: [{name: job.uid, value: "{{uid}}"}]', f'valueFiles: ["/apps/{name}/values.yaml"]'
    )
    tree = {**BY_ARGUMENT, **CHART, "argo.yaml": set_, "apps/prod/values.yaml": "job: {uid: a}\n"}
    prod = {"apps/prod/values.yaml": "job: {uid: b}\n"}
    assert errors(tmp_path / "uid", capsys, tree, prod)["Job"] == OTHER_UID
    tag = {"apps/prod/values.yaml": "job: {uid: a}\nimage: {tag: v1}\n"}
    assert errors(tmp_path / "tag", capsys, tree, tag)["Job"] == set()


PART = {path.replace("chart/", "all/charts/orders/"): text for path, text in CHART.items()}
BESIDE = {path.replace("chart/", "orders/"): text for path, text in CHART.items()}
WHOLE = """name: all
dependencies:
  - {name: orders, repository: REPOSITORY, MORE}
  - {name: web, repository: "https://example.com"}
"""


@pytest.mark.parametrize(
    ("chart", "parts", "key"),
    [
        (WHOLE.replace("REPOSITORY, MORE", "x, condition: orders.enabled"), PART, "orders"),
        (WHOLE.replace("REPOSITORY, MORE", "x, alias: feed, tags: [jobs]"), PART, "feed"),
        (WHOLE.replace("REPOSITORY, MORE", '"file://../orders"'), BESIDE, "orders"),
        ("name: all\n", PART, "orders"),
    ],
)
def test_a_chart_that_has_others_as_parts_gives_them_values(
    chart: str, parts: dict[str, str], key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = (
        f"{key}: {{enabled: true, job: {{uid: a}}, image: {{tag: v1}}}}\nweb: {{color: red}}\ntags: {{jobs: true}}\n"
    )
    tree = {**BY_ARGUMENT, **parts, "all/Chart.yaml": chart, "all/values.yaml": values}

    def found(name: str, old: str, new: str) -> set[str]:
        assert old in values
        return errors(tmp_path / name, capsys, tree, {"all/values.yaml": values.replace(old, new)})["Job"]

    assert found("uid", "uid: a", "uid: b") == OTHER_UID
    assert found("web", "red", "blue") == found("tag", "v1", "v2") == set()
    assert found("default", "job: {uid: a}, ", "") == OTHER_UID
    own = next(path for path in parts if path.endswith("values.yaml"))
    assert errors(tmp_path / "own", capsys, tree, {own: "job: {uid: y}\nimage: {tag: v0}\n"})["Job"] == set()
    if "condition" in chart:
        assert found("off", "enabled: true", "enabled: false")
    if "tags" in chart:
        assert found("off", "jobs: true", "jobs: false")


def test_values_of_a_part_that_needs_helm_are_not_understood(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = "all/charts/orders/templates/j.yaml"
    tree = {
        **BY_ARGUMENT,
        **PART,
        template: PART[template] + '# {{ lookup "v1" "Secret" "a" "b" }}\n',
        "all/Chart.yaml": "name: all\n",
        "all/values.yaml": "orders: {job: {uid: a}}\n",
        "all/charts/web/Chart.yaml": "name: web\n",
        "all/charts/web/values.yaml": "color: red\n",
    }
    job = {"all/values.yaml": "orders: {job: {uid: b}}\n"}
    assert errors(tmp_path / "job", capsys, tree, job)["Job"] == {"edit-not-understood"}
    assert errors(tmp_path / "web", capsys, tree, {"all/charts/web/values.yaml": "color: blue\n"})["Job"] == set()


WORKFLOW = """\
on:
  workflow_dispatch:
    inputs:
      uid:
        description: of the operator
        default: a
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - run: flink run -d -c Job target/job.jar --uid ${{ inputs.uid }}
"""
DEPLOY = ".github/workflows/deploy.yml"


@pytest.mark.parametrize(
    ("workflow", "expected"),
    [
        (WORKFLOW, OTHER_UID),
        (WORKFLOW.replace("inputs.uid", "github.event.inputs.uid"), OTHER_UID),
        (WORKFLOW.replace("on:\n", "on:\n  push:\n"), {"edit-not-understood", "undecided"}),
    ],
)
def test_a_default_of_an_input_decides(
    workflow: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def found(name: str, old: str, new: str) -> set[str]:
        tree = {**BY_ARGUMENT, DEPLOY: workflow}
        return errors(tmp_path / name, capsys, tree, {DEPLOY: workflow.replace(old, new)})["Job"]

    known = expected == OTHER_UID
    assert found("default", "default: a", "default: b") & expected
    assert found("literal", "${{ inputs.uid }}", "b") or "event" in workflow
    assert ("edit-not-understood" in found("words", "of the operator", "of it")) is False
    assert not known or found("runner", "ubuntu-latest", "ubuntu-24.04") == set()


def test_another_entry_of_a_matrix_is_not_what_the_line_before_it_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = "\n".join(f"          - env: {env}\n            uid: {uid}" for env, uid in (("prod", "a"), ("dev", "d")))
    strategy = f"    strategy:\n      matrix:\n        include:\n{entries}\n    runs-on"
    workflow = WORKFLOW.replace("inputs.uid", "matrix.uid").replace("    runs-on", strategy)
    tree = {**BY_ARGUMENT, DEPLOY: workflow}
    named = {DEPLOY: workflow.replace("env: dev", "env: devel")}
    assert "edit-not-understood" not in errors(tmp_path / "env", capsys, tree, named)["Job"]
    changed = {DEPLOY: workflow.replace("uid: d", "uid: e")}
    assert "edit-not-understood" in errors(tmp_path / "uid", capsys, tree, changed)["Job"]
