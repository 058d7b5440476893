"""Manifests that a script fills in with ``envsubst`` or ``sed``, or Ansible as a template: what is edited where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.deployed import BY_ARGUMENT, WITHOUT, errors


def written(parallelism: str, uid: str) -> str:
    """A manifest whose values are lines of their own, as templates have them."""
    return f"""\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: o}}
spec:
  image: IMAGE
  flinkVersion: v1_20
  job:
    entryClass: Job
    jarURI: local:///jobs.jar
    upgradeMode: savepoint
    parallelism: {parallelism}
    args: ["--uid", "{uid}"]
"""


JOB, RUN = "deploy/job.yaml", "deploy/run.sh"
FILLED = written("${PAR}", "${UID_OF}")
MARKED = written("__PAR__", "__UID__")
EXPORTS = "export PAR=4\nexport UID_OF=a\n"
ENVSUBST = {JOB: FILLED, RUN: f"{EXPORTS}envsubst < deploy/job.yaml | kubectl apply -f -\n"}
SED = {JOB: MARKED, RUN: 'PAR=4\nsed -e "s/__PAR__/$PAR/" -e "s|__UID__|a|g" deploy/job.yaml | kubectl apply -f -\n'}
IN_PLACE = {JOB: written("1", "a"), RUN: 'sed -i -E "s/(parallelism:) .*/\\1 4/; s/\\"a\\"/\\"b\\"/" job.yaml\n'}
COSTLY = {JOB: written("1", f"{'a' * 60}!"), RUN: "sed -i -E 's/args: .(([-a-z, \"]+)+)+$/X/' deploy/job.yaml\n"}
LOOP = {JOB: FILLED, RUN: f'{EXPORTS}for f in deploy/*.yaml; do\n  envsubst < "$f" | kubectl apply -f -\ndone\n'}
MADE = {
    JOB: FILLED,
    "Makefile": "run:\n\tsed -e 's/$${PAR}/4/' -e \"s/\\$${UID_OF}/a/\" deploy/job.yaml | kubectl apply -f -\n",
}
OVERLAY = {
    "base/job.yaml": FILLED,
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    "prod/kustomization.yaml": "resources: [../base]\nnamePrefix: p-\n",
    RUN: f"{EXPORTS}kubectl kustomize prod | envsubst | kubectl apply -f -\n",
}
TEMPLATE = {"job.yaml.tmpl": FILLED, RUN: f"{EXPORTS}envsubst < job.yaml.tmpl > /tmp/job.yaml\n"}
YQ = {JOB: written("4", "a"), RUN: 'yq -i ".spec.job.args[1] = \\"b\\"" deploy/job.yaml\n'}
ANSIBLE = {
    "roles/f/templates/job.yaml.j2": written("{{ parallelism }}", "{{ job_uid | default('x') }}"),
    "group_vars/prod.yml": "parallelism: 4\njob_uid: a\nlogs: b\n",
}


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "expected"),
    [
        (ENVSUBST, RUN, "UID_OF=a", "UID_OF=b", "uid-renamed"),
        (ENVSUBST, RUN, "UID_OF=a", "UID_OF=$1", "edit-not-understood"),
        (SED, RUN, "|a|", "|b|", "uid-renamed"),
        (SED, RUN, "|a|", "|$UNKNOWN|", "edit-not-understood"),
        (IN_PLACE, RUN, '\\"b\\"', '\\"c\\"', "uid-renamed"),
        (COSTLY, RUN, "X", "Y", "edit-not-understood"),
        (LOOP, RUN, "UID_OF=a", "UID_OF=b", "uid-renamed"),
        (MADE, "Makefile", "/a/", "/b/", "uid-renamed"),
        (OVERLAY, RUN, "UID_OF=a", "UID_OF=b", "uid-renamed"),
        (TEMPLATE, RUN, "UID_OF=a", "UID_OF=b", "uid-renamed"),
        (TEMPLATE, "job.yaml.tmpl", "${UID_OF}", "b", "uid-renamed"),
        (YQ, RUN, '\\"b\\"', '\\"c\\"', "edit-not-understood"),
        (ANSIBLE, "group_vars/prod.yml", "job_uid: a", "job_uid: b", "edit-not-understood"),
        (ANSIBLE, "roles/f/templates/job.yaml.j2", "job_uid", "other", "edit-not-understood"),
    ],
)
def test_an_edit_of_what_fills_in_a_manifest(
    files: dict[str, str], path: str, old: str, new: str, expected: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert old in files[path]
    edited = {path: files[path].replace(old, new)}
    assert expected in errors(tmp_path / "r", capsys, {**BY_ARGUMENT, **files}, edited)["Job"]


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "expected"),
    [
        (ENVSUBST, RUN, "PAR=4", "PAR=1", "stateful-id-changed"),
        (SED, RUN, "PAR=4", "PAR=1", "stateful-id-changed"),
        (IN_PLACE, RUN, "1 4", "1 1", "stateful-id-changed"),
        (MADE, "Makefile", "/4/", "/1/", "stateful-id-changed"),
        (ANSIBLE, "group_vars/prod.yml", "parallelism: 4", "parallelism: 1", "edit-not-understood"),
    ],
)
def test_another_parallelism_that_fills_in_a_manifest(
    files: dict[str, str], path: str, old: str, new: str, expected: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    edited = {path: files[path].replace(old, new)}
    assert expected in errors(tmp_path / "r", capsys, {**WITHOUT, **files}, edited)["Job"]


@pytest.mark.parametrize(
    ("files", "edits"),
    [
        (ENVSUBST, {p: ENVSUBST[p].replace("UID_OF", "SUM").replace("PAR", "P") for p in ENVSUBST}),
        (SED, {p: SED[p].replace("__UID__", "@UID@").replace("__PAR__", "@PAR@") for p in SED}),
        (IN_PLACE, {JOB: written("2", "a")}),
        (ENVSUBST, {RUN: "set -e\n" + ENVSUBST[RUN].replace("apply", "apply --wait")}),
        (SED, {RUN: SED[RUN].replace("-e", "-e s/IMAGE/a:1/ -e", 1)}),
        (YQ, {RUN: YQ[RUN] + 'yq -i ".spec.image = \\"a:2\\"" deploy/job.yaml\n'}),
        (ANSIBLE, {"group_vars/prod.yml": ANSIBLE["group_vars/prod.yml"].replace("logs: b", "logs: c")}),
    ],
)
def test_a_manifest_that_is_filled_in_alike(
    files: dict[str, str], edits: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert errors(tmp_path / "r", capsys, {**BY_ARGUMENT, **files}, edits)["Job"] == set()
    assert errors(tmp_path / "s", capsys, {**WITHOUT, **files}, edits)["Job"] == set()


TWO_SCRIPTS = {
    JOB: FILLED,
    "dev.sh": f"{EXPORTS}envsubst < deploy/job.yaml\n",
    "prod.sh": f"{EXPORTS.replace('=a', '=b')}envsubst < deploy/job.yaml\n",
}


def test_each_script_that_fills_in_a_manifest_is_an_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {**BY_ARGUMENT, **TWO_SCRIPTS}
    after = {"prod.sh": TWO_SCRIPTS["prod.sh"].replace("UID_OF=b", "UID_OF=c")}
    assert errors(tmp_path / "r", capsys, before, after)["Job"] == {"uid-renamed"}


UNREAD = "flink.bat run -p 1 -c Job jobs.jar --uid a\nflink.bat run -c Job jobs.jar --uid b\n"
VARIABLE = {
    **BY_ARGUMENT,
    "src/main/java/Job.java": BY_ARGUMENT["src/main/java/Job.java"].replace(
        'ParameterTool.fromArgs(args).get("uid", "none")', 'System.getenv().getOrDefault("SUM_UID", "x")'
    ),
    ".env.example": "SUM_UID=a\n",
}


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "losing"),
    [
        ({**BY_ARGUMENT, "run.ps1": UNREAD}, "run.ps1", "--uid a", "--uid c", True),
        ({**BY_ARGUMENT, "run.ps1": UNREAD}, "run.ps1", UNREAD, UNREAD.translate({97: 98, 98: 97}), True),
        ({**BY_ARGUMENT, "run.ps1": UNREAD}, "run.ps1", "-p 1", "-p 4", False),
        ({**BY_ARGUMENT, "run.ps1": UNREAD}, "run.ps1", "--uid a", "--uid a --log debug", False),
        (VARIABLE, ".env.example", "=a", "=b", False),
        ({**VARIABLE, "up.sh": "cp .env.example .env\n"}, ".env.example", "=a", "=b", True),
    ],
)
def test_a_line_counts_by_what_it_gives_to_a_name(
    files: dict[str, str], path: str, old: str, new: str, losing: bool, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    edited = {path: files[path].replace(old, new)}
    found = errors(tmp_path / "r", capsys, files, edited)["Job"]
    assert found == ({"edit-not-understood"} if losing else set())
