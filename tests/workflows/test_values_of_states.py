"""Where the values of states go, what is written of them, and which timers wait for them."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  private static final boolean KEEP = true;
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x).process(new Totals(3, KEEP)).uid("totals").print();
    env.execute();
  }
}
""",
    "Totals": """public class Totals extends KeyedProcessFunction<String, String, String> {
  private final int least;
  private final boolean enabled;
  private transient ValueState<Long> total;
  private transient MapState<String, Long> pages;
  private transient ListState<String> waiting;
  private transient Visits visits;
  public Totals(int least, boolean enabled) { this.least = least; this.enabled = enabled; }
  @Override public void open(OpenContext context) throws Exception {
    total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Long.class));
    pages = getRuntimeContext().getMapState(new MapStateDescriptor<>("pages", String.class, Long.class));
    waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("waiting", String.class));
    visits = new Visits(getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Integer.class)));
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    Long before = total.value();
    long sum = (before == null ? 0L : before) + x.length();
    if (enabled) { total.update(sum); }
    Long seen = pages.get(x);
    pages.put(x, seen == null ? 1L : seen + 1);
    waiting.add(x);
    visits.count();
    if (visits.many(least)) { out.collect("often"); }
    out.collect(x + sum + seen);
    c.timerService().registerEventTimeTimer(c.timestamp() + 1000);
  }
  private long next(String x) throws Exception { return pages.contains(x) ? pages.get(x) + 1 : 1L; }
  @Override public void onTimer(long time, OnTimerContext c, Collector<String> out) throws Exception {
    for (String w : waiting.get()) { out.collect(w); }
    waiting.clear();
  }
}
""",
    "Visits": """class Visits {
  private final ValueState<Integer> seen;
  Visits(ValueState<Integer> seen) { this.seen = seen; }
  private int soMany() throws Exception { return seen.value() == null ? 0 : seen.value(); }
  boolean many(int limit) throws Exception { return soMany() > limit; }
  void count() throws Exception { seen.update(soMany() + 1); }
}
""",
    "Later": """class Later {
  static void wake(KeyedProcessFunction<String, String, String>.Context c) {
    c.timerService().registerEventTimeTimer(c.timestamp() + 5000);
  }
}
""",
}
UPDATE = "if (enabled) { total.update(sum); }"
PUT = "pages.put(x, seen == null ? 1L : seen + 1);"
ADD = "    waiting.add(x);\n"
TIMER = "c.timerService().registerEventTimeTimer(c.timestamp() + 1000);"
OUT = "out.collect(x + sum + seen);"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Job", "new Totals(3, KEEP)", "new Totals(3, false)"),
        ("Job", "KEEP = true", "KEEP = false"),
        ("Totals", "this.enabled = enabled;", "this.enabled = false;"),
        ("Totals", UPDATE, "if (!enabled) { total.update(sum); }"),
        ("Totals", UPDATE, "if (x.length() > 3) { total.update((long) x.length()); }"),
        ("Totals", UPDATE, "total.update(sum > 0 ? null : null);"),
        ("Totals", UPDATE, "Long none = null; total.update(none);"),
        ("Totals", UPDATE, "if (x.length() < 0) { total.update(sum); }"),
        ("Totals", UPDATE, "if (!x.equals(x)) { total.update(sum); }"),
        ("Totals", OUT, "out.collect(x + seen);"),
        ("Totals", OUT, "out.collect(x + sum);"),
        ("Totals", PUT, f"{PUT} pages.remove(x);"),
        ("Totals", PUT, f"if (sum > 0) {{ {PUT} pages.clear(); }}"),
        ("Totals", PUT, "pages.put(x, 1L);"),
        ("Totals", PUT, "pages.put(x, null);"),
        ("Totals", ADD, f"    if (x.length() >= 0) {{ waiting.clear(); return; }}\n{ADD}"),
        ("Totals", ADD, f"    if (sum > 3 || sum <= 3) {{ waiting.clear(); return; }}\n{ADD}"),
        ("Totals", TIMER, ""),
        ("Totals", TIMER, f"if (!enabled) {{ {TIMER} }}"),
        ("Totals", TIMER, f"{TIMER} {TIMER.replace('register', 'delete')}"),
        ("Totals", TIMER, TIMER.replace("c.timestamp() + 1000", "Long.MAX_VALUE")),
        ("Visits", "return soMany() > limit;", "return false;"),
    ],
)
def test_values_that_are_lost_are_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Job", "new Totals(3, KEEP)", "new Totals(4, true)"),
        ("Totals", UPDATE, "if (enabled && sum > 0) { total.update(sum); }"),
        ("Totals", UPDATE, "if (before == null || x.length() > before) { total.update((long) x.length()); }"),
        ("Totals", UPDATE, "total.update(sum > 100 ? null : sum);"),
        ("Totals", UPDATE, "Long next = null; if (sum > 0) { next = sum; } total.update(next);"),
        ("Totals", UPDATE, "if (x.length() > 0) { total.update(sum); }"),
        ("Totals", OUT, "if (sum > 3) { out.collect(x + sum + seen); }"),
        ("Totals", OUT, 'String line = x + " " + total.value() + pages.get(x); out.collect(line);'),
        ("Totals", PUT, f"{PUT} if (x.isEmpty()) {{ pages.remove(x); }}"),
        ("Totals", PUT, f"pages.remove(x); {PUT}"),
        ("Totals", PUT, "pages.put(x, next(x));"),
        ("Totals", ADD, f"    if (sum < 0) {{ waiting.clear(); return; }}\n{ADD}"),
        ("Totals", TIMER, TIMER.replace("1000", "2000")),
        ("Totals", TIMER, f"if (sum > 0) {{ {TIMER} }}"),
        ("Totals", TIMER, "Later.wake(c);"),
        ("Totals", TIMER, "c.timerService().registerProcessingTimeTimer(c.timestamp() + 1000);"),
        ("Visits", "return soMany() > limit;", "int n = soMany(); return n >= limit;"),
    ],
)
def test_everyday_edits_stay_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()
