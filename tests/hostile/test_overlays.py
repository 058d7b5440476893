"""Overlays of kustomize that name each other many times."""

import pytest

from checker.errors import RevisionError
from checker.extract.deployments import overlays as reading
from checker.extract.deployments.overlays import Overlays

DEPLOYMENT = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: a}\nspec: {}\n"
FAN = {"0/kustomization.yaml": "resources: [a.yaml]\n", "0/a.yaml": DEPLOYMENT} | {
    f"{n}/kustomization.yaml": f"resources: [{', '.join([f'../{n - 1}'] * 9)}]\n" for n in range(1, 11)
}
PATCHES = {
    "a/kustomization.yaml": "resources: [" + "a.yaml, " * 2_000 + "]\npatches: [" + "{path: p.yaml}, " * 2_000 + "]\n",
    "a/a.yaml": DEPLOYMENT,
    "a/p.yaml": DEPLOYMENT,
}
COMPONENTS = {"a/kustomization.yaml": "resources: [a.yaml]\ncomponents: [" + "., " * 9 + "]\n", "a/a.yaml": DEPLOYMENT}


@pytest.mark.parametrize(
    ("texts", "top"), [(FAN, "10"), (PATCHES, "a"), (COMPONENTS, "a")], ids=["fan", "patches", "own"]
)
def test_what_fans_out_is_counted(texts: dict[str, str], top: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_WORK", reading.MOST_WORK // 10)
    overlays = Overlays(texts)
    assert set(overlays.files_below(top)) <= set(texts)
    with pytest.raises(RevisionError, match="too many resources"):
        overlays.resources(top)


def test_a_chain_of_overlays_names_all_its_files() -> None:
    chain = {f"{n}/kustomization.yaml": f"resources: [../{n - 1}, ../{n + 1}]\n" for n in range(200)}
    assert len(Overlays(chain).files_below("199")) == 202


@pytest.mark.parametrize(
    "text", ["resources: 5\n", "patches: {a: b}\n", "components: text\n", "resources: [[a], {b: c}]\n"]
)
def test_what_is_no_list_names_nothing(text: str) -> None:
    overlays = Overlays({"a/kustomization.yaml": text})
    assert overlays.leaves() == ("a",)
    assert overlays.resources("a") == ()


def test_a_long_path_in_a_patch_is_not_followed() -> None:
    step = f"{{op: add, path: {'/a' * 50_000}, value: 1}}"
    patch = f"patches:\n  - patch: |-\n      - {step}\n    target: {{kind: FlinkDeployment}}\n"
    texts = {"a/kustomization.yaml": f"resources: [a.yaml]\n{patch}", "a/a.yaml": DEPLOYMENT}
    assert len(Overlays(texts).resources("a")) == 1
