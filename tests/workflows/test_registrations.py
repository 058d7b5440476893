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
PROCESS = "  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {\n"
FOLDER = "src/main/java/jobs/"
CLASSES = {"Stateful": BASE, "Watch": WATCH, "Batch": BATCH, "Visits": VISITS, "Job": JOB}
FILES = {"pom.xml": POM, **{f"{FOLDER}{name}.java": text for name, text in CLASSES.items()}}


@pytest.mark.parametrize(
    ("name", "before", "after", "found"),
    [
        ("Watch", "    peak = ", "    if (level > 1) peak = ", True),
        ("Watch", "    peak = ", "    if (level > 1) return;\n    peak = ", True),
        ("Watch", "    peak = ", "  }\n  private void register() {\n    peak = ", True),
        ("Watch", "    super.open(context);\n", "", True),
        ("Watch", "open(OpenContext context) throws", "open() throws", True),
        ("Stateful", "    touched = ", "    if (getRuntimeContext() != null) return;\n    touched = ", True),
        ("Watch", "    peak = ", "    if (client == null) { client = new Object(); }\n    peak = ", False),
        ("Watch", "    peak = ", "    register();\n  }\n  private void register() {\n    peak = ", False),
        ("Watch", "{ peak.update(1L); }", "{ if (level > 1) { return; } peak.update(1L); }", False),
        ("Batch", "    saved.update(pending);\n", "", True),
        ("Batch", "    for (String x : saved.get()) pending.add(x);\n", "", True),
        ("Batch", "for (String x : saved.get()) pending.add(x)", "saved.get().forEach(pending::add)", False),
        ("Batch", "    saved.update(pending);", "    saved.clear();\n    saved.addAll(pending);", False),
        ("Batch", "    for (String x", "    if (!context.isRestored()) for (String x", True),
        ("Batch", "    for (String x", "    if (context.isRestored()) { return; }\n    for (String x", True),
        ("Batch", "    for (String x : saved.get()) pending.add(x);\n",
         "    for (String x : saved.get()) pending.add(x);\n    pending.clear();\n", True),
        ("Batch", "pending.add(x);\n  }\n}", "{ if (x.length() > 3) pending.add(x); }\n  }\n}", True),
        ("Batch", "saved.update(pending)", "saved.update(pending.subList(0, pending.size() / 2))", True),
        ("Batch", "    saved.update(pending);", "    saved.addAll(pending);\n    saved.clear();", True),
        ("Batch", "  @Override public void flatMap",
         "  @Override public void open(OpenContext context) { pending.clear(); }\n"
         "  @Override public void flatMap", True),
        ("Batch", "  @Override public void flatMap",
         "  private Object client;\n  @Override public void open(OpenContext context) { client = new Object(); }\n"
         "  @Override public void flatMap", False),
        ("Batch", "    for (String x : saved.get()) pending.add(x);\n",
         "    Object client = new Object();\n    if (client != null) { client.notify(); }\n"
         "    System.out.println(pending.size());\n    for (String y : saved.get()) { this.pending.add(y); }\n"
         "    getRuntimeContext().getMetricGroup().gauge(\"pending\", () -> pending.size());\n", False),
        ("Batch", "    for (String x : saved.get()) pending.add(x);\n",
         "    restore(context.isRestored());\n  }\n  private void restore(boolean restored) throws Exception {\n"
         "    for (String x : saved.get()) pending.add(x);\n", False),
        ("Batch", "pending", "waiting", False),
        ("Batch", "pending.add(x); }", "if (!x.isEmpty()) { pending.add(x); } }", False),
        ("Batch", "    saved.update(pending);\n  }",
         "    store(saved);\n  }\n  private void store(ListState<String> to) throws Exception { to.update(pending); }",
         False),
        ("Visits", "    hubs.put(x, count == null ? 1L : count + 1);\n", "", True),
        ("Visits", "    Long count = hubs.get(x);\n", "    Long count = 0L;\n", True),
        ("Visits", "    touched.update(2L);\n", "", True),
        ("Visits", "    sum.update(total == null ? 1L : total + 1);\n", "", True),
        ("Visits", "{ low.update(1L); }", "{ touched.update(1L); }", True),
        ("Visits", "    touched.update(2L);\n  }",
         "  }\n  private void keep() throws Exception { touched.update(2L); }", True),
        ("Visits", "    super.open(context);\n", "    super.open(context);\n    touched = getRuntimeContext().getState("
         'new ValueStateDescriptor<>("seen", Long.class));\n', True),
        ("Visits", "sum = getRuntimeContext().getState(SUM);",
         'sum = getRuntimeContext().getState(SUM);\n    '
         'sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum2", Long.class));', True),
        ("Visits", "    sum.update(",
         '    getRuntimeContext().getState(new ValueStateDescriptor<>("sum2", Long.class)).update(', True),
        ("Visits", LOW_HIGH, LOW_HIGH.replace("low", "x").replace("high", "low").replace("x", "high"), True),
        ("Visits", "    hubs.put(x, count == null ? 1L : count + 1);",
         "    hubs.put(x, count != null ? count + 1 : 1L);", False),
        ("Visits", "    hubs.put(x, ", "    hubs.remove(x);\n    hubs.put(x, ", False),
        ("Visits", PROCESS + "    Long before = touched.value();",
         "  private Long before() throws Exception { return touched.value(); }\n" + PROCESS
         + "    Long before = before();", False),
        ("Visits", "    touched.update(2L);\n  }",
         "    Runnable later = () -> store();\n    later.run();\n  }\n  private void store() {\n"
         "    try { touched.update(2L); } catch (Exception e) { throw new RuntimeException(e); }\n  }", False),
        ("Visits", "    touched.update(2L);\n  }",
         "    seen().update(2L);\n  }\n  private ValueState<Long> seen() { return touched; }", False),
        ("Visits", "    touched.update(2L);\n  }", "    new Inner().store();\n  }\n  private class Inner {\n"
         "    void store() throws Exception { touched.update(2L); }\n  }", False),
        ("Visits", "    Long count = hubs.get(x);", "    Long count = Lookup.in(hubs, x);", False),
        ("Visits", "    ValueState<Long> sum = getRuntimeContext().getState(SUM);\n    Long total = sum.value();",
         "    Long total = getRuntimeContext().getState(SUM).value();\n"
         "    ValueState<Long> sum = getRuntimeContext().getState(SUM);", False),
        ("Visits", "    sum.update(",
         '    getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Long.class)).update(', False),
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
    assert rules == ({"edit-not-understood"} if found else set())


PAGES = """package jobs;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.core.io.*;
public class Pages implements Source<String, Pages.Page, Long> {
  public static class Page implements SourceSplit { public String splitId() { return "p"; } }
  @Override public Boundedness getBoundedness() { return Boundedness.CONTINUOUS_UNBOUNDED; }
  @Override public SplitEnumerator<Page, Long> createEnumerator(SplitEnumeratorContext<Page> c) {
    return new Pager(c, 0L);
  }
  @Override public SplitEnumerator<Page, Long> restoreEnumerator(SplitEnumeratorContext<Page> c, Long last) {
    return new Pager(c, last);
  }
  @Override public SourceReader<String, Page> createReader(SourceReaderContext c) { return new Reader(); }
  @Override public SimpleVersionedSerializer<Page> getSplitSerializer() { return null; }
  @Override public SimpleVersionedSerializer<Long> getEnumeratorCheckpointSerializer() { return null; }
  static class Pager implements SplitEnumerator<Page, Long> {
    private final SplitEnumeratorContext<Page> context;
    private long last;
    Pager(SplitEnumeratorContext<Page> context, Long last) { this.context = context; this.last = last; }
    @Override public void start() { }
    @Override public void handleSplitRequest(int task, String host) { context.assignSplit(new Page(), task); last++; }
    @Override public Long snapshotState(long id) { return last; }
  }
  static class Reader implements SourceReader<String, Page> {
    private final Deque<Page> pages = new ArrayDeque<>();
    @Override public void start() { }
    @Override public InputStatus pollNext(ReaderOutput<String> out) { return InputStatus.NOTHING_AVAILABLE; }
    @Override public List<Page> snapshotState(long id) { return new ArrayList<>(pages); }
    @Override public void addSplits(List<Page> more) { pages.addAll(more); }
  }
}
"""
CRAWL = """package jobs;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Crawl {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSource(new Pages(), WatermarkStrategy.noWatermarks(), "pages").uid("pages").print();
    env.execute();
  }
}
"""


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("return new Pager(c, last);", "return createEnumerator(c);", True),
        ("this.last = last;", "this.last = 0;", True),
        (
            "start() { }\n    @Override public void handle",
            "start() { last = 0; }\n    @Override public void handle",
            True,
        ),
        ("{ return last; }", "{ return 0L; }", True),
        ("pages.addAll(more);", "more.stream().filter(p -> p.splitId() != null).forEach(pages::add);", True),
        ("return new ArrayList<>(pages);", "return List.of();", True),
        ("return new ArrayList<>(pages);", "return new ArrayList<Page>();", True),
        ("return new ArrayList<>(pages);", "return new ArrayList<Page>(pages);", False),
        ("return new ArrayList<>(pages);", "return new ArrayList(pages);", False),
        ("{ pages.addAll(more); }", "{ for (Page page : more) { System.out.println(page); pages.add(page); } }", False),
        ("this.context = context; this.last = last;", "this.context = context;\n    this.last = last;", False),
        ("context.assignSplit(new Page(), task); last++;", "last++; context.assignSplit(new Page(), task);", False),
    ],
)
def test_what_a_source_restores_is_taken_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, found: bool
) -> None:
    scratch = Scratch(tmp_path / "repo")
    path = f"{FOLDER}Pages.java"
    scratch.commit(**{"pom.xml": POM, path: PAGES, f"{FOLDER}Crawl.java": CRAWL})
    assert before in PAGES
    scratch.commit(**{path: PAGES.replace(before, after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    rules = {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}
    assert rules == ({"edit-not-understood"} if found else set())
