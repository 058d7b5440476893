"""What functions and objects in state sum up is lost where a new value is made of the old one no more."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Event> events = env.socketTextStream("h", 1).uid("s").map(x -> new Event(x, 1L)).returns(Event.class);
    TumblingEventTimeWindows each = TumblingEventTimeWindows.of(Duration.ofMinutes(5));
    events.keyBy(e -> e.user).process(new Profiles()).uid("profiles").print();
    events.keyBy(e -> e.user).window(each).aggregate(new Average()).uid("average").print();
    events.keyBy(e -> e.user).window(each).aggregate(new Pairs()).uid("pairs").print();
    events.keyBy(e -> e.user).window(each).reduce(new Sum()).uid("sum").print();
    events.keyBy(e -> e.user).reduce((a, b) -> new Event(a.user, a.amount + b.amount)).uid("rolling").print();
    List<Integer> sizes = List.of(1, 2);
    int most = sizes.stream().reduce(0, (a, b) -> a + b);
    env.execute();
  }
}
""",
    "Event": """public class Event {
  public String user;
  public long amount;
  public Event() {}
  public Event(String user, long amount) { this.user = user; this.amount = amount; }
  public boolean same(String name) { return amount > 0 && user.equals(name); }
  public void setAmount(long amount) { this.amount = amount; }
}
""",
    "Average": """public class Average implements AggregateFunction<Event, Acc, Double> {
  @Override public Acc createAccumulator() { return new Acc(); }
  @Override public Acc add(Event e, Acc acc) { acc.sum += e.amount; acc.count++; return acc; }
  @Override public Double getResult(Acc acc) { return (double) acc.sum / acc.count; }
  @Override public Acc merge(Acc a, Acc b) { a.sum += b.sum; a.count += b.count; return a; }
}
""",
    "Pairs": """public class Pairs implements AggregateFunction<Event, Tuple2<Long, Long>, Long> {
  @Override public Tuple2<Long, Long> createAccumulator() { return Tuple2.of(0L, 0L); }
  @Override public Tuple2<Long, Long> add(Event e, Tuple2<Long, Long> t) {
    return Tuple2.of(t.f0 + e.amount, t.f1 + 1);
  }
  @Override public Long getResult(Tuple2<Long, Long> t) { return t.f0 / t.f1; }
  @Override public Tuple2<Long, Long> merge(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
    return Tuple2.of(a.f0 + b.f0, a.f1 + b.f1);
  }
}
""",
    "Acc": """public class Acc {
  public long sum;
  public long count;
  public Acc() {}
  public Acc(long sum, long count) { this.sum = sum; this.count = count; }
  public static Builder builder() { return new Builder(); }
  public static class Builder {
    private final Acc made = new Acc();
    public Builder sum(long value) { made.sum = value; return this; }
    public Builder count(long value) { made.count = value; return this; }
    public Acc build() { return made; }
  }
}
""",
    "Names": """public class Names {
  public static void count(Map<String, Long> counts, String name) { counts.merge(name, 1L, Long::sum); }
  public static int shown(List<String> names) { return names.size(); }
}
""",
    "Sum": """public class Sum implements ReduceFunction<Event> {
  @Override public Event reduce(Event a, Event b) { return new Event(a.user, a.amount + b.amount); }
}
""",
    "Profile": """public class Profile {
  public long total;
  public long best;
  public List<String> pages = new ArrayList<>();
  public Map<String, Long> counts = new HashMap<>();
  public Profile() {}
  public long getTotal() { return total; }
  public void setTotal(long total) { this.total = total; }
  public void add(long amount) { total += amount; if (amount > best) { best = amount; } }
  public void visit(String page) { pages.add(page); }
  public void count(String page) { counts.merge(page, 1L, Long::sum); }
}
""",
    "Profiles": """public class Profiles extends KeyedProcessFunction<String, Event, String> {
  private transient ValueState<Profile> profile;
  private transient ReducingState<Long> most;
  @Override public void open(OpenContext context) throws Exception {
    profile = getRuntimeContext().getState(new ValueStateDescriptor<>("profile", Profile.class));
    most = getRuntimeContext().getReducingState(
        new ReducingStateDescriptor<>("most", (a, b) -> Math.max(a, b), Long.class));
  }
  @Override public void processElement(Event e, Context c, Collector<String> out) throws Exception {
    Profile p = profile.value();
    if (p == null) { p = new Profile(); }
    p.add(e.amount);
    p.visit(e.user);
    p.count(e.user);
    p.best += 1;
    org.acme.Audit.seen(p);
    profile.update(p);
    String last = "";
    if (e.same(last)) { e.setAmount(1L); }
    if (e.user.trim().isEmpty()) { e.setAmount(2L); }
    most.add(e.amount);
    out.collect(e.user + p.total + p.pages + most.get());
  }
}
""",
}
ROLLING = "(a, b) -> new Event(a.user, a.amount + b.amount)"
ADD = "acc.sum += e.amount; acc.count++; return acc;"
MERGE = "a.sum += b.sum; a.count += b.count; return a;"
PAIR = "Tuple2.of(t.f0 + e.amount, t.f1 + 1)"
REDUCED = "return new Event(a.user, a.amount + b.amount);"
CONSTRUCTOR = "public Acc(long count, long sum, int x) { this.sum = sum; this.count = count; }"
COUNT = "counts.merge(page, 1L, Long::sum);"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Job", ROLLING, "(a, b) -> b"),
        ("Job", ROLLING, "(a, b) -> new Event(a.user, b.amount)"),
        ("Sum", REDUCED, "return b;"),
        ("Sum", REDUCED, "return new Event(a.user, b.amount);"),
        ("Average", ADD, "return new Acc(e.amount, 1L);"),
        ("Average", ADD, "acc.sum = e.amount; acc.count = 1; return acc;"),
        ("Average", ADD, "acc = new Acc(); acc.sum += e.amount; acc.count++; return acc;"),
        ("Average", ADD, "acc.count++; return acc;"),
        ("Average", MERGE, "return a;"),
        ("Average", MERGE, "return b;"),
        ("Average", MERGE, "a.sum = b.sum; a.count += b.count; return a;"),
        ("Average", "return (double) acc.sum / acc.count;", "return 0.0;"),
        ("Pairs", PAIR, "Tuple2.of(e.amount, 1L)"),
        ("Pairs", PAIR, "Tuple2.of(t.f0 + e.amount, 1L)"),
        ("Profile", "total += amount;", "total = amount;"),
        ("Profile", "if (amount > best) { best = amount; }", "best = amount;"),
        ("Profile", "pages.add(page);", "pages = new ArrayList<>(); pages.add(page);"),
        ("Profile", "pages.add(page);", "pages = List.of(page);"),
        ("Profile", "pages.add(page);", "pages.clear(); pages.add(page);"),
        ("Profile", COUNT, "counts.put(page, 1L);"),
        ("Profile", COUNT, "counts.replace(page, 1L);"),
        ("Profile", "pages.add(page);", "pages = new ArrayList<>(); List<String> all = pages; all.size();"),
        ("Profile", "pages.add(page);", "pages = List.of(page); String.join(page, pages);"),
        ("Profile", "pages.add(page);", "pages = List.of(page); Names.shown(pages);"),
        ("Average", ADD, "return Acc.builder().sum(e.amount).count(1L).build();"),
        ("Average", MERGE, "Acc m = new Acc(); m.sum += b.sum; m.count += b.count; return m;"),
        ("Profiles", "(a, b) -> Math.max(a, b)", "(a, b) -> b"),
        ("Profiles", "p.best += 1;", "p.best = 1;"),
    ],
)
def test_values_that_are_no_longer_folded_are_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Job", ROLLING, "(a, b) -> { a.amount += b.amount; return a; }"),
        ("Job", ROLLING, "(a, b) -> b.amount > 1000 ? a : new Event(a.user, a.amount + b.amount)"),
        ("Job", ROLLING, "new Sum()"),
        ("Job", "(a, b) -> a + b", "(a, b) -> b"),
        ("Sum", REDUCED, "a.amount += b.amount; return a;"),
        ("Sum", REDUCED, "long sum = a.amount + b.amount; return new Event(b.user, sum);"),
        (
            "Sum",
            REDUCED,
            "Event next = new Event(); next.amount = a.amount + b.amount; return next;",
        ),
        ("Sum", "a.amount + b.amount", "Math.max(a.amount, b.amount)"),
        ("Average", ADD, "return new Acc(acc.sum + e.amount, acc.count + 1);"),
        ("Average", ADD, "Acc next = new Acc(acc.sum, acc.count); next.sum += e.amount; next.count++; return next;"),
        ("Average", ADD, "if (e.amount < 0) { return acc; } acc.sum += e.amount; acc.count++; return acc;"),
        ("Average", "acc.sum += e.amount;", "acc.sum = Math.max(acc.sum, e.amount);"),
        ("Average", "acc.sum += e.amount;", "acc.sum += 2 * Math.abs(e.amount);"),
        ("Average", MERGE, "return new Acc(a.sum + b.sum, a.count + b.count);"),
        ("Average", MERGE, "b.sum += a.sum; b.count += a.count; return b;"),
        (
            "Average",
            "return (double) acc.sum / acc.count;",
            "return acc.count == 0 ? 0.0 : (double) acc.sum / acc.count;",
        ),
        ("Average", ADD, "return Acc.builder().sum(acc.sum + e.amount).count(acc.count + 1).build();"),
        ("Average", ADD, "long sum = acc.sum + e.amount; long count = acc.count + 1; return new Acc(sum, count);"),
        (
            "Average",
            MERGE,
            "Acc m = new Acc(); for (Acc x : List.of(a, b)) { m.sum += x.sum; m.count += x.count; } return m;",
        ),
        (
            "Average",
            MERGE,
            "Acc m = new Acc(); m.sum += a.sum; m.sum += b.sum; m.count = a.count + b.count; return m;",
        ),
        ("Pairs", f"return {PAIR};", "t.f0 += e.amount; t.f1++; return t;"),
        ("Pairs", PAIR, "new Tuple2<>(t.f0 + e.amount, t.f1 + 1L)"),
        ("Profile", "total += amount;", "total = total + 2 * amount;"),
        ("Profile", "total += amount;", "setTotal(getTotal() + amount);"),
        ("Profile", "total += amount;", "long next = Math.addExact(total, amount); total = next;"),
        ("Profile", "total += amount;", "if (amount > 0) { total += amount; }"),
        ("Profile", "if (amount > best) { best = amount; }", "best = Math.max(best, amount);"),
        ("Profile", "if (amount > best) { best = amount; }", "if (amount <= best) { return; } best = amount;"),
        ("Profile", "pages.add(page);", "if (!pages.contains(page)) { pages.add(page); }"),
        ("Profile", "pages.add(page);", "List<String> all = new ArrayList<>(pages); all.add(page); pages = all;"),
        ("Profile", "pages.add(page);", "pages.add(page); if (pages.size() > 10) { pages.remove(0); }"),
        ("Profile", COUNT, "counts.put(page, counts.getOrDefault(page, 0L) + 1);"),
        ("Profile", COUNT, "Long seen = counts.get(page); counts.put(page, seen == null ? 1L : seen + 1);"),
        (
            "Profile",
            COUNT,
            "Long n = counts.putIfAbsent(page, 1L); counts.replace(page, n == null ? 1 : n + 1);",
        ),
        ("Profile", COUNT, "Names.count(counts, page);"),
        ("Profile", COUNT, "Map<String, Long> all = counts; all.put(page, all.getOrDefault(page, 0L) + 1);"),
        ("Profile", "pages.add(page);", "List<String> all = this.pages; all.add(page);"),
        ("Profile", "pages.add(page);", "Collections.addAll(pages, page);"),
        ("Profile", "pages.add(page);", "Optional.of(page).ifPresent(pages::add);"),
        ("Profile", "  public void setTotal(long total) { this.total = total; }\n", ""),
        ("Acc", "public Acc(long sum, long count) { this.sum = sum; this.count = count; }", CONSTRUCTOR),
        ("Profiles", "p.best += 1;", "org.acme.Audit.raise(p);"),
        ("Profiles", "p.visit(e.user);", "p.pages.add(e.user);"),
        ("Profiles", "e.user.trim().isEmpty()", "last.isEmpty()"),
        ("Profiles", "if (e.same(last)) {", "if (e.user.equals(last)) {"),
        ("Profiles", "(a, b) -> Math.max(a, b)", "Math::max"),
        ("Profiles", "(a, b) -> Math.max(a, b)", "(a, b) -> a > b ? a : b"),
    ],
)
def test_everyday_edits_of_what_is_folded_stay_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()
