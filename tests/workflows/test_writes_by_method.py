"""A state that one of Flink's calls wrote and writes no more is lost in part, though other calls still write it."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
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
    env.fromSequence(1, 9).uid("s").keyBy(x -> x % 3).process(new Retrying()).uid("retrying").print().uid("out");
    env.execute();
  }
}
""",
    "Retrying": """public class Retrying extends KeyedProcessFunction<Long, Long, String> {
  private transient ValueState<Long> sum;
  private transient ValueState<Boolean> waits;
  private transient ListState<Long> refused;
  @Override public void open(Configuration c) {
    sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Long.class));
    waits = getRuntimeContext().getState(new ValueStateDescriptor<>("waits", Boolean.class));
    refused = getRuntimeContext().getListState(new ListStateDescriptor<>("refused", Long.class));
  }
  @Override public void processElement(Long x, Context ctx, Collector<String> out) throws Exception {
    Long before = sum.value();
    if (x < 7) {
      sum.update(before == null ? x : before + x);
    } else {
      refused.add(x);
      if (waits.value() == null) {
        ctx.timerService().registerProcessingTimeTimer(ctx.timerService().currentProcessingTime() + 60_000L);
        waits.update(true);
      }
    }
    out.collect("" + sum.value());
  }
  @Override public void onTimer(long time, OnTimerContext ctx, Collector<String> out) throws Exception {
    List<Long> left = new ArrayList<>();
    for (Long x : refused.get()) {
      if (x < 9) {
        sum.update(sum.value() == null ? x : sum.value() + x);
      } else {
        left.add(x);
      }
    }
    refused.update(left);
    waits.update(false);
    if (!left.isEmpty()) {
      out.collect("left: " + left.size());
    }
  }
}
""",
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        left.add(x);\n", "        out.collect(x.toString());\n"),
        ("    refused.update(left);\n", "    refused.clear();\n"),
        ("      sum.update(before == null ? x : before + x);\n", '      out.collect("" + x);\n'),
        ("        sum.update(sum.value() == null ? x : sum.value() + x);\n", "        out.collect(sum.value() + x);\n"),
    ],
)
def test_a_write_that_is_gone_is_no_silent_pass(before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, "Retrying", before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    refused.update(left);\n", "    refused.clear();\n    refused.addAll(left);\n"),
        ("    refused.update(left);\n", "    keep(left);\n"),
        ("    waits.update(false);\n", "    waits.clear();\n"),
        ("        left.add(x);\n", "        left = with(left, x);\n"),
        ("      sum.update(before == null ? x : before + x);\n", "      add(before, x);\n"),
    ],
)
def test_a_write_in_other_words_is_silent(before: str, after: str) -> None:
    helpers = """  private void keep(List<Long> values) throws Exception { refused.update(values); }
  private void add(Long before, long x) throws Exception { sum.update(before == null ? x : before + x); }
  private static List<Long> with(List<Long> values, Long x) { values.add(x); return values; }
}
"""
    files = {**FILES, "Retrying": FILES["Retrying"].removesuffix("}\n") + helpers}
    assert errors(IMPORTS, files, "Retrying", before, after) == set()
