"""A resource decides what a program becomes: its edits are seen, however its name is put together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

JOB = """package jobs;
import java.io.*;
import java.util.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Properties p = new Properties();
    String stage = System.getenv("STAGE");
    try (Reader in = new InputStreamReader(Orders.class.getClassLoader().getResourceAsStream(NAME), "UTF-8")) {
      p.load(in);
    }
    env.socketTextStream(p.getProperty("host"), 1).uid(p.getProperty("source")).map(new Trim()).keyBy(x -> x)
        .reduce((x, y) -> y).uid("orders").print();
    env.execute();
  }
}
"""
TRIM = """package jobs;
public class Trim implements org.apache.flink.api.common.functions.MapFunction<String, String> {
  @Override public String map(String x) { return x.trim(); }
}
"""
ASSEMBLED = ('stage + ".job.properties"', '"job-" + stage', '"jobs/" + stage', '"/jobs/" + stage + ".properties"')


def undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], edit: dict[str, str]
) -> set[str]:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**files)
    scratch.commit(**edit)
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}


@pytest.mark.parametrize("name", ASSEMBLED)
def test_a_resource_whose_name_is_put_together_is_looked_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    resource = {
        ASSEMBLED[0]: "src/main/resources/prod.job.properties",
        ASSEMBLED[1]: "src/main/resources/job-prod.properties",
        ASSEMBLED[2]: "src/main/resources/jobs/prod.properties",
        ASSEMBLED[3]: "src/main/resources/jobs/prod.properties",
    }[name]
    files = {
        "src/main/java/jobs/Orders.java": JOB.replace("NAME", name),
        "src/main/java/jobs/Trim.java": TRIM,
        resource: "source=a\n",
    }
    assert undecided(tmp_path, capsys, files, {resource: "source=b\n"}) != set()


def test_what_functions_do_with_records_changes_no_content(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "src/main/java/jobs/Orders.java": JOB.replace("NAME", ASSEMBLED[0]),
        "src/main/java/jobs/Trim.java": TRIM,
        "src/main/resources/prod.job.properties": "source=a\n",
    }
    checked = TRIM.replace("return", "if (x.isEmpty()) { throw new IllegalStateException(); } return")
    edit = {"src/main/java/jobs/Trim.java": checked}
    assert undecided(tmp_path, capsys, files, edit) == set()


KNOWN = JOB.replace("NAME", '"job.properties"').replace('p.getProperty("source")', '"source"')
POM = """<project><dependencies><dependency>
<groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId>
<version>1.20.1</version></dependency></dependencies></project>"""


def test_a_resource_on_which_nothing_depends_that_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resource = "src/main/resources/job.properties"
    reading = KNOWN.replace("p.load(in)", 'p = acme.Loader.load("job.properties")')
    files = {"src/main/java/jobs/Orders.java": reading, "src/main/java/jobs/Trim.java": TRIM, "pom.xml": POM}
    assert undecided(tmp_path, capsys, {**files, resource: "host=a\n"}, {resource: "host=b\n"}) == set()


ICEBERG = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.FlinkSink;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    FlinkSink.forRowData(env.fromSource(Rows.source(), null, "rows").uid("rows"))
        .tableLoader(TableLoader.fromHadoopTable("orders")).append();
    env.execute();
  }
}
"""


CLEAN = """package jobs;
import org.apache.flink.table.data.RowData;
class Clean implements org.apache.flink.api.common.functions.MapFunction<RowData, RowData> {
  public RowData map(RowData row) { return %s; }
}
"""


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("return row;", "row.getArity(); return row;", set()),
        ("env.execute();", 'System.out.println("starts"); env.execute();', set()),
        ('fromHadoopTable("orders")', 'fromHadoopTable("all")', {"undecided", "edit-not-understood"}),
    ],
)
def test_what_a_table_of_iceberg_leaves_open_is_as_it_was_where_the_sink_is_made_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, found: set[str]
) -> None:
    job = ICEBERG.replace('.uid("rows"))', '.uid("rows").map(new Clean()).uid("clean"))')
    files = {"a/src/main/java/jobs/Orders.java": job, "a/src/main/java/jobs/Clean.java": CLEAN % "row", "pom.xml": POM}
    edit = {path: text.replace(before, after) for path, text in files.items() if before in text}
    assert len(edit) == 1
    assert undecided(tmp_path, capsys, files, edit) == found


def test_an_edit_of_another_module_leaves_what_is_unknown_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"a/src/main/java/jobs/Orders.java": ICEBERG, "pom.xml": POM}
    edit = {"b/src/main/java/web/Server.java": "package web; class Server {}"}
    assert undecided(tmp_path, capsys, files, edit) == set()


@pytest.mark.parametrize(
    ("content", "rules"), [("source=a\nhost=b\n", set()), ("source=b\n", {"uid-renamed", "undecided"})]
)
def test_a_renamed_resource_is_compared_by_what_is_read_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, rules: set[str]
) -> None:
    before, after = "src/main/resources/job.properties", "src/main/resources/orders.properties"
    job = JOB.replace('.uid(p.getProperty("source"))', '.uid("s")').replace(
        '.uid("orders")', '.uid(p.getProperty("source"))'
    )
    job = job.replace(".print()", ".map(acme.Maps.trim()).print()")
    code = {name: job.replace("NAME", f'"{name}"') for name in ("job.properties", "orders.properties")}
    scratch = Scratch(tmp_path / "repo")
    path = "src/main/java/jobs/Orders.java"
    scratch.commit(**{path: code["job.properties"], "src/main/java/jobs/Trim.java": TRIM, before: "source=a\n"})
    scratch.git("rm", "--quiet", before)
    scratch.commit(**{path: code["orders.properties"], after: content})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}
    assert found == rules


PATTERN = """package jobs;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Pattern<Order, ?> large = Pattern.<Order>begin("first").where(SimpleCondition.of(x -> x.size() > 1));
    CEP.pattern(env.socketTextStream("h", 1).uid("s").map(acme.Orders::parse).keyBy(acme.Keys.byId()), large)
        .process(new Found()).uid("cep").print().uid("out");
    env.execute();
  }
}
"""


@pytest.mark.parametrize(("before", "after", "found"), [("> 1", "> 2", False), ("byId()", "byName()", True)])
def test_the_condition_of_a_pattern_chooses_no_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, found: bool
) -> None:
    path = "src/main/java/jobs/Orders.java"
    files = {path: PATTERN, "pom.xml": POM}
    assert bool(undecided(tmp_path, capsys, files, {path: PATTERN.replace(before, after)})) is found


JOIN = """package jobs;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.time.Time;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> orders = env.socketTextStream("h", 1).uid("orders");
    DataStream<String> payments = env.socketTextStream("h", 2).uid("payments");
    int minutes = 5;
    orders.keyBy(x -> x).intervalJoin(payments.keyBy(x -> Keys.of(x))).between(Time.minutes(-1), Time.minutes(minutes))
        .process(new Both()).uid("join").print().uid("out");
    env.execute();
  }
}
"""
KEYS = """package jobs;
class Keys { static String of(String x) { for (int i = 0; i < 2; i++) { x = x.trim(); } return x; } }
"""


@pytest.mark.parametrize(
    ("path", "before", "after", "found"),
    [
        ("Orders", "int minutes = 5", "int minutes = 6", False),
        ("Orders", "env.execute", 'orders.keyBy(x -> x.length()).print().uid("lengths"); env.execute', False),
        ("Orders", "x -> Keys.of(x)", "x -> Keys.of(x + x)", True),
        ("Keys", "x.trim()", "x.strip()", True),
    ],
)
def test_keys_of_a_join_are_compared_by_their_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str, found: bool
) -> None:
    files = {"src/main/java/jobs/Orders.java": JOIN, "src/main/java/jobs/Keys.java": KEYS, "pom.xml": POM}
    edited = f"src/main/java/jobs/{path}.java"
    assert bool(undecided(tmp_path, capsys, files, {edited: files[edited].replace(before, after)})) is found


BUILDS = """package com.shop.jobs;
import com.acme.Sources;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Sources.open(env, ParameterTool.fromArgs(args), com.shop.jobs.Names.of(args))
        .keyBy(x -> x).reduce((x, y) -> y).uid("kept").print();
    env.execute();
  }
}
"""
NAMES = "package com.shop.jobs; class Names { static String of(Object tool) { return Other.of(tool); } }"
GRADLE = 'def javaVersion = "11"\ndependencies { implementation "org.apache.flink:flink-streaming-java:1.20.1" }\n'
PARENT = "<project><parent><groupId>com.shop</groupId><artifactId>all</artifactId><version>1</version></parent>"


@pytest.mark.parametrize(
    ("path", "before", "after", "found"),
    [
        ("build.gradle", '"11"', '"17"', False),
        ("pom.xml", "<version>1</version></parent>", "<version>2</version></parent>", False),
        ("pom.xml", "<artifactId>acme</artifactId><version>1", "<artifactId>acme</artifactId><version>2", True),
    ],
)
def test_an_edited_build_counts_where_it_is_about_a_library_that_builds_the_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str, found: bool
) -> None:
    acme = "<dependency><groupId>com.acme</groupId><artifactId>acme</artifactId><version>1</version></dependency>"
    pom = POM.replace("<project>", PARENT).replace("</dependencies>", f"{acme}</dependencies>")
    files = {
        "src/main/java/com/shop/jobs/Orders.java": BUILDS,
        "src/main/java/com/shop/jobs/Names.java": NAMES,
        path: {"pom.xml": pom, "build.gradle": GRADLE}[path],
    }
    assert bool(undecided(tmp_path, capsys, files, {path: files[path].replace(before, after)})) is found
