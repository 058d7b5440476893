"""A state counts where Flink's calls lead to the statement that asks for it, not where a class names it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

POM = (
    "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency></dependencies></project>"
)
BASE = """package jobs;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
public abstract class Stateful<K, I, O> extends KeyedProcessFunction<K, I, O> {
  protected transient ValueState<Long> touched;
  @Override public void open(OpenContext context) throws Exception {
    touched = getRuntimeContext().getState(new ValueStateDescriptor<>("touched", Long.class));
  }
}
"""
WATCH = """package jobs;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.util.Collector;
public class Watch extends Stateful<String, String, String> {
  private final int level;
  private transient ValueState<Long> peak;
  private transient Object client;
  public Watch(int level) { this.level = level; }
  @Override public void open(OpenContext context) throws Exception {
    super.open(context);
    peak = getRuntimeContext().getState(new ValueStateDescriptor<>("peak", Long.class));
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    if (peak != null) { peak.update(1L); }
    out.collect(x);
  }
}
"""
JOB = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x).process(new Watch(1)).uid("watch")
      .flatMap(new Batch()).uid("batch").keyBy(x -> x).process(new Visits()).uid("visits").print();
    env.execute();
  }
}
"""
BATCH = """package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.util.Collector;
public class Batch extends RichFlatMapFunction<String, String> implements CheckpointedFunction {
  private final List<String> pending = new ArrayList<>();
  private transient ListState<String> saved;
  @Override public void flatMap(String x, Collector<String> out) { pending.add(x); }
  @Override public void snapshotState(FunctionSnapshotContext context) throws Exception {
    saved.update(pending);
  }
  @Override public void initializeState(FunctionInitializationContext context) throws Exception {
    saved = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("saved", String.class));
    for (String x : saved.get()) pending.add(x);
  }
}
"""
VISITS = """package jobs;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.util.Collector;
public class Visits extends Stateful<String, String, String> {
  private static final ValueStateDescriptor<Long> SUM = new ValueStateDescriptor<>("sum", Long.class);
  private transient MapState<String, Long> hubs;
  private transient ValueState<Long> low;
  private transient ValueState<Long> high;
  @Override public void open(OpenContext context) throws Exception {
    super.open(context);
    hubs = getRuntimeContext().getMapState(new MapStateDescriptor<>("hubs", String.class, Long.class));
    low = getRuntimeContext().getState(new ValueStateDescriptor<>("low", Long.class));
    ValueStateDescriptor<Long> top = new ValueStateDescriptor<>("high", Long.class);
    high = getRuntimeContext().getState(top);
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    Long before = touched.value();
    Long count = hubs.get(x);
    hubs.put(x, count == null ? 1L : count + 1);
    if (low.value() == null) { low.update(1L); }
    if (high.value() == null) { high.update(1L); }
    ValueState<Long> sum = getRuntimeContext().getState(SUM);
    Long total = sum.value();
    sum.update(total == null ? 1L : total + 1);
    out.collect(x + before);
    touched.update(2L);
  }
}
"""
LOW_HIGH = """<>("low", Long.class));
    ValueStateDescriptor<Long> top = new ValueStateDescriptor<>("high\""""
NEW = '    low = getRuntimeContext().getState(new ValueStateDescriptor<>("new", Long.class));\n    ValueStateDescriptor'
MIGRATED = VISITS.replace("low", "old").replace('("old"', '("low"')
MIGRATED = MIGRATED.replace("> high;", "> high, low;").replace("    ValueStateDescriptor", NEW)
MIGRATED = MIGRATED.replace("    if (high", "    low.update(old.value());\n    if (high")
PROCESS = "  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {\n"
FOLDER = "src/main/java/jobs/"
CLASSES = {"Stateful": BASE, "Watch": WATCH, "Batch": BATCH, "Visits": VISITS, "Job": JOB}
FILES = {"pom.xml": POM, **{f"{FOLDER}{name}.java": text for name, text in CLASSES.items()}}


@pytest.mark.parametrize(
    ("name", "before", "after", "found"),
    [
        ("Watch", "    peak = ", "    if (level > 1) peak = ", True),
        ("Watch", "    peak = ", "    if (level > 1) return;\n    peak = ", False),
        ("Watch", "    peak = ", "    if (level < 2) return;\n    peak = ", True),
        ("Watch", "    peak = ", "  }\n  private void register() {\n    peak = ", True),
        ("Watch", "    super.open(context);\n", "", True),
        ("Watch", "open(OpenContext context) throws", "open() throws", True),
        ("Stateful", "    touched = ", "    if (getRuntimeContext() != null) return;\n    touched = ", True),
        ("Watch", "    peak = ", "    if (client == null) { client = new Object(); }\n    peak = ", False),
        ("Watch", "    peak = ", "    register();\n  }\n  private void register() {\n    peak = ", False),
        ("Batch", "    for (String x : saved.get()) pending.add(x);\n",
         "    restore(context.isRestored());\n  }\n  private void restore(boolean restored) throws Exception {\n"
         "    for (String x : saved.get()) pending.add(x);\n", False),
        ("Visits", "    super.open(context);\n",
         "    super.open(context);\n    touched = getRuntimeContext().getState("
         'new ValueStateDescriptor<>("seen", Long.class));\n', True),
        ("Visits", VISITS, MIGRATED, False),
        ("Visits", VISITS, MIGRATED.replace("old.", "low."), True),
        ("Visits", LOW_HIGH, LOW_HIGH.replace("low", "x").replace("high", "low").replace("x", "high"), True),
        ("Visits", PROCESS + "    Long before = touched.value();",
         "  private Long before() throws Exception { return touched.value(); }\n" + PROCESS
         + "    Long before = before();", False),
        ("Visits", "    touched.update(2L);\n  }",
         "    seen().update(2L);\n  }\n  private ValueState<Long> seen() { return touched; }", False),
        ("Visits", "    touched.update(2L);\n  }", "    new Inner().store();\n  }\n  private class Inner {\n"
         "    void store() throws Exception { touched.update(2L); }\n  }", False),
        ("Visits", "    high = getRuntimeContext().getState(top);",
         '    low = getRuntimeContext().getState(new ValueStateDescriptor<>("low", Long.class));\n'
         "    high = getRuntimeContext().getState(top);", False),
        ("Visits", "    super.open(context);\n",
         "    super.open(context);\n    String name = getClass().getName();\n", False),
    ],
)  # fmt: skip
def test_what_is_no_longer_asked_for_is_no_silent_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, before: str, after: str, found: bool
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**FILES)
    path = f"{FOLDER}{name}.java"
    assert before in FILES[path]
    text = FILES[path].replace(before, after)
    scratch.commit(**{path: text.replace("@Override public void open()", "public void open()")})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    rules = {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}
    assert bool(rules) == found
