"""Variables with which a start command is filled in, wherever the repository sets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.deployed import BY_ARGUMENT, PINNED, WITHOUT, errors, manifest

RUN = "flink run -p $PARALLELISM -c Job job.jar --uid $SUFFIX"
MADE = RUN.replace("$PARALLELISM", "$(PARALLELISM)").replace("$SUFFIX", "$(SUFFIX)")
WORKFLOW = f"""\
on: push
env:
  PARALLELISM: 2
  OTHER: x
  SUFFIX: a
jobs:
  a:
    steps:
      - run: |
          {RUN}
"""
FILES = {
    "Makefile": f"PARALLELISM := 2\nOTHER := x\nSUFFIX ?= a\nrun:\n\t{MADE}\n",
    ".github/workflows/deploy.yml": WORKFLOW,
    ".gitlab-ci.yml": f"variables:\n  PARALLELISM: 2\n  OTHER: x\n  SUFFIX: {{value: a}}\na:\n  script:\n    - {RUN}\n",
}
EXPRESSIONS = WORKFLOW.replace("$PARALLELISM", "${{ env.PARALLELISM }}")
SOURCED = {"run.sh": f"set -a\nsource ./prod.env\n{RUN}\n", "prod.env": "PARALLELISM=2\nOTHER=x\nSUFFIX=a\n"}
ELSEWHERE = {"run.sh": f"{RUN}\n", "ci/prod.env": SOURCED["prod.env"]}
FILLED = manifest(parallelism='"${PARALLELISM}"', args='["--uid", "${SUFFIX}"]')
SUBSTITUTED = {
    "k.yaml": FILLED,
    ".github/workflows/deploy.yml": WORKFLOW.replace(RUN, "envsubst < k.yaml"),
}


def edited(text: str, name: str, value: str) -> str:
    """A file that gives a variable another value, however it is spelled."""
    lines = [
        line.replace(" a", f" {value}").replace("=a", f"={value}").replace("2", value).replace("x", value)
        if line.strip().startswith(name)
        else line
        for line in text.splitlines(keepends=True)
    ]
    return "".join(lines)


@pytest.mark.parametrize(
    ("files", "path", "exact"),
    [
        *(({path: text}, path, True) for path, text in FILES.items()),
        ({".github/workflows/deploy.yml": EXPRESSIONS}, ".github/workflows/deploy.yml", True),
        (SOURCED, "prod.env", True),
        (ELSEWHERE, "ci/prod.env", False),
        (SUBSTITUTED, ".github/workflows/deploy.yml", False),
    ],
)
def test_an_edit_of_a_variable_is_one_of_what_it_fills_in(
    files: dict[str, str], path: str, exact: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def found(program: dict[str, str], name: str, value: str) -> set[str]:
        text = edited(files[path], name, value)
        assert text != files[path]
        folder = tmp_path / f"{name}{len(program['src/main/java/Job.java'])}"
        return errors(folder, capsys, {**program, **files}, {path: text})["Job"]

    unknown = {"edit-not-understood"}
    assert found(WITHOUT, "PARALLELISM", "1") == ({"stateful-id-changed"} if exact else unknown)
    assert found(BY_ARGUMENT, "SUFFIX", "b") == ({"uid-renamed"} if exact else unknown)
    assert found(WITHOUT, "OTHER", "y") == found(BY_ARGUMENT, "OTHER", "y") == set()
    assert found(PINNED, "PARALLELISM", "1") == found(PINNED, "SUFFIX", "b") == set()


@pytest.mark.parametrize(
    "text",
    [
        WORKFLOW.replace("          flink", "          PARALLELISM=$(nproc)\n          flink"),
        FILES[".gitlab-ci.yml"] + "b:\n  variables: {PARALLELISM: 3}\n",
    ],
)
def test_a_variable_with_two_values_is_not_known(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = ".gitlab-ci.yml" if "script:" in text else ".github/workflows/deploy.yml"
    after = {path: edited(text, "PARALLELISM: ", "1")}
    assert errors(tmp_path / "r", capsys, {**WITHOUT, path: text}, after)["Job"] == {"edit-not-understood"}


@pytest.mark.parametrize("kind", ["vars", "matrix", "inputs"])
def test_what_a_workflow_fills_in_later(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = ".github/workflows/deploy.yml"
    text = WORKFLOW.replace("$PARALLELISM", f"${{{{ {kind}.parallel }}}}") + "    strategy: {matrix: {parallel: [2]}}\n"
    after = {path: text.replace("[2]", "[1]")}
    assert errors(tmp_path / "r", capsys, {**WITHOUT, path: text}, after)["Job"] == {"edit-not-understood"}
    assert errors(tmp_path / "s", capsys, {**PINNED, path: text}, after)["Job"] == set()


OF_ACTIONS = """\
on: push
jobs:
  a:
    steps:
      - uses: actions/cache@v4
        with:
          uid: a

      - name: other
        uses: acme/flink@v1
        with:
          uid: b
      - run: flink run -c Job job.jar --uid ${{ inputs.it }}
"""
USAGE = 'echo "usage: run.sh --uid NAME"\nargs() {\n  echo "--uid a"\n}\nflink run -c Job job.jar $(args) "$@"\n'


@pytest.mark.parametrize(
    ("path", "text", "before", "after", "rules"),
    [
        (".github/workflows/deploy.yml", OF_ACTIONS, "uid: a", "uid: c", set()),
        (".github/workflows/deploy.yml", OF_ACTIONS, "uid: b", "uid: c", {"edit-not-understood"}),
        ("run.sh", USAGE, "NAME", "THE_NAME", set()),
        ("run.sh", USAGE, "--uid a", "--uid b", {"edit-not-understood"}),
    ],
)
def test_what_names_a_variable_and_gives_it_to_nothing(
    path: str, text: str, before: str, after: str, rules: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**BY_ARGUMENT, path: text}
    assert errors(tmp_path, capsys, files, {path: text.replace(before, after)})["Job"] == rules
