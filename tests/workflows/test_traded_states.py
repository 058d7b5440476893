"""Two states that trade places in a function's code are each continued with what the other one held."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x).process(new Balance()).uid("balance").print();
    env.execute();
  }
}
""",
    "Balance": """public class Balance extends KeyedProcessFunction<String, String, String> {
  private transient Account paid;
  private transient Account owed;
  private transient ValueState<Long> first;
  private transient ValueState<Long> last;
  @Override public void open(OpenContext context) throws Exception {
    paid = new Account(getRuntimeContext(), "paid");
    owed = new Account(getRuntimeContext(), "owed");
    first = getRuntimeContext().getState(new ValueStateDescriptor<>("first", Long.class));
    last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Long.class));
  }
  private static void move(Account from, Account to, long amount) throws Exception {
    from.add(-amount);
    to.add(amount);
  }
  private static void keep(ValueState<Long> a, ValueState<Long> b, long time) throws Exception {
    if (a.value() == null) { a.update(time); }
    b.update(time);
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    long amount = x.length();
    move(owed, paid, amount);
    keep(first, last, c.timestamp());
    long span = last.value() - first.value();
    out.collect(x + span);
    if (paid.sum() > 10) { paid.add(1); }
    if (owed.sum() > 20) { owed.add(2); }
  }
}
""",
    "Account": """class Account {
  private final ValueState<Long> sum;
  Account(RuntimeContext context, String name) {
    sum = context.getState(new ValueStateDescriptor<>(name, Long.class));
  }
  long sum() throws Exception { return sum.value() == null ? 0 : sum.value(); }
  void add(long amount) throws Exception { sum.update(sum() + amount); }
}
""",
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("move(owed, paid, amount)", "move(paid, owed, amount)"),
        ("    move(owed, paid, amount);", "    System.out.println(x);\n    move(paid, owed, amount);"),
        ("keep(first, last, c", "keep(last, first, c"),
    ],
)
def test_states_that_trade_places_are_no_silent_pass(before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, "Balance", before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("move(owed, paid, amount)", "move(owed, paid, amount + 1)"),
        ("    long amount = x.length();\n    move(owed, paid, amount);", "    move(owed, paid, x.length());"),
        ("last.value() - first.value()", "first.value() - last.value()"),
        ("    long span = last.value() - first.value();\n",
         "    long from = first.value();\n    long to = last.value();\n    long span = to - from;\n"),
        ("    if (paid.sum() > 10) { paid.add(1); }\n    if (owed.sum() > 20) { owed.add(2); }\n",
         "    if (owed.sum() > 20) { owed.add(2); }\n    if (paid.sum() > 10) { paid.add(1); }\n"),
    ],
)  # fmt: skip
def test_other_edits_of_such_code_stay_silent(before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, "Balance", before, after) == set()
