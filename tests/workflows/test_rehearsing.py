"""``--rehearse``: planned jobs really start from savepoints of planned jobs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from checker.engines.in_process import judge_pipelines
from checker.extract.runtime.execution import Execution
from checker.model.rehearsal import Start
from checker.report.check.text import render_text
from checker.workflows.check.comparing_revisions import plan_check, run_check
from tests.extract.runtime.conftest import jars_of

pytestmark = pytest.mark.flink
TABLES = """CREATE TABLE orders (k INT, v INT, amount DECIMAL(10, 2)) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE totals (k INT, n BIGINT) WITH ('connector' = 'print');
"""
INSERT = "INSERT INTO totals SELECT k, COUNT(*) FROM orders GROUP BY k;\n"
EDITS = {
    "same": (INSERT, Start.STARTED),
    "another-state": (INSERT.replace("COUNT(*)", "COUNT(*) + SUM(v)"), Start.FAILED),
    "first-where": (INSERT.replace("GROUP BY", "WHERE v > 1 GROUP BY"), Start.STARTED),
    "two-phases": ("SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'table.exec.mini-batch.size' = '10';\n"
                   "SET 'table.exec.mini-batch.allow-latency' = '1 s';\n" + INSERT, Start.REFUSED),
}  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    jars_of("1.20.5")
    folder = tmp_path_factory.mktemp("rehearsal")

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "--quiet")
    for revision in ("base", "head"):
        for name, (insert, _) in EDITS.items():
            text = TABLES + (INSERT if revision == "base" else insert)
            (folder / f"{name}.sql").write_text(f"-- {revision}\n{text}", "utf-8")
        (folder / "unknown.sql").write_text(TABLES.replace("'kafka'", "'mainframe'") + INSERT, "utf-8")
        git("add", "--all")
        git("commit", "--quiet", "--message", revision)
    return folder


def test_flinks_own_start_stands_beside_the_verdicts_and_agrees_with_them(repository: Path) -> None:
    plan = plan_check(repository, base="HEAD~1", head="HEAD", flink="1.20.5", execution=Execution(rehearse=True))
    report = run_check(plan, judge_pipelines)
    found = {pipeline["name"]: pipeline["rehearsal"]["start"] for pipeline in report["pipelines"]}
    assert found == {**{name: start for name, (_, start) in EDITS.items()}, "unknown": Start.NOT_TRIED}
    assert "rehearsal-disagrees" not in {f["rule"] for p in report["pipelines"] for f in p["findings"]}
    text = render_text(report)
    assert "rehearsed: Flink refuses to start the head" in " ".join(text.split())
    (unknown,) = (p for p in report["pipelines"] if p["name"] == "unknown")
    assert "'mainframe'" in unknown["rehearsal"]["message"]
