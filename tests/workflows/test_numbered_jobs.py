"""Jobs of one program are compared with the job that they were, whatever number they have now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

JOB = """
    env.socketTextStream("h", 1).uid("NAME-source").keyBy(x -> x).map(new FUNCTION()).uid("NAME").print();
    env.execute("NAME");
"""
PROGRAM = """package jobs;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Many {
  public static class Count extends RichMapFunction<String, String> {
    @Override public void open(Configuration c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
    }
    @Override public String map(String x) { return x; }
  }
  public static class Last extends RichMapFunction<String, String> {
    @Override public void open(Configuration c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("last", String.class));
    }
    @Override public String map(String x) { return x; }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
JOBS
  }
}
"""
POM = (
    "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency></dependencies></project>"
)


def job(name: str, function: str) -> str:
    return JOB.replace("NAME", name).replace("FUNCTION", function)


ORDERS, WEATHER, SALES = job("orders", "Count"), job("weather", "Last"), job("sales", "Count")
NEW = job("generator", "Count")


@pytest.mark.parametrize(
    ("head", "rules"),
    [
        ((ORDERS, NEW, WEATHER, SALES), {}),
        ((ORDERS, NEW, WEATHER.replace('"weather"', '"wind"'), SALES), {"Many #3": {"uid-renamed"}}),
        ((ORDERS, SALES), {"Many #2 (of the base)": {"pipeline-removed"}}),
        ((ORDERS, SALES, WEATHER), {}),
        ((ORDERS, SALES, WEATHER.replace("Last", "Count")), {"Many #3": {"state-removed"}}),
        ((ORDERS, WEATHER, SALES, NEW), {}),
    ],
)
def test_jobs_are_paired_by_their_operators(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], head: tuple[str, ...], rules: dict[str, set[str]]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    path = "src/main/java/jobs/Many.java"
    scratch.commit(**{path: PROGRAM.replace("JOBS", ORDERS + WEATHER + SALES), "pom.xml": POM})
    scratch.commit(**{path: PROGRAM.replace("JOBS", "".join(head))})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = {
        p["name"]: {f["rule"] for f in p["findings"] if f["severity"] in ("error", "warning")}
        for p in report["pipelines"]
    }
    assert {name: found_rules for name, found_rules in found.items() if found_rules} == rules
