"""Edits of whole jobs, judged by what real Flink does with the state: no loss passes, nothing safe is called broken."""

import json
import tarfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from checker.engines import choice
from checker.workflows.check.comparing_revisions import plan_check, run_check
from tests.edits.pairs import DATA, Files, checked, files_below, findings
from tests.scratch import Scratch

CASES: list[dict[str, str]] = [
    json.loads(line) for line in (DATA / "edits" / "edits.jsonl").read_text("utf-8").splitlines()
]
SILENT = sorted(folder.name for folder in (DATA / "silent").iterdir())
UNDECIDED = {"undecided", "edit-not-understood"}


@cache
def archive() -> Mapping[str, bytes]:
    """Every file of every case."""
    with tarfile.open(DATA / "edits" / "edits.tar.gz") as packed:
        files = ((member.name.removeprefix("./"), packed.extractfile(member)) for member in packed if member.isfile())
        return {name: file.read() for name, file in files if file is not None}


def sides(name: str) -> tuple[Files, Files]:
    """The files of one case before and after its edit."""
    if name in SILENT:
        found = {f"{name}/{path}": content for path, content in files_below(DATA / "silent" / name).items()}
    else:
        found = dict(archive())
    base, head = (
        {p.removeprefix(f"{name}/{side}/"): data for p, data in found.items() if p.startswith(f"{name}/{side}/")}
        for side in ("base", "head")
    )
    return base, head


def report(name: str, folder: Path) -> dict[str, Any]:
    """What ``check`` says of a case."""
    return checked(*sides(name), folder / name)


def errors(document: dict[str, Any]) -> set[str]:
    """The rules of its errors."""
    return {f["rule"] for f in findings(document) if f["severity"] == "error"}


@pytest.mark.parametrize("name", [c["name"] for c in CASES if c["effect"] == "loss"] + SILENT)
def test_no_loss_passes(name: str, tmp_path: Path) -> None:
    document = report(name, tmp_path)
    assert document["blocking"] > 0
    assert document["verdict"] in ("fails", "undecided")


SAFE = [c["name"] for c in CASES if c["effect"] == "safe"]
MOST_UNDECIDED = 0.1


def test_what_is_safe_is_no_error_and_seldom_undecided(tmp_path: Path) -> None:
    found = {name: errors(report(name, tmp_path)) for name in SAFE}
    assert {name: rules - UNDECIDED for name, rules in found.items() if rules - UNDECIDED} == {}
    undecided = sorted(name for name, rules in found.items() if rules)
    assert len(undecided) <= MOST_UNDECIDED * len(SAFE), undecided


@pytest.mark.parametrize("name", ["rename-var", "loop-states", "py-key-type"])
def test_a_revision_against_itself_is_silent(name: str, tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "repo")
    for path, content in sides(name)[1].items():
        scratch.write(path, content)
    scratch.commit()
    document = run_check(plan_check(scratch.folder, base="HEAD", head="HEAD"), choice.judge_pipelines)
    assert [p["findings"] for p in document["pipelines"]] == [[]]
    assert [p["account"]["edits"] for p in document["pipelines"]] == [[]]
