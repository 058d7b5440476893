"""Charts that helm in scripts, helmfile, kustomize and Terraform release: the values that these give decide."""

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
OTHER_OWN = CHART["chart/values.yaml"].replace("uid: z", "uid: y")
VALUES = {"env/prod.yaml": "job: {uid: a}\nimage: {tag: v1}\n"}
SCRIPT = "helm upgrade --install orders ./chart \\\n  -f env/prod.yaml --set image.pullPolicy=Always\n"
TERRAFORM = 'resource "helm_release" "o" {\n  chart = "${path.module}/../chart"\n'
IN_KUSTOMIZATION = "helmGlobals: {chartHome: ..}\nhelmCharts:\n- {name: chart, valuesFile: ../env/prod.yaml}\n"
INLINE = IN_KUSTOMIZATION.replace("valuesFile: ../env/prod.yaml", "valuesInline: {job: {uid: a}, x: v1}")
SET = '  set {\n    name = "job.uid"\n    value = "uid: a"\n  }\n  version = "v1"\n}\n'


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("deploy.sh", SCRIPT),
        ("deploy.sh", "STAGE=prod\n" + SCRIPT.replace("env/prod", "env/$STAGE")),
        ("ci/deploy.sh", SCRIPT.replace("env/prod", "env/${STAGE}")),
        ("Makefile", f"up:\n\t{SCRIPT.replace('env/prod', 'env/$(STAGE)')}"),
        (".gitlab-ci.yml", f"deploy:\n  script:\n    - {SCRIPT.replace(chr(92) + chr(10), '')}"),
        ("helmfile.yaml", "releases:\n- {name: o, chart: ./chart, values: [env/prod.yaml, {a: b}]}\n"),
        ("k/kustomization.yaml", IN_KUSTOMIZATION),
        ("infra/main.tf", TERRAFORM + '  values = [file("${path.module}/../env/prod.yaml")]\n}\n'),
    ],
)
def test_value_files_that_a_tool_is_given_decide(
    path: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = {**BY_ARGUMENT, **CHART, **VALUES, path: text}

    def found(name: str, file: str, old: str, new: str) -> set[str]:
        assert old in tree[file]
        return errors(tmp_path / name, capsys, tree, {file: tree[file].replace(old, new)})["Job"]

    assert found("uid", "env/prod.yaml", "uid: a", "uid: b") == OTHER_UID
    assert found("tag", "env/prod.yaml", "v1", "v2") == set()
    assert found("own", "chart/values.yaml", "uid: z", "uid: y") == set()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("deploy.sh", "helm install orders chart --set-string image.tag=v1,job.uid=a\n"),
        ("helmfile.yaml", "releases:\n- chart: ./chart\n  set: [{name: job.uid, value: a}, {name: x, value: v1}]\n"),
        ("helmfile.yaml", "releases:\n- chart: ./chart\n  values: [{job: {uid: a}, image: {tag: v1}}]\n"),
        ("k/kustomization.yaml", INLINE),
        ("infra/main.tf", TERRAFORM + SET),
    ],
)  # fmt: skip
def test_values_that_a_tool_is_given_decide(
    path: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = {**BY_ARGUMENT, **CHART, path: text}
    uid = text.replace("uid: a", "uid: b").replace("uid=a", "uid=b").replace("value: a", "value: b")
    assert errors(tmp_path / "uid", capsys, tree, {path: uid})["Job"] == OTHER_UID
    assert errors(tmp_path / "tag", capsys, tree, {path: text.replace("v1", "v2")})["Job"] == set()
    assert errors(tmp_path / "own", capsys, tree, {"chart/values.yaml": OTHER_OWN})["Job"] == set()


def test_a_command_leaves_the_value_files_of_the_chart_that_it_does_not_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = "chart/values-prod.yaml"
    tree = {**BY_ARGUMENT, **CHART, own: "job: {uid: a}\n", "dev.sh": "helm install o chart --set job.uid=d\n"}
    assert errors(tmp_path / "own", capsys, tree, {own: "job: {uid: b}\n"})["Job"] == OTHER_UID


def test_a_variable_that_a_command_hands_on_may_be_set_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = {
        **BY_ARGUMENT, **CHART, "ci/vars.yml": "variables:\n  STAGE_UID: a\n  OTHER: a\n",
        "deploy.sh": 'helm upgrade -i o ./chart --set "job.uid=$STAGE_UID"\n',
    }  # fmt: skip
    edited = {"ci/vars.yml": "variables:\n  STAGE_UID: b\n  OTHER: a\n"}
    assert "edit-not-understood" in errors(tmp_path / "uid", capsys, tree, edited)["Job"]
    edited = {"ci/vars.yml": "variables:\n  STAGE_UID: a\n  OTHER: b\n"}
    assert "edit-not-understood" not in errors(tmp_path / "other", capsys, tree, edited)["Job"]
