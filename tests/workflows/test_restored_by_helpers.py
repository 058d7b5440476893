"""What becomes of restored state counts also where objects of the program, or anonymous functions, take it over."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.util.Collector;
import org.slf4j.*;
"""
FILES = {
    "Job": """public class Job {
  abstract static class Batch extends RichMapFunction<String, String> implements CheckpointedFunction {
    final List<String> open = new ArrayList<>();
    transient ListState<String> kept;
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").flatMap(new Buffering()).uid("buffering").map(new Batch() {
      @Override public String map(String x) { open.add(x); return x; }
      @Override public void snapshotState(FunctionSnapshotContext context) throws Exception { kept.update(open); }
      @Override public void initializeState(FunctionInitializationContext context) throws Exception {
        kept = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("kept", String.class));
        for (String x : kept.get()) { open.add(x); }
      }
    }).uid("batch").print();
    env.execute();
  }
}
""",
    "Buffering": """public class Buffering extends RichFlatMapFunction<String, String> implements CheckpointedFunction {
  private final Buffer buffer = new Buffer();
  private transient ListState<String> saved;
  @Override public void flatMap(String x, Collector<String> out) { buffer.add(x); }
  @Override public void snapshotState(FunctionSnapshotContext context) throws Exception {
    saved.update(buffer.contents());
  }
  @Override public void initializeState(FunctionInitializationContext context) throws Exception {
    saved = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("saved", String.class));
    buffer.restore(saved.get());
  }
}
""",
    "Buffer": """class Buffer implements java.io.Serializable {
  private static final Logger LOG = LoggerFactory.getLogger(Buffer.class);
  private final List<String> items = new ArrayList<>();
  void add(String x) { items.add(x); }
  List<String> contents() { return new ArrayList<>(items); }
  void restore(Iterable<String> from) {
    for (String x : from) { items.add(x); }
  }
}
""",
}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Buffer", "    for (String x : from) { items.add(x); }\n", ""),
        ("Buffer", "items.add(x); }\n  }", "items.add(x); }\n    items.clear();\n  }"),
        ("Buffer", "items.add(x); }\n  }", "if (x.length() > 3) items.add(x); }\n  }"),
        ("Buffer", "return new ArrayList<>(items);", "return new ArrayList<>();"),
        ("Buffer", "return new ArrayList<>(items);", "return items.subList(0, items.size() / 2);"),
        ("Job", "        for (String x : kept.get()) { open.add(x); }\n", ""),
        ("Job", "        for (String x : kept.get()) { open.add(x); }\n",
         "        for (String x : kept.get()) { open.add(x); }\n        open.clear();\n"),
        ("Job", "kept.update(open)", "kept.update(open.subList(0, 1))"),
        ("Job", "for (String x : kept", "if (!context.isRestored()) for (String x : kept"),
        ("Job", "for (String x : kept", "if (context.isRestored() && open.size() > 3) for (String x : kept"),
    ],
)  # fmt: skip
def test_what_drops_restored_state_is_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "Buffer",
            "  void add(String x) { items.add(x); }",
            "  void add(String x) { if (!x.isEmpty()) items.add(x); }",
        ),
        ("Buffer", "items.add(x); }\n  }", "LOG.info(x); items.add(x); }\n  }"),
        ("Buffer", "{ items.add(x); }\n  }", "this.items.add(x);\n  }"),
        ("Job", "for (String x : kept", "if (context.isRestored()) for (String x : kept"),
        ("Job", "open.add(x); return x;", "open.add(x); return x + x;"),
        ("Job", "{ open.add(x); }\n", "{ System.out.println(x); open.add(x); }\n"),
    ],
)
def test_other_edits_stay_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()
