"""Programs and edits that real ones are full of: no false alarm, no endless reading."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from checker.cli import run
from tests.scratch import Scratch

MAIN = "src/main/java/jobs/Orders.java"
JOB = """package jobs;
import java.util.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.*;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
public class Orders {
  static class Keep extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<List<Map<String, Tuple2<Long, List<Object>>>>> last;
    @Override public void open(Configuration c) {
      last = getRuntimeContext().getState(new ValueStateDescriptor<>("last",
          TypeInformation.of(new TypeHint<List<Map<String, Tuple2<Long, List<Object>>>>>() {})));
    }
    @Override public void processElement(String x, Context c, Collector<String> out) { out.collect(x); }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> d = env.socketTextStream("h", 1).uid("source");
    BODY
    env.execute();
  }
}
"""
KEPT = 'd.keyBy(x -> x).process(new Keep()).uid("keep").print().uid("out");'
POM = (
    "<project><properties><flink.version>{}</flink.version></properties><dependencies><dependency>"
    "<groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId>"
    "<version>${{flink.version}}</version></dependency></dependencies></project>"
)


def check(
    folder: Path, capsys: pytest.CaptureFixture[str], before: dict[str, str], after: dict[str, str]
) -> dict[str, Any]:
    scratch = Scratch(folder / "repo")
    scratch.commit(**before)
    scratch.commit(**after)
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def rules(report: dict[str, Any]) -> set[str]:
    """The rules of its errors."""
    return {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}


def test_a_stream_united_with_itself_ends_reading_soon(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    united = "d = d.union(d); " * 18 + KEPT
    started = time.monotonic()
    before = {MAIN: JOB.replace("BODY", united), "pom.xml": POM.format("1.20.1")}
    report = check(tmp_path, capsys, before, {MAIN: JOB.replace("BODY", united.replace("keep", "kept"))})
    assert time.monotonic() - started < 60
    assert rules(report) == {"undecided"} or report["pipelines"][0]["status"] in ("unreadable", "refused")


def test_a_module_of_an_unsupported_flink_stops_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "repo")
    job = JOB.replace("BODY", KEPT)
    scratch.commit(
        **{
            "old/pom.xml": POM.format("1.3.2"),
            "new/pom.xml": POM.format("1.20.1"),
            f"old/{MAIN}": job.replace("Orders", "Legacy").replace("jobs;", "legacy;"),
            f"new/{MAIN}": job,
        }
    )
    run(["ids", "--repo", str(scratch.folder), "--head", "HEAD", "--format", "json"])
    assert "keep" in capsys.readouterr().out


EMPTY = JOB.replace("BODY", "").replace('DataStream<String> d = env.socketTextStream("h", 1).uid("source");', "")


def test_a_job_without_operators_after_tables_made_theirs_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = (
        'StreamTableEnvironment t = StreamTableEnvironment.create(env); t.executeSql("INSERT INTO b SELECT * FROM a");'
    )
    job = EMPTY.replace("    env.execute", f"    {table}\n    env.execute").replace(
        "import java.util.*;", "import java.util.*; import org.apache.flink.table.api.bridge.java.*;"
    )
    report = check(tmp_path, capsys, {MAIN: job, "pom.xml": POM.format("1.12.0")}, {MAIN: f"{job}//"})
    assert [pipeline["name"] for pipeline in report["pipelines"]] == ["Orders"]
