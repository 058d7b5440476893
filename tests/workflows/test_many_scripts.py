"""Scripts and tables that both revisions have alike are not planned where they are many: only equality spares them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from checker.engines.choice import judge_pipelines
from checker.extract.sql.planner.planning import PlannedScript, PlannerTask
from checker.workflows import planning_programs, planning_scripts
from checker.workflows.check.comparing_revisions import Asked, plan_check, run_check
from tests.scratch import Scratch

SCRIPT = """CREATE TABLE orders (k INT, v INT) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE {0} (k INT, n BIGINT) WITH ('connector' = 'print');
INSERT INTO {0} SELECT k, COUNT(*) FROM orders GROUP BY k;
"""
SCRIPTS = {f"{name}.sql": SCRIPT.format(name) for name in ("one", "two", "three")}
PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamTableEnvironment tables =
        StreamTableEnvironment.create(StreamExecutionEnvironment.getExecutionEnvironment());
    tables.executeSql("CREATE TABLE t (k INT) WITH ('connector' = 'datagen')");
    tables.executeSql("CREATE TABLE s (k INT) WITH ('connector' = 'print')");
    tables.executeSql("INSERT INTO s SELECT k FROM t");
  }
}
"""
POM = "<project><properties><flink.version>{}</flink.version></properties></project>"


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The keys of what the planner is asked, which answers nothing; one script is many."""
    keys: set[str] = set()

    def plan(tasks: Sequence[PlannerTask], _: Any) -> dict[str, PlannedScript]:
        keys.update(task.key for task in tasks)
        return {task.key: PlannedScript() for task in tasks}

    for module in (planning_scripts, planning_programs):
        monkeypatch.setattr(module, "plan_tasks", plan)
    monkeypatch.setattr(planning_scripts, "PLANNED_ANYWAY", 0)
    return keys


def checked(folder: Path, before: dict[str, str], after: dict[str, str]) -> dict[str, tuple[str, list[str]]]:
    """Pipeline → its status and the rules that fire."""
    for files in (before, after):
        Scratch(folder).commit(**files)
    report = run_check(plan_check(folder, "HEAD~1", "HEAD", Asked()), judge_pipelines)
    return {p["name"]: (p["status"], [f["rule"] for f in p["findings"]]) for p in report["pipelines"]}


def test_what_both_revisions_have_is_not_planned_and_loses_nothing(tmp_path: Path, asked: set[str]) -> None:
    found = checked(tmp_path, {**SCRIPTS, "Job.java": PROGRAM}, {"readme.md": "more"})
    assert asked == set()
    assert found == {name: ("unreadable", []) for name in ("one", "two", "three")} | {"Job": ("unchanged", [])}


@pytest.mark.parametrize(
    ("edits", "planned"),
    [
        ({"two.sql": SCRIPTS["two.sql"].replace("COUNT(*)", "SUM(v)")}, {"two"}),
        ({"two.sql": "-- why\n" + SCRIPTS["two.sql"]}, {"two"}),
        ({"pom.xml": POM.format("1.19.1")}, {"one", "two", "three"}),
        ({"src/main/resources/META-INF/services/org.apache.flink.table.factories.Factory": "com.acme.F"},
         {"one", "two", "three"}),
    ],
)  # fmt: skip
def test_an_edit_of_a_script_of_its_version_or_of_own_connectors_has_it_planned(
    tmp_path: Path, asked: set[str], edits: dict[str, str], planned: set[str]
) -> None:
    checked(tmp_path, {**SCRIPTS, "pom.xml": POM.format("1.20.1")}, edits)
    assert asked == {f"{side}/{name}" for side in ("base", "head") for name in planned}


def test_an_edit_of_a_program_and_of_its_version_has_its_tables_planned(tmp_path: Path, asked: set[str]) -> None:
    checked(tmp_path, {"Job.java": PROGRAM, "pom.xml": POM.format("1.20.1")}, {"pom.xml": POM.format("1.19.1")})
    assert asked == {"base/Job/0", "head/Job/0"}
    asked.clear()
    checked(tmp_path, {}, {"Job.java": PROGRAM.replace("SELECT k", "SELECT k + 1")})
    assert asked == {"base/Job/0", "head/Job/0"}
