"""Edits of realistic jobs: what loses state is no silent pass, what keeps it is silent.

``tests/data/jobs`` has a folder for each job: its files, and edits as lists of (path, text before, text after). Without
a text before, the file is written as a whole; without either it is removed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.cli import run
from tests.not_yet import cases
from tests.scratch import Scratch

JOBS = Path(__file__).parent.parent / "data" / "jobs"
CASES: dict[str, dict[str, Any]] = {
    f"{folder.name}: {case['name']}": {**case, "job": folder.name}
    for folder in sorted(JOBS.iterdir())
    for case in json.loads((folder / "edits.json").read_text("utf-8"))
}


def named(result: str) -> list[str]:
    return [name for name, case in CASES.items() if case["result"] == result]


def findings(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> set[tuple[str, str]]:
    """Severity and rule of all that is found after an edit."""
    root = JOBS / CASES[name]["job"] / "files"
    files = {p.relative_to(root).as_posix(): p.read_text("utf-8") for p in root.rglob("*") if p.is_file()}
    edited: dict[str, str | None] = dict(files)
    for path, before, after in CASES[name]["edits"]:
        text = edited.get(path)
        assert before is None or before in (text or "")
        edited[path] = after if before is None else (text or "").replace(before, after)
    scratch = Scratch(folder)
    scratch.commit(**files)
    for path in [path for path, text in edited.items() if text is None]:
        (scratch.folder / path).unlink()
    scratch.commit(**{path: text for path, text in edited.items() if text is not None})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return {(f["severity"], f["rule"]) for p in report["pipelines"] for f in p["findings"]}


NOT_YET = ("harbor: anon handles trade", "grid: interval join swapped")


@pytest.mark.parametrize("name", cases(named("loss"), NOT_YET))
def test_a_loss_is_no_silent_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert "error" in {severity for severity, _ in findings(tmp_path / "repo", capsys, name)}


@pytest.mark.parametrize("name", named("earlier"))
def test_values_that_expire_earlier_are_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert findings(tmp_path / "repo", capsys, name) == {("warning", "state-expires-earlier")}


@pytest.mark.parametrize("name", named("safe"))
def test_what_keeps_the_state_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    found = findings(tmp_path / "repo", capsys, name)
    assert not {rule for severity, rule in found if severity in ("error", "warning")}
