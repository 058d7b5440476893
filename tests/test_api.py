"""The examples of the library's page run, and print what the page says."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, is_dataclass
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


def test_what_is_public_is_listed_and_frozen() -> None:
    for name in savepoint_checker.__all__:
        thing = getattr(savepoint_checker, name)
        assert thing.__doc__, name
        if is_dataclass(thing):
            field = fields(thing)[0].name
            with pytest.raises(FrozenInstanceError):
                setattr(object.__new__(thing), field, None)


def test_operators_have_their_ids_on_both_sides(folder: Path) -> None:
    [pipeline] = savepoint_checker.compare(folder / "orders", base="v1.0.0", head="main~1").pipelines
    moved = {operator.name for operator in pipeline.operators if operator.base_id != operator.head_id}
    lost = {o.name for o in pipeline.operators if o.verdict is savepoint_checker.Verdict.FAILS}
    assert lost < moved
    assert all(o.cause for o in pipeline.operators if o.name in lost)
    assert {o.last_state for o in pipeline.operators if o.name in lost} == {savepoint_checker.Verdict.FAILS}


def test_a_savepoint_of_another_job_does_not_pass(folder: Path, snapshots: Path) -> None:
    savepoint = next((snapshots / "rewritten").rglob("_metadata")).parent
    answer = savepoint_checker.gate(savepoint, folder / "orders", head="v1.0.0")
    assert not answer.passes
    assert [attempt.verdict for attempt in answer.deciding] == ["fails"]
    assert answer.others


def test_a_document_gives_its_ids() -> None:
    file = TOP / "examples" / "documents" / "union-demo.topology.yaml"
    [pipeline] = savepoint_checker.operator_ids_of_document(file)
    assert pipeline.failure is None
    assert all(re.fullmatch("[0-9a-f]{32}", operator.operator_id or "") for operator in pipeline.operators)


def test_bad_input_is_one_sentence(folder: Path) -> None:
    with pytest.raises(savepoint_checker.CheckerError, match="nowhere"):
        savepoint_checker.compare(folder / "orders", base="nowhere")
    with pytest.raises(savepoint_checker.CheckerError, match="missing"):
        savepoint_checker.operator_ids_of_document(folder / "missing.yaml")
