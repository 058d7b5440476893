"""Timers lie in the savepoint: a function that does nothing any more when they fire loses what they were for."""

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
FIRES = """  @Override public void onTimer(long ts, OnTimerContext c, Collector<String> out) throws Exception {
    out.collect(c.getCurrentKey() + " is idle");
  }
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x).process(new Idle()).uid("idle").print();
    env.execute();
  }
}
""",
    "Idle": "public class Idle extends KeyedProcessFunction<String, String, String> {\n"
    "  @Override public void processElement(String x, Context c, Collector<String> out) {\n"
    "    out.collect(x);\n"
    "    c.timerService().registerEventTimeTimer(c.timestamp() + 60_000);\n"
    "  }\n" + FIRES + "}\n",
}
WAKES = "    wake(c.getCurrentKey(), out);\n  }\n  private void wake(String key, Collector<String> out) {\n"


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (FIRES, "", True),
        ('    out.collect(c.getCurrentKey() + " is idle");\n', "", True),
        ('out.collect(c.getCurrentKey() + " is idle");', "System.out.println(ts);", True),
        ('    out.collect(c.getCurrentKey() + " is idle");\n', WAKES + '    out.collect(key + " is idle");\n', False),
        (" is idle", " sleeps", False),
        ("60_000", "30_000", False),
    ],
    ids=["removed", "empty", "only logs", "in a method", "another text", "earlier"],
)
def test_what_happens_when_a_timer_fires(before: str, after: str, lost: bool) -> None:
    assert errors(IMPORTS, FILES, "Idle", before, after) == ({"edit-not-understood"} if lost else set())


def test_a_function_without_timers_may_lose_what_they_would_do() -> None:
    files = {**FILES, "Idle": FILES["Idle"].replace("c.timerService().registerEventTimeTimer(", "Math.abs(")}
    assert errors(IMPORTS, files, "Idle", FIRES, "") == set()
