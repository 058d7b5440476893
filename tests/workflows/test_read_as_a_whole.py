"""Programs that Flink's planner read: what an edit of their code means while a part of them could not be read."""

from pathlib import Path

import pytest

from checker.api import compare
from checker.model.account import Explanation
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind, Topology, Transformation
from checker.model.unknowns import Cause, Unknown
from checker.workflows.check.accounting import account_of
from checker.workflows.check.records import ReadPipeline, Side
from checker.workflows.check.whole_readings import account_by_files
from tests.scratch import Scratch

PROGRAM = "src/main/java/acme/Queries.java"
SOURCE = Transformation(id="s", kind=Kind.SOURCE, name="s")
HOLE = Transformation(id="u", kind=Kind.UNKNOWN, inputs=("s",), unknown=Unknown("a library runs it", Cause.EXTERNAL))


def side(text: str, *transformations: Transformation) -> Side:
    topology = Topology(name="job", transformations=transformations, files=(PROGRAM,))
    read = ReadPipeline(name="job", extractor="sql", topology=topology)
    return Side(entry=None, read=read, files=MemoryFiles({PROGRAM: text.encode()}))


@pytest.mark.parametrize(
    ("transformations", "explanation"),
    [((SOURCE,), Explanation.COMPARED), ((SOURCE, HOLE), Explanation.NOT_UNDERSTOOD)],
)
def test_code_of_a_program_with_a_hole_is_not_compared(
    transformations: tuple[Transformation, ...], explanation: Explanation
) -> None:
    before, after = (side(f'class Queries {{ String q = "{query}"; }}', *transformations) for query in ("a", "b"))
    account = account_of(before, after)
    assert account is not None
    assert [edit.explanation for edit in account.edits] == [explanation]


JOB, CONSTANTS, TOTAL = (f"src/main/java/acme/{name}.java" for name in ("Report", "Constants", "Total"))
UNPLANNED = {
    "pom.xml": "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.20.5</version></dependency></dependencies></project>",
    JOB: """package acme;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
public class Report {
  public static void main(String[] args) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    tables.createTemporaryFunction("total", Total.class);
    tables.executeSql("CREATE TABLE b (x BIGINT) WITH ('connector' = 'blackhole')");
    tables.executeSql("INSERT INTO b " + Constants.QUERY);
  }
}
""",
    CONSTANTS: 'package acme;\npublic class Constants {\n  static final String QUERY = "SELECT total(x) FROM a";\n}\n',
    TOTAL: """package acme;
import org.apache.flink.table.functions.AggregateFunction;
public class Total extends AggregateFunction<Long, Sum> {
  public Sum createAccumulator() { return new Sum(); }
  public Long getValue(Sum sum) { return sum.value; }
  public void accumulate(Sum sum, Long value) { sum.value += value; }
}
""",
    "src/main/java/acme/Sum.java": "package acme;\npublic class Sum {\n  public long value;\n}\n",
}


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
@pytest.mark.parametrize(
    ("path", "before", "after", "fails"),
    [
        (CONSTANTS, "  static", '  static final String OTHER = "c";\n  static', False),
        (CONSTANTS, "total(x)", "total(x + 1)", True),
        (TOTAL, "+= value", "+= 2 * value", True),
        ("src/main/java/acme/Sum.java", "long value;", "long value;\n  public long count;", True),
        (JOB, "    tables.executeSql", "    env.setParallelism(3);\n    tables.executeSql", True),
    ],
)
def test_tables_that_can_not_be_planned_concern_what_they_are_made_of(
    tmp_path: Path, path: str, before: str, after: str, fails: bool
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("one", **UNPLANNED)
    scratch.commit("two", **{path: UNPLANNED[path].replace(before, after, 1)})
    assert bool(compare(scratch.folder, base="HEAD~1", head="HEAD")["blocking"]) is fails


@pytest.mark.parametrize(
    ("before", "after", "explanation"),
    [("sum.a += x", "sum.a = x", Explanation.COMPARED), ('"a"', '"b"', Explanation.COMPARED)],
)
def test_aggregate_functions_are_compared_by_what_is_planned_of_them(
    before: str, after: str, explanation: Explanation
) -> None:
    text = """class Queries { String q = "a"; }
class Total extends AggregateFunction<Long, Sum> { void accumulate(Sum sum, long x) { sum.a += x; } }"""
    account = account_of(side(text, SOURCE), side(text.replace(before, after), SOURCE))
    assert account is not None
    assert [edit.explanation for edit in account.edits] == [explanation]


FACTORY, SOURCE_OF_TABLE, READER, COUNTER = (
    f"src/main/java/acme/{name}.java" for name in ("Feed", "FeedTable", "Reader", "Counter")
)
_FOUND = "src/main/resources/META-INF/services/org.apache.flink.table.factories.Factory"
QUERIES = (
    "CREATE TABLE b (x BIGINT) WITH ('connector' = 'blackhole')",
    "CREATE TABLE a (x BIGINT) WITH ('connector' = 'feed')",
    "INSERT INTO b SELECT SUM(x) FROM a",
)
CONNECTED = {
    "pom.xml": UNPLANNED["pom.xml"],
    _FOUND: "acme.Feed # a connector\n",
    FACTORY: """package acme;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
public class Feed implements DynamicTableSourceFactory {
  public String factoryIdentifier() { return "feed"; }
  public FeedTable createDynamicTableSource(Context context) { return new FeedTable(false); }
}
""",
    SOURCE_OF_TABLE: """package acme;
import org.apache.flink.table.connector.ChangelogMode;
public class FeedTable implements org.apache.flink.table.connector.source.ScanTableSource {
  private final boolean counts;
  public FeedTable(boolean counts) { this.counts = counts; }
  public ChangelogMode getChangelogMode() { return ChangelogMode.insertOnly(); }
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return SourceFunctionProvider.of(counts ? new Counter() : new Reader(), false);
  }
}
""",
    READER: """package acme;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Reader implements SourceFunction<RowData> {
  public void run(SourceContext<RowData> context) { context.collect(GenericRowData.of(1L)); }
}
""",
    COUNTER: """package acme;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Counter implements SourceFunction<RowData>, CheckpointedFunction {
  private static final String NAME = "count";
  public void run(SourceContext<RowData> context) { context.collect(GenericRowData.of(1L)); }
  public void initializeState(FunctionInitializationContext context) throws Exception {
    context.getOperatorStateStore().getListState(new ListStateDescriptor<>(NAME, Long.class));
  }
}
""",
}
_JAVA = """package acme;
import org.apache.flink.table.api.*;
public class Report {
  public static void main(String[] args) {
    TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    CALLS
  }
}
"""
_PYTHON = """from pyflink.table import EnvironmentSettings, TableEnvironment
tables = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().build())
CALLS
"""
PROGRAMS = {
    "java": {JOB: _JAVA.replace("CALLS", "\n    ".join(f'tables.executeSql("{query}");' for query in QUERIES))},
    "python": {
        "requirements.txt": "apache-flink==1.20.5\n",
        "report.py": _PYTHON.replace("CALLS", "\n".join(f'tables.execute_sql("{query}")' for query in QUERIES)),
    },
    "sql": {"report.sql": ";\n".join(QUERIES) + ";\n"},
}


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize(
    ("path", "before", "after", "fails"),
    [
        (SOURCE_OF_TABLE, "insertOnly()", "upsert()", True),
        (FACTORY, "FeedTable(false)", "FeedTable(true)", True),
        (COUNTER, '"count"', '"counts"', True),
        (SOURCE_OF_TABLE, "public class", "/** A table. */\npublic class", False),
    ],
)
def test_connectors_of_the_repository_decide_what_a_table_becomes(
    tmp_path: Path, language: str, path: str, before: str, after: str, fails: bool
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("one", **CONNECTED, **PROGRAMS[language])
    scratch.commit("two", **{path: CONNECTED[path].replace(before, after, 1)})
    assert bool(compare(scratch.folder, base="HEAD~1", head="HEAD")["blocking"]) is fails


@pytest.mark.parametrize("path", ["out/Report.jar", "out/report.json"])
def test_what_a_partial_clone_leaves_out_stops_nothing(tmp_path: Path, path: str) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("one", **UNPLANNED)
    scratch.write(path, b"\0one")
    scratch.commit("two")
    blob = scratch.git("rev-parse", f"HEAD:{path}")
    (scratch.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert not compare(scratch.folder, base="HEAD~1", head="HEAD")["blocking"]


SESSIONS = """package acme;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
public class Report {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(2);
    env.fromElements(1L, 2L).uid("numbers").map(x -> x + 1).returns(Types.LONG).uid("more")
        .keyBy(x -> x % 3).window(EventTimeSessionWindows.withGap(Time.days(1))).reduce((a, b) -> a + b).uid("sessions")
        .print().uid("out");
    env.execute();
  }
}
"""


def test_what_flink_keeps_of_sessions_holds_no_elements(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("one", **{"pom.xml": UNPLANNED["pom.xml"], JOB: SESSIONS})
    scratch.commit("two", **{JOB: SESSIONS.replace('.uid("sessions")', '.uid("sessions").returns(Types.LONG)')})
    assert not compare(scratch.folder, base="HEAD~1", head="HEAD")["blocking"]


@pytest.mark.parametrize(
    ("edited", "found"),
    [
        ("jobs/claims/sum.sql", ["jobs/claims/sum.sql"]),
        ("jobs/claims/tables.sql", ["jobs/claims/tables.sql"]),
        ("shared/options.sql", ["shared/options.sql"]),
        ("books/mysql/init.sql", []),
        ("jobs/database.sql", []),
        ("jobs/quoted.sql", ["jobs/quoted.sql"]),
        ("jobs/lacking.sql", ["jobs/lacking.sql"]),
        ("jobs/first.sql", ["jobs/first.sql"]),
        ("jobs/of_raw.sql", ["jobs/of_raw.sql"]),
    ],
)
def test_edits_of_scripts_that_an_unread_one_can_use_are_not_understood(edited: str, found: list[str]) -> None:
    others = ("jobs/claims/tables.sql", "shared/options.sql", "books/mysql/init.sql")
    texts = dict.fromkeys(("jobs/claims/sum.sql", *others), b"SELECT 1")
    texts["jobs/database.sql"] = b"CREATE TABLE claims (id1 SERIAL);"
    texts["jobs/quoted.sql"] = b"CREATE TABLE `all-claims` (id1 INT);"
    texts["jobs/lacking.sql"] = b"CREATE TABLE t (n1 INT);"
    texts["jobs/first.sql"] = b"CREATE TABLE IF NOT EXISTS own (n1 INT);"
    texts["jobs/of_raw.sql"] = b"CREATE TABLE raw.claims (id1 INT);"
    own = b"CREATE TABLE claims (n INT); CREATE TABLE IF NOT EXISTS own (n INT);"
    texts["jobs/claims/sum.sql"] = own + b"INSERT INTO own SELECT 'claims', SUM(n1) -- it's all\nFROM t, raw.claims"
    entry = PipelineEntry(
        name="sum",
        extract=ExtractorKind.SQL,
        file="jobs/claims/sum.sql",
        files=("shared/options.sql", "jobs/claims/sum.sql"),
    )
    read = ReadPipeline(name="sum", extractor="sql", failure="it can't be planned")
    base, head = (
        Side(entry=None, asked=entry, read=read, files=MemoryFiles({**texts, edited: text}))
        for text in (texts[edited], texts[edited].replace(b"1", b"2"))
    )
    account = account_by_files(base, head)
    assert account is not None
    assert [edit.name for edit in account.not_understood] == found
