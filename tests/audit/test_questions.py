"""Questions to the datasets: what they say of histories whose answer is known, in every format."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

from checker.cli import run
from checker.workflows.audit.judging import judged
from tests.spark.generated import History

from .test_audit import BROKEN, GOOD, document, write


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


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(["--range", "main~2..main"], id="a shorter range, whose beginning is a step already"),
        pytest.param(["--range", "main~4..main~2"], id="an older range"),
        pytest.param(["--tags", "v*"], id="tags, whose steps hold several"),
        pytest.param(["--what-if", "parallelism=2"], id="other conditions, beginning at a revision as it is"),
    ],
)
def test_a_commit_that_several_audits_saw_counts_once(
    data: Path, again: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [answer(data, question, capsys) for question in ("without-uid", "breaks", "trend")]
    repo = tmp_path / "repo"
    for number, commit in enumerate(("main~4", "main~2", "main")):
        subprocess.run(["git", "-C", str(repo), "tag", f"v{number}", commit], check=True)
    run(["audit", "--repo", str(repo), "--data", str(data), "--engine", "in-process", *again])
    assert [answer(data, question, capsys) for question in ("without-uid", "breaks", "trend")] == before


def test_another_version_of_the_tool_has_the_last_word(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [answer(data, question, capsys) for question in ("without-uid", "breaks", "trend")]
    monkeypatch.setattr("checker.workflows.audit.planning.__version__", "99")
    arguments = ["--repo", str(tmp_path / "repo"), "--data", str(data), "--engine", "in-process"]
    run(["audit", *arguments, "--range", "main~4..main"])
    assert [answer(data, question, capsys) for question in ("without-uid", "breaks", "trend")] == before
    monkeypatch.setattr("checker.workflows.audit.auditing.judged", lambda unit: {**judged(unit), "status": "changed"})
    monkeypatch.setattr("checker.workflows.audit.planning.__version__", "100")
    run(["audit", *arguments, "--range", "main~2..main"])
    assert [row["commit"] for row in answer(data, "breaks", capsys)] == [row["commit"] for row in before[1][:2]]


def test_commits_of_the_same_second_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
    when = {"GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_AUTHOR_DATE": "1700000000 +0000"}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for content in (BROKEN, GOOD, document(uid="counted")):
        (repo / "orders.topology.yaml").write_bytes(content)
        subprocess.run(["git", "-C", str(repo), "add", "."], check=True)
        subprocess.run(["git", "-C", str(repo), *who, "commit", "-qm", "x"], check=True, env={**os.environ, **when})
    data = tmp_path / "data"
    run(["audit", "--repo", str(repo), "--range", "main~2..main", "--data", str(data), "--engine", "in-process"])
    assert answer(data, "without-uid", capsys) == []


def test_a_job_that_is_gone_or_unknown_is_not_answered_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo, data = write(tmp_path / "repo", GOOD, b"topology: [", None), tmp_path / "data"
    audit = ["audit", "--repo", str(repo), "--data", str(data), "--engine", "in-process"]
    run([*audit, "--range", "main~2..main~1"])
    assert answer(data, "without-uid", capsys) == []
    run(["ask", "without-uid", "--data", str(data)])
    assert "nothing is known of pipelines that could not be read in the newest revision: repo: orders" in (
        capsys.readouterr().out
    )
    run([*audit, "--what-if", "flink=2.3", "--head", "main~2"])
    assert [row["pipeline"] for row in answer(data, "upgrades", capsys)] == ["orders"]
    run([*audit, "--range", "main~2..main"])
    capsys.readouterr()
    run(["ask", "without-uid", "--data", str(data)])
    assert "orders" not in capsys.readouterr().out


def test_an_answer_says_what_the_datasets_lost(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    next((data / "topologies").rglob("*.parquet")).unlink()
    assert run(["ask", "breaks", "--data", str(data)]) == 0
    assert "is missing: what it stood for is computed again" in capsys.readouterr().out


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
