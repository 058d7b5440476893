"""A suppression that silenced nothing is named, where what it speaks of was compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.cli import run
from tests.scratch import Scratch, topology

SUPPRESS = """
[[suppress]]
rule = "stateful-id-changed"
operator = "count"
reason = "may start over"

[[suppress]]
rule = "uid-missing"
operator = "gone"
reason = "once upon a time"
"""


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    made = Scratch(tmp_path / "repository")
    made.write("savepoint-checker.toml", SUPPRESS)
    made.write("job.topology.yaml", topology())
    made.write("other.topology.yaml", topology("other"))
    made.commit("first")
    return made


def notes(scratch: Scratch, capsys: pytest.CaptureFixture[str], *more: str) -> list[str]:
    arguments = ["--repo", str(scratch.folder), "--base", "main~1", "--engine", "in-process", "--format", "json"]
    assert run(["check", *arguments, *more]) in (0, 1)
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return [note["message"] for note in report["notes"]]


def test_what_matched_nothing_is_named_once(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    scratch.commit("a filter", **{"job.topology.yaml": topology(before="filter")})
    (note,) = notes(scratch, capsys)
    assert note == "silenced nothing in this comparison: savepoint-checker.toml: suppress 2 (uid-missing)"


def test_what_has_expired_but_matches_is_not(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    expired = SUPPRESS.split('[[suppress]]\nrule = "uid')[0] + "expires = 2020-01-01\n"
    scratch.commit("a filter", **{"job.topology.yaml": topology(before="filter"), "savepoint-checker.toml": expired})
    assert notes(scratch, capsys) == []


def test_without_news_nothing_could_have_matched(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    scratch.commit("a file", **{"README.md": "hello"})
    assert notes(scratch, capsys) == []


def test_a_part_of_the_pipelines_tells_nothing(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    scratch.commit("a filter", **{"job.topology.yaml": topology(before="filter")})
    assert notes(scratch, capsys, "--pipeline", "orders") == []


def test_one_of_a_pipeline_that_was_not_compared_may_be_needed(
    scratch: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    of_other = SUPPRESS.replace('operator = "gone"', 'operator = "gone"\npipeline = "other"')
    scratch.commit("one", **{"savepoint-checker.toml": of_other})
    scratch.commit("a filter", **{"job.topology.yaml": topology(before="filter")})
    assert notes(scratch, capsys) == []
    scratch.commit("broken", **{"other.topology.yaml": "topology: 1\n", "job.topology.yaml": topology()})
    assert not any("suppress 2" in note for note in notes(scratch, capsys))
    scratch.commit("none", **{"savepoint-checker.toml": SUPPRESS.replace('"gone"', '"gone"\npipeline = "nobody"')})
    assert any("suppress 2" in note for note in notes(scratch, capsys))


def test_comments_and_baseline(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"fingerprint": "0123456789ab", "rule": "uid-missing", "pipeline": "orders", "reason": "old"}
    scratch.write("baseline.json", json.dumps({"baseline": 1, "findings": [entry]}))
    scratch.write("savepoint-checker.toml", 'baseline = "baseline.json"\n')
    text = topology(before="filter").replace(
        "  - {id: src", "  # savepoint-checker: ignore[uid-missing] a tap\n  - {id: src"
    )
    scratch.commit("a filter", **{"job.topology.yaml": text})
    (note,) = notes(scratch, capsys)
    assert note == ("silenced nothing in this comparison: baseline.json: finding 1 (uid-missing), job.topology.yaml:6")
