"""Code that restores and keeps state, written in another way: it keeps what it kept, unless a value is left out."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Event> events = env.socketTextStream("h", 1).uid("s").map(x -> new Event(x, 1L)).returns(Event.class);
    events.map(e -> { return e; }).keyBy(e -> e.user).process(new Pairs()).uid("pairs").print();
    events.map(new Counting()).uid("counting").print();
    env.execute();
  }
}
""",
    "Event": """public class Event {
  public String user;
  public long amount;
  public Event() {}
  public Event(String user, long amount) { this.user = user; this.amount = amount; }
  public String getUser() { return user; }
}
""",
    "Pairs": """public class Pairs extends KeyedProcessFunction<String, Event, Tuple2<String, Long>> {
  private transient ValueState<Tuple2<Long, Long>> pair;
  @Override public void open(Configuration c) {
    pair = getRuntimeContext().getState(new ValueStateDescriptor<>("pair", Types.TUPLE(Types.LONG, Types.LONG)));
  }
  @Override public void processElement(Event e, Context ctx, Collector<Tuple2<String, Long>> out) throws Exception {
    Tuple2<Long, Long> p = pair.value() == null ? Tuple2.of(0L, 0L) : pair.value();
    p.f0 += 1;
    if (p.f0 < 3) {
      pair.update(Tuple2.of(p.f0, p.f1 + e.amount));
    } else {
      pair.update(p);
    }
    out.collect(Tuple2.of(e.user, p.f1));
  }
}
""",
    "Counting": """public class Counting extends RichMapFunction<Event, Tuple2<String, Long>>
    implements CheckpointedFunction {
  private Map<String, Long> counts = new HashMap<>();
  private transient ListState<Tuple2<String, Long>> kept;
  @Override public Tuple2<String, Long> map(Event e) { return Tuple2.of(e.user, counts.merge(e.user, 1L, Long::sum)); }
  @Override public void snapshotState(FunctionSnapshotContext c) throws Exception {
    kept.clear();
    for (Map.Entry<String, Long> entry : counts.entrySet()) {
      kept.add(Tuple2.of(entry.getKey(), entry.getValue()));
    }
  }
  @Override public void initializeState(FunctionInitializationContext c) throws Exception {
    kept = c.getOperatorStateStore().getListState(
        new ListStateDescriptor<>("kept", Types.TUPLE(Types.STRING, Types.LONG)));
    for (Tuple2<String, Long> t : kept.get()) {
      Long before = counts.get(t.f0);
      if (before == null) {
        before = 0L;
      }
      counts.put(t.f0, before + t.f1);
    }
  }
}
""",
}
SUMMED = FILES["Counting"][FILES["Counting"].index("      Long before") : FILES["Counting"].index("    }\n  }\n}\n")]
PAIR = "pair.update(Tuple2.of(p.f0, p.f1 + e.amount));"
KEPT = "kept.add(Tuple2.of(entry.getKey(), entry.getValue()));"
SAME = "e -> { return e; }"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Counting", SUMMED, "counts.put(t.f0, counts.getOrDefault(t.f0, 0L) + t.f1);\n"),
        ("Counting", SUMMED, "counts.merge(t.f0, t.f1, Long::sum);\n"),
        ("Counting", "      counts.put(t.f0,", "      String user = t.f0;\n      counts.put(user,"),
        ("Counting", KEPT, "String user = entry.getKey();\n      kept.add(Tuple2.of(user, entry.getValue()));"),
        ("Counting", KEPT, "kept.add(new Tuple2<>(entry.getKey(), entry.getValue()));"),
        ("Counting", KEPT, "Tuple2<String, Long> t = Tuple2.of(entry.getKey(), entry.getValue());\n      kept.add(t);"),
        ("Pairs", PAIR, "p.f1 += e.amount;\n      pair.update(p);"),
        ("Pairs", PAIR, "pair.update(new Tuple2<>(p.f0, e.amount + p.f1));"),
        ("Pairs", "out.collect(Tuple2.of(e.user, p.f1));", "out.collect(Tuple2.of(e.getUser(), p.f1));"),
        ("Job", SAME, "e -> e"),
        ("Job", SAME, "e -> new Event(e.user, e.amount)"),
        ("Job", SAME, "e -> new Event(e.getUser(), e.amount + 1)"),
    ],
)
def test_another_way_to_write_it_is_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Counting", SUMMED, "counts.put(t.f0, counts.getOrDefault(t.f1, 0L) + t.f1);\n"),
        ("Counting", SUMMED, "counts.putIfAbsent(t.f0, 0L);\n"),
        ("Counting", "before + t.f1", "before"),
        (
            "Counting",
            "      counts.put(t.f0,",
            "      String user = t.f0;\n      user = c.toString();\n      counts.put(user,",
        ),
        ("Counting", "      counts.put(t", "      long n = t.f1;\n      t.f1 = 0L;\n      counts.put(t"),
        ("Counting", KEPT, "String user = entry.getKey();\n      kept.add(Tuple2.of(user, 0L));"),
        ("Pairs", PAIR, "pair.update(Tuple2.of(p.f0, e.amount));"),
        ("Pairs", PAIR, "p.f1 = e.amount;\n      pair.update(p);"),
        ("Job", SAME, "e -> new Event(e.user.trim(), e.amount)"),
        ("Job", SAME, 'e -> e.amount > 0 ? e : new Event("none", e.amount)'),
    ],
)
def test_what_leaves_values_out_is_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}
