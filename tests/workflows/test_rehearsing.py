"""``--rehearse``: planned jobs really start from savepoints of planned jobs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from checker.cache import use_cache
from checker.engines.choice import judge_pipelines
from checker.extract.runtime.execution import Execution
from checker.extract.sql.planner.child_process import ChildRun
from checker.extract.sql.planner.planning import PlannerTask
from checker.extract.sql.planner.rehearsing import PlaceOfJob, rehearse
from checker.model.findings import Start
from checker.model.nested import Json
from checker.report.check.text import render_text
from checker.settings import Overrides
from checker.workflows.check.comparing_revisions import Asked, plan_check, run_check
from tests.flinks import compiled, jars_of, packed
from tests.scratch import Scratch

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
    "no-such-column": (INSERT.replace("COUNT(*)", "COUNT(vv)"), Start.NOT_TRIED),
    "no-such-table": (INSERT.replace("FROM orders", "FROM order_s"), Start.NOT_TRIED),
}  # fmt: skip

JOB = """from pyflink.table import EnvironmentSettings, TableEnvironment
insert = "INSERT INTO totals SELECT k, %s FROM orders GROUP BY k"
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.execute_sql('''%s''')
t.execute_sql("CREATE TABLE totals (k INT, n BIGINT) WITH ('connector' = 'print')")
t.execute_sql(insert).wait()
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    jars_of("1.20.5")
    folder = tmp_path_factory.mktemp("rehearsal")
    scratch = Scratch(folder)
    for revision in ("base", "head"):
        for name, (insert, _) in EDITS.items():
            text = TABLES + (INSERT if revision == "base" else insert)
            (folder / f"{name}.sql").write_text(f"-- {revision}\n{text}", "utf-8")
        program = JOB % (
            "COUNT(*) + SUM(v)" if revision == "head" else "COUNT(*)",
            TABLES.replace("\n", " ").split("; ")[0],
        )
        (folder / "job.py").write_text(program, "utf-8")
        repaired = INSERT.replace("COUNT(*)", "COUNT(vv)") if revision == "base" else INSERT
        (folder / "repaired.sql").write_text(TABLES + repaired, "utf-8")
        (folder / "unknown.sql").write_text(TABLES.replace("'kafka'", "'mainframe'") + INSERT, "utf-8")
        scratch.commit(revision)
    return folder


@pytest.fixture
def _cache(tmp_path: Path) -> Iterator[None]:
    use_cache(tmp_path)
    yield
    use_cache(None)


@pytest.mark.usefixtures("_cache")
def test_flinks_own_start_stands_beside_the_verdicts_and_agrees_with_them(repository: Path) -> None:
    plan = plan_check(repository, "HEAD~1", "HEAD", Asked(overrides=Overrides(flink="1.20.5")))
    run_check(plan, judge_pipelines)  # what is remembered of it is not a rehearsal
    plan = plan_check(
        repository, "HEAD~1", "HEAD", Asked(overrides=Overrides(flink="1.20.5"), execution=Execution(rehearse=True))
    )
    report = run_check(plan, judge_pipelines)
    found = {pipeline["name"]: pipeline["rehearsal"]["start"] for pipeline in report["pipelines"]}
    assert found == {
        **{name: start for name, (_, start) in EDITS.items()},
        "job": Start.FAILED,
        "repaired": Start.NOT_TRIED,
        "unknown": Start.NOT_TRIED,
    }
    assert "rehearsal-disagrees" not in {f["rule"] for p in report["pipelines"] for f in p["findings"]}
    refused = {p["name"]: p["findings"][0] for p in report["pipelines"] if p["name"].startswith("no-such")}
    assert {name: finding["rule"] for name, finding in refused.items()} == {
        "no-such-column": "job-refused",
        "no-such-table": "undecided",
    }
    assert refused["no-such-column"]["location"] == {"file": "no-such-column.sql", "line": 4, "column": 1}
    assert "Column 'vv' not found in any table" in refused["no-such-column"]["message"]
    assert "no-such-column.sql" not in refused["no-such-column"]["message"]
    text = render_text(report)
    assert "rehearsed: Flink refuses to start the head" in " ".join(text.split())
    (repaired,) = (p for p in report["pipelines"] if p["name"] == "repaired")
    assert any("because Flink refuses the job of the base" in found["message"] for found in repaired["findings"])
    (unknown,) = (p for p in report["pipelines"] if p["name"] == "unknown")
    assert "'mainframe'" in unknown["rehearsal"]["message"]


def test_a_job_that_takes_its_process_down_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    jars_of("1.20.5")
    asked: list[int] = []

    def dying(scripts: Sequence[Json], *given: Any, **options: Any) -> ChildRun:
        asked.append(len(scripts))
        fatal = next(
            (n for n, script in enumerate(scripts) if "1" in script["names"].values() and not script["start"]), None
        )
        done = [{"jobs": [{"rehearsal": {"path": "there", "started": True}}]} for _ in scripts[:fatal]]
        return ChildRun(done, {"end": "returned"} if fatal is None else None, "killed")

    monkeypatch.setattr("checker.extract.sql.planner.rehearsing.run_child", dying)
    tasks = [PlannerTask(key=f"{side}/{job}", flink="1.20.5") for job in range(3) for side in ("base", "head")]
    wanted = {f"{job}": (PlaceOfJob(tasks[2 * job], 0), PlaceOfJob(tasks[2 * job + 1], 0)) for job in range(3)}
    found = rehearse(wanted, jars_of)
    assert asked == [6, 4]
    assert [found[name].start for name in "012"] == [Start.STARTED, Start.NOT_TRIED, Start.STARTED]


PROGRAM = """import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;
import org.apache.flink.streaming.api.functions.source.RichSourceFunction;
import org.apache.flink.util.Collector;
public class Job {
  static class Away extends RichSourceFunction<Long> {
    @Override public void open(Configuration c) { throw new IllegalStateException("no broker"); }
    @Override public void run(SourceContext<Long> c) {}
    @Override public void cancel() {}
  }
  static class Gone extends RichSinkFunction<Long> {
    @Override public void open(Configuration c) { throw new IllegalStateException("no database"); }
  }
  static class Count extends KeyedProcessFunction<Long, Long, Long> {
    transient ValueState<%(type)s> seen;
    @Override public void open(Configuration c) {
      seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", %(type)s.class));
      %(more)s
    }
    @Override public void processElement(Long v, Context c, Collector<Long> out) {}
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.addSource(new Away()).uid("in")
        .keyBy(v -> v).process(new Count()).uid("%(uid)s")
        .addSink(new Gone()).uid("out");
    env.execute("job");
  }
}
"""
BROKEN = 'if (seen != null) throw new IllegalStateException("no cache");'
LONG = {"type": "Long", "uid": "a", "more": ""}
INTEGER = {**LONG, "type": "Integer"}
RENAMED = {**INTEGER, "uid": "b"}
PROGRAMS = {
    "same": (RENAMED, RENAMED, Start.STARTED, ""),
    "retyped": (LONG, INTEGER, Start.FAILED, "LongSerializer"),
    "renamed": (INTEGER, RENAMED, Start.REFUSED, "savepoint"),
    "broken": (RENAMED, {**RENAMED, "more": BROKEN}, Start.NOT_TRIED, "no cache"),
}
"""A pipeline in both revisions, and what becomes of its start."""
CONFIGURATION = """[[pipeline]]
name = "NAME"
main = "Job"
extract = "flink"
flink = "1.20.5"
parallelism = 1
jars = ["builds/{commit}/NAME.jar"]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of two commits, each with a jar for each pipeline."""
    folder = tmp_path_factory.mktemp("built")
    scratch = Scratch(folder)
    scratch.write(".gitignore", "builds\nJob.java\nclasses-*\n")
    scratch.write("savepoint-checker.toml", "".join(CONFIGURATION.replace("NAME", name) for name in PROGRAMS))
    jars: dict[str, bytes] = {}
    for side in (0, 1):
        commit = scratch.commit(f"side {side}")
        for name, sides in PROGRAMS.items():
            text = PROGRAM % sides[side]
            if text not in jars:
                (folder / "Job.java").write_text(text, "utf-8")
                classes = compiled(folder / f"classes-{len(jars)}", jars_of("1.20.5"), folder / "Job.java")
                jars[text] = packed(classes, classes / "job.jar").read_bytes()
            scratch.write(f"builds/{commit}/{name}.jar", jars[text])
    return folder


def test_programs_that_may_be_run_are_rehearsed_without_their_sources_and_sinks(built: Path) -> None:
    execution = Execution(rehearse=True, allow_exec=True)
    report = run_check(plan_check(built, "HEAD~1", "HEAD", Asked(execution=execution)), judge_pipelines)
    found = {pipeline["name"]: pipeline for pipeline in report["pipelines"]}
    assert {name: job["rehearsal"]["start"] for name, job in found.items()} == {n: p[2] for n, p in PROGRAMS.items()}
    for name, (_, _, _, words) in PROGRAMS.items():
        assert words in found[name]["rehearsal"]["message"]
        assert "rehearsal-disagrees" not in {finding["rule"] for finding in found[name]["findings"]}


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
