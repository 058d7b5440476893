"""A state that is cleared before each time it is read holds nothing of what was restored."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x).process(new Strikes()).uid("strikes").print();
    env.execute();
  }
}
""",
    "Strikes": """public class Strikes extends KeyedProcessFunction<String, String, String> {
  private transient ValueState<Integer> strikes;
  private transient ValueState<String> last;
  @Override public void open(Configuration c) {
    strikes = getRuntimeContext().getState(new ValueStateDescriptor<>("strikes", Integer.class));
    last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", String.class));
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    if (last.value() == null) {
      last.update(x);
    }
    c.timerService().registerEventTimeTimer(c.timestamp() + 60_000);
    if (x.isEmpty()) return;
    Integer before = strikes.value();
    int now = before == null ? 1 : before + 1;
    strikes.update(now);
    if (now > 3) {
      out.collect(x);
      strikes.clear();
    }
  }
  @Override public void onTimer(long ts, OnTimerContext c, Collector<String> out) throws Exception {
    out.collect(last.value());
  }
}
""",
}
READ, ASK = "    Integer before = strikes.value();\n", "    if (last.value() == null) {\n"


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (READ, f"    strikes.clear();\n{READ}", True),
        (ASK, f"    last.clear();\n{ASK}", True),
        (READ, f"    if (x.length() > 9) strikes.clear();\n{READ}", False),
        (READ, f"    if (x.length() > 9) {{ strikes.clear(); }} else {{ out.collect(x); }}\n{READ}", False),
        ("    strikes.update(now);\n", "    strikes.clear();\n    strikes.update(now);\n", False),
    ],
    ids=["on the way to each read", "for each record", "sometimes", "or not", "before it is written"],
)
def test_a_state_is_cleared(before: str, after: str, lost: bool) -> None:
    assert errors(IMPORTS, FILES, "Strikes", before, after) == ({"edit-not-understood"} if lost else set())
