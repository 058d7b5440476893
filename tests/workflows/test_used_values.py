"""A state whose values nothing makes use of, or that every record overwrites, is lost though its code names it."""

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
import org.slf4j.*;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x).process(new Totals(3, new Mode(true))).uid("totals").print();
    env.execute();
  }
}
""",
    "Totals": """public class Totals extends KeyedProcessFunction<String, String, String> {
  private static final Logger LOG = LoggerFactory.getLogger(Totals.class);
  private static final boolean STRICT = true;
  private static final int MOST = 10;
  private final int least;
  private final Mode mode;
  private transient ValueState<Long> total;
  private transient ValueState<Long> best;
  private transient ListState<String> waiting;
  private transient ListState<String> marks;
  private transient Visits visits;
  public Totals(int least, Mode mode) { this.least = least; this.mode = mode; }
  @Override public void open(OpenContext context) throws Exception {
    total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Long.class));
    best = getRuntimeContext().getState(new ValueStateDescriptor<>("best", Long.class));
    waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("waiting", String.class));
    marks = getRuntimeContext().getListState(new ListStateDescriptor<>("marks", String.class));
    visits = new Visits(getRuntimeContext());
  }
  private long soFar(long fallback) throws Exception {
    Long found = total.value();
    return found == null ? fallback : found;
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    long sum = soFar(0L) + x.length();
    total.update(sum);
    Long top = best.value();
    if (top == null || top < sum) { best.update(sum); }
    waiting.add(x);
    visits.count();
    if (mode.isOn()) { mark(x, true); }
    if (visits.many(MOST)) { out.collect("often"); }
    out.collect(x + sum);
    c.timerService().registerProcessingTimeTimer(sum);
  }
  private void mark(String x, boolean really) throws Exception {
    if (!really) { return; }
    marks.add(x);
  }
  @Override public void onTimer(long time, OnTimerContext c, Collector<String> out) throws Exception {
    for (String w : waiting.get()) { out.collect(w); }
    waiting.clear();
    for (String m : marks.get()) { out.collect(m); }
  }
}
""",
    "Mode": """class Mode implements java.io.Serializable {
  private final boolean on;
  Mode(boolean on) { this.on = on; }
  boolean isOn() { return on; }
}
""",
    "Visits": """class Visits {
  private final ValueState<Integer> seen;
  Visits(RuntimeContext context) {
    seen = context.getState(new ValueStateDescriptor<>("seen", Integer.class));
  }
  private int soMany() throws Exception { return seen.value() == null ? 0 : seen.value(); }
  boolean many(int limit) throws Exception { return soMany() > limit; }
  void count() throws Exception { seen.update(soMany() + 1); }
}
""",
}
UPDATE = "    total.update(sum);\n"
RETURN = "return found == null ? fallback : found;"
ADD = "    waiting.add(x);\n"
BEST = "    Long top = best.value();\n"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Totals", RETURN, "return fallback;"),
        ("Totals", RETURN, "found = fallback;\n    return found;"),
        ("Totals", RETURN, "LOG.info(\"{}\", found);\n    return fallback;"),
        ("Totals", "    long sum = soFar(0L) + x.length();\n", "    soFar(0L);\n    long sum = x.length();\n"),
        ("Totals", "    long sum = soFar(0L) + x.length();\n",
         "    long unused = soFar(0L);\n    long sum = x.length();\n"),
        ("Totals", UPDATE, UPDATE + "    total.clear();\n"),
        ("Totals", UPDATE, "    total.update(sum);\n    total.update(null);\n"),
        ("Totals", UPDATE, "    total.update((long) x.length());\n"),
        ("Totals", UPDATE, "    if (false) { total.update(sum); }\n"),
        ("Totals", UPDATE, "    if (!STRICT) { total.update(sum); }\n"),
        ("Totals", UPDATE, "    if (MOST < 5) total.update(sum);\n"),
        ("Totals", UPDATE, "    if (x == null) { total.update(sum); }\n"),
        ("Totals", UPDATE, "    if (sum < 0 && sum > 0) { total.update(sum); }\n"),
        ("Totals", UPDATE, "    if (x.isEmpty() && !x.isEmpty()) { total.update(sum); }\n"),
        ("Totals", UPDATE, "    if (STRICT) { out.collect(x); return; }\n" + UPDATE),
        ("Totals", UPDATE, "    if (x != null) { out.collect(x); return; }\n" + UPDATE),
        ("Totals", BEST, "    best.value();\n    Long top = null;\n"),
        ("Totals", BEST, "    Long top = best.value();\n    top = null;\n"),
        ("Totals", ADD, "    waiting.clear();\n    waiting.add(x);\n"),
        ("Totals", ADD, "    waiting.update(List.of(x));\n"),
        ("Totals", "{ out.collect(w); }", "{ LOG.info(w); }"),
        ("Totals", "{ out.collect(w); }", "{ }"),
        ("Totals", "{ out.collect(w); }", "{ List<String> all = new ArrayList<>(); all.add(w); }"),
        ("Totals", BEST, "    Long top = best.value();\n    if (top == null) { top = 0L; }\n    top = 1L;\n"),
        ("Totals", ADD, "    if (!x.isEmpty()) { waiting.clear(); waiting.add(x); }\n"),
        ("Job", "new Mode(true)", "new Mode(false)"),
        ("Mode", "this.on = on;", "this.on = false;"),
        ("Totals", "mark(x, true);", "mark(x, false);"),
        ("Visits", "return seen.value() == null ? 0 : seen.value();", "seen.value();\n    return 0;"),
        ("Visits", "seen.update(soMany() + 1);", "seen.update(1);"),
        ("Visits", "{ seen.update(soMany() + 1); }", "{ if (false) seen.update(soMany() + 1); }"),
        ("Visits", "{ seen.update(soMany() + 1); }", "{ seen.update(soMany() + 1); seen.clear(); }"),
    ],
)  # fmt: skip
def test_a_state_that_nothing_makes_use_of_is_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Totals", RETURN, "if (found == null) { return fallback; }\n    return found;"),
        ("Totals", RETURN, "LOG.info(\"{}\", found);\n    " + RETURN),
        ("Totals", RETURN, "if (found == null) { found = fallback; }\n    return found;"),
        ("Totals", RETURN, "return Optional.ofNullable(found).orElse(fallback);"),
        ("Totals", RETURN, "return found == null ? fallback : found + 1;"),
        ("Totals", "    long sum = soFar(0L) + x.length();\n",
         "    Long before = total.value();\n    long sum = (before == null ? 0L : before) + x.length();\n"),
        ("Totals", "    long sum = soFar(0L) + x.length();\n", "    long sum = soFar(1L) + 2 * x.length();\n"),
        ("Totals", UPDATE, "    if (sum > 3) { total.update(sum); }\n"),
        ("Totals", UPDATE, "    if (x.isEmpty()) { return; }\n" + UPDATE),
        ("Totals", UPDATE, "    if (x == null) { return; }\n" + UPDATE),
        ("Totals", UPDATE, "    if (least > MOST) { return; }\n" + UPDATE),
        ("Totals", UPDATE, UPDATE + "    if (sum > 100) { total.clear(); }\n"),
        ("Totals", UPDATE, "    store(sum);\n  }\n  private void store(long sum) throws Exception {\n    "
         "total.update(sum);\n    Collector<String> out = null;\n    Context c = null;\n    String x = \"\";\n"),
        ("Totals", UPDATE, "    if (STRICT) { total.update(sum); }\n"),
        ("Totals", UPDATE, "    try { total.update(sum); } catch (RuntimeException e) { LOG.warn(x); throw e; }\n"),
        ("Totals", UPDATE, "    total.clear();\n    total.update(sum);\n"),
        ("Totals", BEST, "    Long top = null;\n    if (x.length() > 2) { top = best.value(); }\n"),
        ("Totals", BEST, "    Long top;\n    top = best.value();\n"),
        ("Totals", ADD, "    if (!x.isEmpty()) { waiting.add(x); }\n"),
        ("Totals", ADD, "    List<String> all = new ArrayList<>();\n"
         "    for (String w : waiting.get()) { all.add(w); }\n    all.add(x);\n    waiting.update(all);\n"),
        ("Totals", ADD, "    List<String> all = new ArrayList<>();\n    waiting.get().forEach(all::add);\n"
         "    all.add(x);\n    waiting.clear();\n    waiting.addAll(all);\n"),
        ("Totals", "{ out.collect(w); }", "{ LOG.info(w); out.collect(w); }"),
        ("Totals", "{ out.collect(w); }", "{ if (w.length() > 3) out.collect(w); }"),
        ("Totals", "    out.collect(x + sum);\n", "    if (sum > least) { out.collect(x + sum); }\n"),
        ("Totals", "    out.collect(x + sum);\n", "    String line = String.format(\"%s %d\", x, sum);\n"
         "    out.collect(line);\n"),
        ("Job", "new Mode(true)", "new Mode(args.length > 1)"),
        ("Mode", "boolean isOn() { return on; }", "boolean isOn() { return this.on; }"),
        ("Totals", "if (mode.isOn()) {", "if (mode.isOn() && !x.isEmpty()) {"),
        ("Totals", "mark(x, true);", "mark(x, !x.isEmpty());"),
        ("Totals", "mark(x, true);", "boolean really = x.length() > 1;\n      mark(x, really);"),
        ("Visits", "return seen.value() == null ? 0 : seen.value();",
         "Integer n = seen.value();\n    return n == null ? 0 : n;"),
        ("Visits", "return soMany() > limit;", "return soMany() >= limit;"),
        ("Visits", "seen.update(soMany() + 1);", "int n = soMany();\n    seen.update(n + 1);"),
        ("Visits", "{ seen.update(soMany() + 1); }", "{ if (soMany() < 1000) seen.update(soMany() + 1); }"),
    ],
)  # fmt: skip
def test_everyday_edits_of_what_is_computed_stay_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()
