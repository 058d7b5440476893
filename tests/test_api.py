"""The examples of the library's page run, and print what the page says."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import savepoint_checker
from tests.savepoint.conftest import snapshots

__all__ = ["snapshots"]
TOP = Path(__file__).parents[1]
PAGE = (TOP / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("api")
    subprocess.run([sys.executable, TOP / "examples" / "make_repository.py", folder / "orders"], check=True)
    return folder


def test_the_examples_print_what_the_page_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", PAGE, re.S | re.M)
    printed = ""
    for language, body in blocks:
        if language == "text":
            assert printed == body
            continue
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            exec(compile(body, "docs/api.md", "exec"), names)
        printed = stream.getvalue()
    assert "savepoint-0815" in printed


def test_a_savepoint_of_another_job_does_not_pass(folder: Path, snapshots: Path) -> None:
    savepoint = next((snapshots / "rewritten").rglob("_metadata")).parent
    answer = savepoint_checker.gate(savepoint, folder / "orders", head="v1.0.0", last_state=True)
    assert not answer["passes"]
    assert answer["decided_by"]["path"] == "last-state"
    assert {attempt["verdict"] for attempt in answer["attempts"] if attempt["path"] == "savepoint"} == {
        "fails",
        "restores",
    }


def test_bad_input_is_one_sentence(folder: Path) -> None:
    with pytest.raises(savepoint_checker.CheckerError, match="nowhere"):
        savepoint_checker.compare(folder / "orders", base="nowhere")
    with pytest.raises(savepoint_checker.CheckerError, match="missing"):
        savepoint_checker.gate(folder / "missing", folder / "orders")
