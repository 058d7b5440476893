"""Submodules, whose files no revision has: they move, come and go."""

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch, topology

OLD, NEW = "1" * 40, "2" * 40


def moved(folder: Path, path: str, before: str | None, after: str | None) -> Scratch:
    scratch = Scratch(folder)
    scratch.write("orders.topology.yaml", topology())
    scratch.git("add", "--all")
    for commit in (before, after):
        if commit is not None:
            scratch.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
        else:
            scratch.git("update-index", "--force-remove", path)
        scratch.git("commit", "--quiet", "--allow-empty", "--message", "a commit")
    return scratch


def report(scratch: Scratch, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, set[str]], str]:
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json", *arguments])
    document = json.loads(capsys.readouterr().out)
    found = {p["name"]: {f["rule"] for f in p["findings"]} for p in document["pipelines"]}
    return found, json.dumps(document)


def test_a_submodule_that_moves_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, text = report(moved(tmp_path / "repo", "jobs", OLD, NEW), capsys)
    assert found == {"jobs": {"edit-not-understood"}, "orders": set()}
    assert "files of the submodule jobs (at 2222222222) are not read: check its own repository" in text


def test_a_submodule_that_is_moved_in_the_index_is_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = moved(tmp_path / "repo", "jobs", OLD, OLD)
    scratch.git("update-index", "--cacheinfo", f"160000,{NEW},jobs")
    assert report(scratch, capsys, "--head", ":index")[0]["jobs"] == {"edit-not-understood"}
    (scratch.folder / "jobs").mkdir()
    assert report(scratch, capsys, "--head", ":worktree")[0]["jobs"] == {"edit-not-understood"}


def test_a_submodule_that_is_gone_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(moved(tmp_path / "repo", "jobs", OLD, None), capsys)[0]["jobs"] == {"edit-not-understood"}


def test_a_new_submodule_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, text = report(moved(tmp_path / "repo", "jobs", None, NEW), capsys)
    assert found == {"orders": set()}
    assert "jobs is a new submodule: its files are not read" in text


@pytest.mark.parametrize(("path", "after"), [("docs/theme", NEW), ("jobs", OLD)])
def test_submodules_for_documentation_and_those_that_stay_are_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, after: str
) -> None:
    assert report(moved(tmp_path / "repo", path, OLD, after), capsys)[0] == {"orders": set()}
