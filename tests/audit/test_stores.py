"""Datasets in an object store: kept there whole, computed once, and written by one run at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from checker.cli import run
from checker.workflows.audit.datasets import Store, StoreError, datasets
from tests.savepoint.stores import BUCKET, s3_in_the_environment
from tests.spark.generated import history


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """A folder of this test's own: the store's buckets outlive its server."""
    with s3_in_the_environment():
        yield f"s3://{BUCKET}/{request.node.name}"


def test_the_next_run_goes_on_from_the_store(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = history(seed=7, jobs=3, commits=6).write(tmp_path / "repo")
    common = ["audit", "--repo", str(repo), "--engine", "in-process", "--format", "json", "--fail-on", "never"]
    steps = []
    for range_ in ("main~5..main~1", "main~5..main"):
        assert run([*common, "--range", range_, "--data", place]) == 0
        steps.append(json.loads(capsys.readouterr().out)["steps"])
    assert steps == [{"computed": 5, "reused": 0}, {"computed": 1, "reused": 5}]
    assert run([*common, "--range", "main~5..main", "--data", str(tmp_path / "data")]) == 0
    capsys.readouterr()
    answers = []
    for kept in (place, str(tmp_path / "data")):
        assert run(["ask", "trend", "--data", kept, "--format", "json"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]


def test_a_ledger_that_another_run_wrote_meanwhile_is_kept(place: str) -> None:
    with datasets(place) as first, datasets(place) as second:
        first.commit(first.staging, [], {"repo": ["1"]})
        with pytest.raises(StoreError, match="another run has written this meanwhile"):
            second.commit(second.staging, [], {"repo": ["2"]})
    with datasets(place) as opened:
        assert opened.done == {"repo": {"1"}}


def test_what_the_ledger_names_and_the_store_lost_is_computed_again(place: str) -> None:
    with datasets(place) as opened:
        staging = opened.staging
        (staging / "findings").mkdir()
        (staging / "findings" / "x.parquet").write_bytes(b"x")
        file = {"dataset": "findings", "path": "findings/x.parquet", "bytes": 1, "sha256": "2d711642b726b044"}
        opened.commit(staging, [file], {"repo": ["1"]})
    with datasets(place) as opened:
        assert opened.done == {}
        assert "is damaged" in opened.notes[0]


def test_a_store_that_can_t_be_read_is_one_error(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StoreError, match="s3://no-such-bucket"):
        Store(place.replace(BUCKET, "no-such-bucket")).send(["stores.py"], Path(__file__).parent)
    assert run(["ask", "trend", "--data", "nowhere://x"]) == 2
    assert "nowhere" in capsys.readouterr().err
