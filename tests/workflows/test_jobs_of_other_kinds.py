"""Jobs that no reader follows are said with their kind; an edit of one fails, and everything beside it is silent."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from checker.cli import run
from tests.edits.pairs import checked, findings, pairs
from tests.scratch import Scratch
from tests.workflows.deployed import PINNED, manifest


def _notebook(code: str, output: str = "") -> str:
    cell = {"cell_type": "code", "source": [code], "outputs": [output], "metadata": {}}
    return json.dumps({"cells": [{"cell_type": "markdown", "source": ["words"]}, cell]})


ENVIRONMENT = "from pyflink.datastream import *\nenv = StreamExecutionEnvironment.get_execution_environment()\n"


KINDS = {
    name: pair for name, pair in pairs("pipelines", prefixed=True).items() if name.startswith("jobs-of-other-kinds")
}


@pytest.mark.parametrize("name", KINDS)
def test_an_edit_beside_it_is_silent(name: str, tmp_path: Path) -> None:
    files, _ = KINDS[name].sides()
    document = checked(files, {**files, "notes.txt": b"beside it"}, tmp_path)
    assert (document["blocking"], findings(document)) == (0, [])
    assert any(note["unread"] for note in document["notes"]) or any(path.endswith(".py") for path in files)


def test_outputs_of_a_notebook_and_manifests_of_pipelines_here_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"a.ipynb": _notebook(ENVIRONMENT), "k8s/o.yaml": manifest(spec="image: jobs:1"), **PINNED})
    scratch.commit(**{"a.ipynb": _notebook(ENVIRONMENT, "42"), "k8s/o.yaml": manifest(spec="image: jobs:2")})
    assert run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--base", "HEAD~1"]) == 0
    assert "manifest" not in capsys.readouterr().out


def test_what_is_kept_of_one_kind_is_not_taken_for_another_one(tmp_path: Path) -> None:
    """Pipelines of Flink CDC are known by other marks in a map than in a file of their own."""
    scratch = Scratch(tmp_path / "repo")
    pipeline = "source:\n  type: mysql\nsink:\n  type: doris\npipeline:\n  name: orders\n"
    scratch.commit(**{"orders.yaml": pipeline})
    scratch.commit(**{"orders.yaml": pipeline.replace("mysql", "postgres")})
    asked = ["check", "--engine", "in-process", "--repo", str(scratch.folder), "--base", "HEAD~1"]
    command = [sys.executable, "-m", "checker.cli", "--cache", str(tmp_path / "cache"), *asked]
    # Each in a process of its own, which knows what the cache does.
    assert [subprocess.run(command, check=False, capture_output=True).returncode for _ in range(2)] == [1, 1]
