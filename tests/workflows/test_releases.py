"""Charts and overlays as Argo CD and Flux deploy them: their values decide, and everything else is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.extract.deployments import deployments
from checker.model.sources import MemoryFiles
from tests.workflows.deployed import BY_ARGUMENT, WITHOUT, errors, manifest

CHART = {
    "chart/Chart.yaml": "name: c\n",
    "chart/values.yaml": "job: {uid: z, parallelism: 5}\nimage: {tag: v0}\n",
    "chart/templates/j.yaml": manifest(
        args='["--uid", {{ .Values.job.uid | quote }}]',
        parallelism="{{ .Values.job.parallelism }}",
        spec="image: a:{{ .Values.image.tag }}",
    ),
}
KUSTOMIZED = {"k/kustomization.yaml": "resources: [o.yaml]\n", "k/o.yaml": manifest(args='["--uid", a]')}
HEAD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: orders}
spec:
  source:
    path: chart
"""
BY_FILE = f"{HEAD}    helm: {{valueFiles: [../env/prod.yaml]}}\n"
OF_OTHER_SOURCE = (
    HEAD.replace("source:", "sources:").replace("    path", "  - repoURL: x\n    path")
    + "    helm: {valueFiles: [$values/env/prod.yaml]}\n  - {repoURL: x, ref: values}\n"
)
PARAMETERS = f"""{HEAD}    helm:
      parameters:
        - {{name: job.uid, value: a}}
        - {{name: job.parallelism, value: "2"}}
        - {{name: image.tag, value: v1}}
"""
BLOCK = "        job:\n          uid: a\n          parallelism: 2\n        image: {tag: v1}\n"
FLUX = "kind: HelmRelease\nmetadata: {name: orders}\nspec:\n  chart: {spec: {chart: ./chart}}\n  values:\n" + BLOCK
SET = """kind: ApplicationSet
metadata: {name: all}
spec:
  generators: [{list: {elements: [{stage: prod, uid: a, tag: v1}]}}]
  template:
    metadata: {name: "orders-{{stage}}"}
    spec: {source: {path: chart, helm: {valueFiles: ["/env/{{stage}}.yaml"], parameters: [{name: job.uid, value: "{{.uid}}"}]}}}
"""  # noqa: E501
OVERLAY = f"""{HEAD.replace("path: chart", "path: k")}    kustomize:
      commonLabels: {{tag: v1}}
      patches:
        - target: {{kind: FlinkDeployment}}
          patch: |-
            - {{op: replace, path: /spec/job/parallelism, value: 2}}
            - {{op: replace, path: /spec/job/args/1, value: a}}
"""
OTHER_UID, OTHER_PARALLELISM = {"uid-renamed"}, {"stateful-id-changed"}


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("a.yaml", {**CHART, "a.yaml": PARAMETERS}),
        ("a.yaml", {**CHART, "a.yaml": f"{HEAD}    helm:\n      values: |\n{BLOCK}"}),
        ("a.yaml", {**CHART, "a.yaml": f"{HEAD}    helm:\n      valuesObject:\n{BLOCK}"}),
        ("env/prod.yaml", {**CHART, "a.yaml": BY_FILE, "env/prod.yaml": BLOCK}),
        ("env/prod.yaml", {**CHART, "a.yaml": OF_OTHER_SOURCE, "env/prod.yaml": BLOCK}),
        ("a.yaml", {**CHART, "a.yaml": FLUX}),
        ("a.yaml", {**KUSTOMIZED, "a.yaml": OVERLAY}),
    ],
)  # fmt: skip
def test_what_a_release_gives_is_what_the_job_runs_with(
    path: str, files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def found(program: dict[str, str], *edits: tuple[str, str]) -> set[str]:
        text = files[path]
        for old, new in edits:
            text = text.replace(old, new)
        assert text != files[path]
        folder = tmp_path / f"{edits[0][1]}{len(program['src/main/java/Job.java'])}".replace(" ", "").replace('"', "")
        return errors(folder, capsys, {**program, **files}, {path: text})["Job"]

    parallelism = (("parallelism: 2", "parallelism: 1"), ('value: "2"', 'value: "1"'), ("value: 2", "value: 1"))
    assert found(BY_ARGUMENT, ("uid: a", "uid: b"), ("value: a", "value: b")) == OTHER_UID
    assert found(WITHOUT, *parallelism) == OTHER_PARALLELISM
    assert found(WITHOUT, ("v1", "v2")) == found(BY_ARGUMENT, ("v1", "v2")) == set()


def test_each_release_is_an_environment_and_what_is_above_wins() -> None:
    above = PARAMETERS.replace(
        "      parameters", "      values: '{job: {uid: low, parallelism: 9}}'\n      parameters"
    )
    files = {**CHART, "a.yaml": above, "b.yaml": SET, "env/prod.yaml": "job: {uid: low, parallelism: 3}\n"}
    found = deployments(MemoryFiles({path: text.encode() for path, text in files.items()}))
    assert [(d.target, d.args, d.parallelism) for d in found] == [
        ("orders", ("--uid", "a"), 2),
        ("orders-prod", ("--uid", "a"), 3),
    ]
    assert {"a.yaml", "chart/values.yaml"} <= set(found[0].files)
    assert {"b.yaml", "env/prod.yaml"} <= set(found[1].files)


TEMPLATE = CHART["chart/templates/j.yaml"]
NEEDS_HELM = {**CHART, "chart/templates/j.yaml": f"{{{{- if lookup 1 }}}}\n{TEMPLATE}{{{{- end }}}}\n"}


@pytest.mark.parametrize(
    ("path", "files", "edit", "harmless"),
    [
        ("a.yaml", {"a.yaml": PARAMETERS}, ("value: a", "value: b"), ("value: v1", "value: v2")),
        ("a.yaml", {"a.yaml": PARAMETERS}, ("value: a", "value: b"), ("path:", "targetRevision: v2\n    path:")),
        ("env/prod.yaml", {"a.yaml": BY_FILE, "env/prod.yaml": BLOCK}, ("uid: a", "uid: b"), ("tag: v1", "tag: v2")),
    ],
)
def test_what_is_given_to_a_chart_that_needs_helm_is_an_open_edit(
    path: str, files: dict[str, str], edit: tuple[str, str], harmless: tuple[str, str],
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    before = {**BY_ARGUMENT, **NEEDS_HELM, **files}
    after = {path: files[path].replace(*edit)}
    assert errors(tmp_path / "r", capsys, before, after)["Job"] == {"edit-not-understood"}
    assert errors(tmp_path / "s", capsys, before, {path: files[path].replace(*harmless)})["Job"] == set()
