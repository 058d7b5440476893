"""Scripts of SQL whose jobs Flink refuses, and the example of SQL as its page tells it."""

from pathlib import Path

import pytest

from checker.engines.choice import judge_pipelines
from checker.extract.runtime.execution import Execution
from checker.settings import Overrides
from checker.workflows.check.comparing_revisions import Asked, plan_check, run_check
from tests.flinks import jars_of
from tests.scratch import Scratch

pytestmark = [pytest.mark.flink, pytest.mark.usefixtures("_one_planner")]
TABLES = """CREATE TABLE orders (k INT, v INT, amount DECIMAL(10, 2)) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE totals (k INT, n BIGINT) WITH ('connector' = 'print');
"""
INSERT = "INSERT INTO totals SELECT k, COUNT(*) FROM orders GROUP BY k;\n"
NO_COLUMN, NO_TABLE = INSERT.replace("COUNT(*)", "COUNT(vv)"), INSERT.replace("FROM orders", "FROM order_s")
SIDES = {"no-column": (INSERT, NO_COLUMN), "no-table": (INSERT, NO_TABLE), "repaired": (NO_COLUMN, INSERT)}


def test_a_job_that_flink_refuses_is_refused_and_a_base_that_it_refuses_has_no_savepoint(tmp_path: Path) -> None:
    jars_of("1.20.5")
    for side in (0, 1):
        scripts = {f"{name}.sql": f"-- {side}\n{TABLES}{inserts[side]}" for name, inserts in SIDES.items()}
        Scratch(tmp_path).commit(**scripts)
    asked = plan_check(tmp_path, "HEAD~1", "HEAD", Asked(overrides=Overrides(flink="1.20.5")))
    found = {p["name"]: p["findings"] for p in run_check(asked, judge_pipelines)["pipelines"]}
    assert {name: findings[0]["rule"] for name, findings in found.items() if name != "repaired"} == {
        "no-column": "job-refused",
        "no-table": "undecided",
    }
    assert found["no-column"][0]["location"] == {"file": "no-column.sql", "line": 4, "column": 1}
    assert "Column 'vv' not found in any table" in found["no-column"][0]["message"]
    assert "no-column.sql" not in found["no-column"][0]["message"]
    assert any("because Flink refuses the job of the base" in finding["message"] for finding in found["repaired"])


def test_the_example_of_sql_does_what_its_page_says(tmp_path: Path) -> None:
    from examples.make_repository import make_repository

    jars_of("1.20.5")
    make_repository(tmp_path, "sql")
    found = []
    for step in (3, 2, 1):
        asked = plan_check(tmp_path, f"main~{step}", f"main~{step - 1}", Asked(execution=Execution(fetch=False)))
        (pipeline,) = run_check(asked, judge_pipelines)["pipelines"]
        found.append({(f["severity"], f["rule"]) for f in pipeline["findings"] if f["severity"] != "info"})
    assert found == [set(), {("error", "meaning-changed")}, {("error", "stateful-id-changed")}]
