"""Values of charts that are not in the repository: what they may give is not known, and no edit of them passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.deployed import BY_ARGUMENT, PINNED, errors, manifest

UNKNOWN, RENAMED, NOTHING = {"edit-not-understood"}, {"uid-renamed"}, set[str]()
OPEN = {"edit-not-understood", "undecided"}
CHART = {
    "chart/Chart.yaml": "name: c\n",
    "chart/values.yaml": "uid: a\nlevel: info\n",
    "chart/templates/j.yaml": manifest(args='["--uid", {{ .Values.uid | quote }}]', options="l: '{{ .Values.level }}'"),
}
FLUX = """\
kind: HelmRelease
metadata: {name: orders}
spec:
  chart: {spec: {chart: ./chart}}
  valuesFrom:
    - {kind: ConfigMap, name: given}
  values: {level: warn}
"""
WITHOUT_REFERENCE = FLUX.replace("  valuesFrom:\n    - {kind: ConfigMap, name: given}\n", "")
CONFIG_MAP = "kind: ConfigMap\nmetadata: {name: given}\ndata:\n  values.yaml: |\n    uid: c\n  note: one\n"
BY_TARGET = {
    "r.yaml": FLUX.replace("name: given}", "name: given, valuesKey: it, targetPath: uid}"),
    "c.yaml": "kind: ConfigMap\nmetadata: {name: given}\ndata: {it: c, note: one}\n",
}
HELM = "helm upgrade --install j ./chart -f chart/values.yaml -f /secrets/prod.yaml --set level=warn\n"


@pytest.mark.parametrize(
    ("files", "path", "before", "after", "rules"),
    [
        ({"r.yaml": FLUX, "c.yaml": CONFIG_MAP}, "c.yaml", "uid: c", "uid: d", RENAMED),
        ({"r.yaml": FLUX, "c.yaml": CONFIG_MAP}, "c.yaml", "one", "two", NOTHING),
        ({"r.yaml": FLUX, "c.yaml": CONFIG_MAP}, "chart/values.yaml", "uid: a", "uid: b", NOTHING),
        (BY_TARGET, "c.yaml", "it: c", "it: d", RENAMED),
        (BY_TARGET, "c.yaml", "one", "two", NOTHING),
        ({"r.yaml": FLUX}, "chart/values.yaml", "uid: a", "uid: b", UNKNOWN),
        ({"r.yaml": FLUX}, "chart/values.yaml", "level: info", "level: debug", NOTHING),
        ({"r.yaml": FLUX}, "r.yaml", "given", "given-2", UNKNOWN),
        ({"r.yaml": FLUX}, "r.yaml", FLUX, WITHOUT_REFERENCE, OPEN),
        ({"d.sh": HELM}, "d.sh", "prod.yaml", "other.yaml", UNKNOWN),
        ({"d.sh": HELM}, "chart/values.yaml", "uid: a", "uid: b", UNKNOWN),
        ({"d.sh": HELM}, "d.sh", "level=warn", "level=debug", NOTHING),
        ({"d.sh": HELM.replace("-f /secrets/prod.yaml ", "")}, "d.sh", "--set", "-f /secrets/prod.yaml --set", OPEN),
        ({"d.sh": HELM.replace("level=warn", "uid=a")}, "d.sh", "uid=a", "uid=b", RENAMED),
    ],
)
def test_values_that_are_not_in_the_repository(
    files: dict[str, str], path: str, before: str, after: str, rules: set[str],
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    every = {**BY_ARGUMENT, **CHART, **files}
    assert before in every[path]
    assert errors(tmp_path, capsys, every, {path: every[path].replace(before, after)})["Job"] == rules


def test_nothing_depends_on_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    every = {**PINNED, **CHART, "d.sh": HELM}
    assert errors(tmp_path, capsys, every, {"d.sh": HELM.replace("prod.yaml", "other.yaml")})["Job"] == NOTHING
