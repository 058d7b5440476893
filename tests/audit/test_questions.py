"""Questions to the datasets: what they say of histories whose answer is known, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

from checker.cli import run
from tests.spark.generated import History

from .test_audit import BROKEN, GOOD, write


@pytest.fixture
def data(tmp_path: Path) -> Path:
    repo = write(tmp_path / "repo", GOOD, BROKEN, GOOD, GOOD + b"# more\n", BROKEN)
    arguments = ["--range", "main~4..main", "--data", str(tmp_path / "data"), "--engine", "in-process"]
    assert run(["audit", "--repo", str(repo), *arguments]) == 1
    return tmp_path / "data"


def answer(data: Path, question: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run(["ask", question, "--data", str(data), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def test_stateful_operators_without_a_uid(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = answer(data, "without-uid", capsys)
    assert (row["repository"], row["pipeline"], row["name"]) == ("repo", "orders", "count orders")
    assert len(row["id"]) == 32


def test_who_broke_state_and_who_repaired_it(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = answer(data, "breaks", capsys)
    assert first["repaired by"] == second["commit"], "the way back loses what was kept since, and repairs what was lost"
    assert {row["lost"] for row in (first, second, third)} == {"count orders"}
    assert third["repaired by"] is None


def test_what_repaired_a_break_is_found_out_once(
    data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAVEPOINT_CHECKER_CACHE", str(tmp_path / "cache"))
    first = answer(data, "breaks", capsys)

    def judged_again(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("checker.workflows.audit.judging.judge_sides", judged_again)
    assert answer(data, "breaks", capsys) == first
    monkeypatch.setenv("SAVEPOINT_CHECKER_CACHE", "off")
    with pytest.raises(AssertionError):
        answer(data, "breaks", capsys)


def test_the_trend_by_month(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = answer(data, "trend", capsys)
    assert (row["month"], row["units"], row["broke"], row["moved ids"]) == ("2023-11", 5, 3, 3)


def test_the_trend_counts_what_the_report_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = write(tmp_path / "repo", GOOD, b"topology: [", b"topology: [1", b"topology: [1", GOOD, BROKEN, GOOD)
    data = tmp_path / "data"
    arguments = ["--range", "main~6..main", "--data", str(data), "--engine", "in-process", "--format", "json"]
    run(["audit", "--repo", str(repo), *arguments])
    counts = json.loads(capsys.readouterr().out)["counts"]
    rows = answer(data, "trend", capsys)
    for name in ("units", "changed", "broke", "undecided", "unreadable"):
        assert sum(row[name] for row in rows) == counts[name], name
    assert counts["unreadable"] == 3


def test_pipelines_of_which_the_same_is_to_be_said_are_one_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"job{n}" for n in range(8)]
    files = {f"{n}.topology.yaml": GOOD.replace(b"name: orders", f"name: {n}".encode()) for n in names}
    repo, data = History([("first", files)]).write(tmp_path / "repo"), str(tmp_path / "data")
    run(["audit", "--repo", str(repo), "--what-if", "flink=2.3", "--data", data, "--engine", "in-process"])
    assert len(answer(Path(data), "upgrades", capsys)) == 8
    assert run(["ask", "upgrades", "--data", data]) == 0
    _, _, _, row = capsys.readouterr().out.splitlines()
    assert "job0, job1, job2, job3, job4 and 3 more" in row


def test_which_jobs_other_conditions_cost_their_state(
    data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    repo = write(
        tmp_path / "pinned", GOOD.replace(b"orders, inputs: [source]", b"orders, inputs: [source], parallelism: 2")
    )
    asked = ["--what-if", "parallelism=2", "--what-if", "parallelism=3", "--data", str(data)]
    run(["audit", "--repo", str(repo), "--engine", "in-process", *asked])
    rows = [row for row in answer(data, "upgrades", capsys) if row["repository"] == "pinned"]
    assert [(row["what if"], row["then"], row["lost"]) for row in rows] == [
        ("parallelism=2", "loses state", "count orders"),
        ("parallelism=3", "keeps its state", ""),
    ]
    assert len(answer(data, "breaks", capsys)) == 3, "what-ifs are not history"


def test_duckdb_and_pandas_read_the_datasets(data: Path) -> None:
    """The queries of the documentation, as they stand there."""
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text("utf-8")
    queries = page.partition("```sql\n")[2].partition("```")[0].replace("'audit/", f"'{data}/").split(";")
    by_commit, by_pipeline = (duckdb.sql(query).fetchall() for query in queries if query.strip())
    assert sum(moved for _, moved, _ in by_commit) == sum(broke for *_, broke in by_commit) == 3
    assert by_pipeline == [("repo", "orders", 3)]
    frame = pandas.read_parquet(data / "topologies")
    assert frame.groupby(["repository", "pipeline"], observed=True)["moved"].sum().to_list() == [3]
    assert set(frame["status"]) == {"broke", "unchanged"}


@pytest.mark.parametrize("question", ["without-uid", "breaks", "trend"])
def test_every_format(question: str, data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page, table = tmp_path / "answer.html", tmp_path / "answer.md"
    arguments = ["--data", str(data), "--output", str(page), "--output", str(table)]
    assert run(["ask", question, *arguments]) == 0
    shown = capsys.readouterr().out
    for text in (page.read_text("utf-8"), table.read_text("utf-8"), shown):
        assert ("2023-11" if question == "trend" else "count orders") in text.replace("\\", "")


def test_wrong_questions_get_one_line(data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["ask", "everything", "--data", str(data)]) == 2
    assert "must be one of without-uid, breaks, upgrades, trend" in capsys.readouterr().err
    assert run(["ask", "trend", "--data", str(tmp_path / "none")]) == 2
    assert "no audit was kept here" in capsys.readouterr().err
