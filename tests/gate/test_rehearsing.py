"""``gate --rehearse``: Flink itself starts planned jobs from a recorded savepoint of a real one."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from checker.commands.app import app
from checker.extract.runtime.execution import Execution
from checker.model.findings import Rehearsal, Start
from checker.report.formats import Report, renderer
from checker.workflows.rehearsing import disagrees, rehearse_attempts
from tests.flinks import jars_of
from tests.scratch import Scratch

SAVEPOINT = Path(__file__).parent / "data" / "sql_totals"
"""Of ``SELECT k, SUM(v)``, written by Flink 1.20.5 with rows in its state, behind a source with a state of its own."""
SCRIPT = """CREATE TABLE orders (k INT, cat STRING, v INT, amt DECIMAL(10, 2), d DOUBLE, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE snk (k INT, total INT) WITH ('connector' = 'blackhole');
INSERT INTO snk SELECT k, SUM(v) AS total FROM orders GROUP BY k;
"""
MINI_BATCH = "".join(
    f"SET 'table.exec.mini-batch.{key}' = '{value}';\n"
    for key, value in {"enabled": "true", "size": "10", "allow-latency": "1 s"}.items()
)
EDITS = {
    "same": (SCRIPT, "restores", Start.STARTED),
    "where": (SCRIPT.replace("GROUP BY", "WHERE v > 1 GROUP BY"), "restores", Start.STARTED),
    "aggregate": (SCRIPT.replace("SUM(v)", "SUM(v) + CAST(COUNT(d) AS INT)"), "fails", Start.FAILED),
    "two-phases": (MINI_BATCH + SCRIPT, "fails", Start.REFUSED),
}


@pytest.mark.flink
def test_flinks_own_start_stands_beside_the_verdict(tmp_path: Path) -> None:
    jars_of("1.20.5")
    Scratch(tmp_path).commit(**{f"{name}.sql": text for name, (text, _, _) in EDITS.items()})
    given = [argument for name in EDITS for argument in ("--savepoint", f"{name}={SAVEPOINT}")]
    options = ("--repo", str(tmp_path), "--flink", "1.20.5", "--parallelism", "1", "--rehearse", "--format", "json")
    before = {path: path.read_bytes() for path in SAVEPOINT.iterdir()}
    done = CliRunner().invoke(app, ["gate", *options, *given])
    report = json.loads(done.stdout)
    verdicts = {a["pipeline"]: a["verdict"] for a in report["attempts"] if not a["allow_non_restored_state"]}
    assert verdicts == {name: verdict for name, (_, verdict, _) in EDITS.items()}
    assert {r["pipeline"]: r["start"] for r in report["rehearsals"]} == {
        name: start for name, (_, _, start) in EDITS.items()
    }
    assert not any(r["disagrees"] for r in report["rehearsals"])
    assert done.exit_code == 1
    assert {path: path.read_bytes() for path in SAVEPOINT.iterdir()} == before
    text = renderer(Report.GATE, "text", None)(report)
    assert "rehearsed: Flink refuses it: java.lang.IllegalStateException: Failed to rollback" in " ".join(text.split())


def attempt(verdict: str, *, keyed: bool = True, rule: str | None = None) -> dict[str, Any]:
    row = {"verdict": verdict, "in_snapshot": True, "claimed_by": "0" * 32, "key_groups": 128 if keyed else 0}
    return {"savepoint": "s3://b/s", "pipeline": "p", "path": "savepoint", "allow_non_restored_state": False,
            "verdict": verdict, "rule": rule, "operators": [row]}  # fmt: skip


@pytest.mark.parametrize(
    ("judged", "start", "expected"),
    [
        (attempt("restores"), Start.STARTED, False),
        (attempt("restores"), Start.FAILED, True),
        (attempt("fails"), Start.REFUSED, False),
        (attempt("fails"), Start.STARTED, True),
        (attempt("fails", keyed=False), Start.STARTED, False),
        (attempt("fails", rule="state-backend-mismatch"), Start.STARTED, False),
        (attempt("undecided"), Start.REFUSED, False),
        (attempt("restores"), Start.NOT_TRIED, False),
    ],
)
def test_a_start_that_went_otherwise_than_judged(judged: dict[str, Any], start: Start, expected: bool) -> None:
    assert disagrees(judged, Rehearsal(start=start)) is expected


def test_what_is_not_started_says_why() -> None:
    (far,) = rehearse_attempts([attempt("restores")], {}, Execution())
    assert (far["start"], far["disagrees"]) == (Start.NOT_TRIED, False)
    assert far["message"] == "its job is not made by Flink's planner alone"
