"""Attribution of orders to adverts: strings put together, objects that emit, lists, and walks over states."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.io.*;
import java.util.*;
import java.util.stream.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.streaming.api.functions.sink.*;
import org.apache.flink.util.*;
"""
FILES = {
    "Job": """public class Job {
  static final OutputTag<Order> ORGANIC = new OutputTag<Order>("organic") {};
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var touched = env.socketTextStream("h", 1).uid("lines").flatMap(new Orders("eu")).uid("orders")
        .keyBy(o -> o.user).process(new Touch()).uid("touch");
    touched.getSideOutput(ORGANIC).keyBy(o -> o.shop).process(new Revenue()).uid("revenue").print();
    touched.keyBy(t -> t.user).process(new Best()).uid("best").addSink(new Budget()).uid("budget");
    touched.keyBy(t -> t.shop).process(new Totals()).uid("totals").print();
    env.execute();
  }
}
""",
    "Order": """public class Order {
  public String user; public String shop; public long cents; public long time;
  public Order() {}
  Order(String user, String shop, long cents, long time) {
    this.user = user;
    this.shop = shop;
    this.cents = cents;
    this.time = time;
  }
}
""",
    "Orders": """public class Orders implements FlatMapFunction<String, Order> {
  private final String region;
  Orders(String region) { this.region = region; }
  @Override public void flatMap(String line, Collector<Order> out) {
    StringTokenizer cells = new StringTokenizer(line, ",");
    if (cells.countTokens() < 4) { return; }
    String user = userOf(cells.nextToken());
    String shop = cells.nextToken();
    out.collect(new Order(user, shop, Long.parseLong(cells.nextToken()), Long.parseLong(cells.nextToken())));
  }
  private String userOf(String id) { return region + ":" + id; }
}
""",
    "Touched": """public class Touched {
  public String shop; public String user; public long cents;
  public Touched() {}
  Touched(String shop, String user, long cents) {
    this.shop = shop;
    this.user = user;
    this.cents = cents;
  }
}
""",
    "Touch": """public class Touch extends KeyedProcessFunction<String, Order, Touched> {
  private transient ListState<Order> early;
  private transient MapState<Long, Integer> perDay;
  @Override public void open(Configuration c) {
    early = getRuntimeContext().getListState(new ListStateDescriptor<>("early", Order.class));
    perDay = getRuntimeContext().getMapState(new MapStateDescriptor<>("per-day", Long.class, Integer.class));
  }
  @Override public void processElement(Order order, Context ctx, Collector<Touched> out) throws Exception {
    long day = order.time / 86_400_000L;
    Integer before = perDay.get(day);
    perDay.put(day, before == null ? 1 : before + 1);
    Iterator<Long> days = perDay.keys().iterator();
    while (days.hasNext()) {
      if (days.next() < day - 7) { days.remove(); }
    }
    for (String shop : order.shop.split(";")) {
      if (shop.isEmpty()) { continue; }
      emit(shop, order, out);
    }
    early.add(order);
    ctx.timerService().registerEventTimeTimer(order.time + 1000);
  }
  private void emit(String shop, Order order, Collector<Touched> out) {
    Touched touched = new Touched();
    touched.shop = shop;
    touched.user = order.user;
    touched.cents = order.cents;
    out.collect(touched);
  }
  @Override public void onTimer(long time, OnTimerContext ctx, Collector<Touched> out) throws Exception {
    List<Order> left = new ArrayList<>();
    for (Order order : early.get()) {
      if (order.time + 1000 <= time) {
        ctx.output(Job.ORGANIC, order);
      } else {
        left.add(order);
      }
    }
    early.update(left);
  }
}
""",
    "Best": """public class Best extends KeyedProcessFunction<String, Touched, String> {
  private transient ValueState<TreeMap<Long, String>> board;
  @Override public void open(Configuration c) {
    board = getRuntimeContext().getState(
        new ValueStateDescriptor<>("board", TypeInformation.of(new TypeHint<TreeMap<Long, String>>() {})));
  }
  @Override public void processElement(Touched touched, Context ctx, Collector<String> out) throws Exception {
    TreeMap<Long, String> best = board.value();
    if (best == null) { best = new TreeMap<>(); }
    best.put(touched.cents, touched.shop);
    if (best.size() > 5) { best.pollFirstEntry(); }
    board.update(best);
    out.collect(best.toString());
  }
}
""",
    "Budget": """public class Budget extends RichSinkFunction<String> implements CheckpointedFunction {
  private transient ListState<Tuple2<Integer, String>> kept;
  private final Deque<String> pending = new ArrayDeque<>();
  private final Map<Integer, String> last = new HashMap<>();
  @Override public void invoke(String text, Context ctx) {
    pending.addLast(text);
    last.put(text.length(), text);
    if (pending.size() > 10) { System.out.println(pending.pollFirst()); }
  }
  @Override public void snapshotState(FunctionSnapshotContext ctx) throws Exception {
    kept.clear();
    for (Map.Entry<Integer, String> entry : last.entrySet()) {
      kept.add(Tuple2.of(entry.getKey(), entry.getValue()));
    }
  }
  @Override public void initializeState(FunctionInitializationContext ctx) throws Exception {
    kept = ctx.getOperatorStateStore().getListState(
        new ListStateDescriptor<>("pending", Types.TUPLE(Types.INT, Types.STRING)));
    for (Tuple2<Integer, String> entry : kept.get()) {
      last.put(entry.f0, entry.f1);
      pending.addLast(entry.f1);
    }
  }
}
""",
    "Revenue": """public class Revenue extends KeyedProcessFunction<String, Order, String> {
  private transient AggregatingState<Order, Tuple2<Long, Long>> revenue;
  @Override public void open(Configuration c) {
    revenue = getRuntimeContext().getAggregatingState(
        new AggregatingStateDescriptor<>("revenue", new Sums(), Types.TUPLE(Types.LONG, Types.LONG)));
  }
  @Override public void processElement(Order order, Context ctx, Collector<String> out) throws Exception {
    revenue.add(order);
    out.collect(order.shop + revenue.get().f0);
  }
}
""",
    "Sums": """public class Sums implements AggregateFunction<Order, Tuple2<Long, Long>, Tuple2<Long, Long>> {
  @Override public Tuple2<Long, Long> createAccumulator() { return Tuple2.of(0L, 0L); }
  @Override public Tuple2<Long, Long> add(Order order, Tuple2<Long, Long> acc) {
    return Tuple2.of(acc.f0 + order.cents, acc.f1 + 1);
  }
  @Override public Tuple2<Long, Long> getResult(Tuple2<Long, Long> acc) { return acc; }
  @Override public Tuple2<Long, Long> merge(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
    return Tuple2.of(a.f0 + b.f0, a.f1 + b.f1);
  }
}
""",
    "Total": """public class Total {
  public String shop; public Map<String, Long> users = new HashMap<>();
  public Total() {}
  void book(Touched touched) {
    users.compute(touched.user, (user, before) -> before == null ? touched.cents : before + touched.cents);
  }
}
""",
    "Totals": """public class Totals extends KeyedProcessFunction<String, Touched, String> {
  private transient ValueState<Total> total;
  @Override public void open(Configuration c) {
    total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Total.class));
  }
  @Override public void processElement(Touched touched, Context ctx, Collector<String> out) throws Exception {
    Total sum = total.value() == null ? new Total() : total.value();
    sum.book(touched);
    total.update(sum);
    out.collect(touched.shop + sum.users.size());
  }
}
""",
}
TOKENS = """    String user = userOf(cells.nextToken());
    String shop = cells.nextToken();
"""
OUT = "    out.collect(new Order(user, shop, Long.parseLong(cells.nextToken()), Long.parseLong(cells.nextToken())));\n"
WALK = "if (days.next() < day - 7) { days.remove(); }"
SPLIT = """    List<Order> left = new ArrayList<>();
    for (Order order : early.get()) {
      if (order.time + 1000 <= time) {
        ctx.output(Job.ORGANIC, order);
      } else {
        left.add(order);
      }
    }
    early.update(left);
"""
PARTED = """    Map<Boolean, List<Order>> due = StreamSupport.stream(early.get().spliterator(), false)
        .collect(Collectors.partitioningBy(order -> order.time + 1000 <= time));
    due.get(true).forEach(order -> ctx.output(Job.ORGANIC, order));
    early.update(due.get(false));
"""
EMITS = FILES["Touch"][
    FILES["Touch"].index("    Touched touched") : FILES["Touch"].index("  @Override public void onTimer")
]
SNAPSHOT = """    kept.clear();
    for (Map.Entry<Integer, String> entry : last.entrySet()) {
      kept.add(Tuple2.of(entry.getKey(), entry.getValue()));
    }
"""
STREAM = """    kept.update(last.entrySet().stream()
        .map(e -> Tuple2.of(e.getKey(), e.getValue())).collect(Collectors.toList()));
"""
ABSENT = """    TreeMap<Long, String> best = board.value();
    if (best == null) { best = new TreeMap<>(); }
"""
COMPUTED = "(user, before) -> before == null ? touched.cents : before + touched.cents"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Orders", TOKENS, "".join(reversed(TOKENS.splitlines(keepends=True)))),
        ("Orders", 'region + ":" + id', 'String.join(":", id, region, "")'),
        ("Orders", 'region + ":" + id', 'String.format("%s/%s", region, id)'),
        ("Touch", WALK, "days.next();\n      days.remove();"),
        ("Touch", "early.add(order);\n    ctx", "early.update(Collections.singletonList(order));\n    ctx"),
        ("Touch", "touched.user = order.user;", "touched.user = order.user.trim();"),
        ("Total", COMPUTED, "(user, before) -> touched.cents"),
        ("Best", "best.put(touched.cents,", "best.put(-touched.cents,"),
        ("Budget", SNAPSHOT, STREAM.replace("e.getKey()", "0")),
    ],
)
def test_losses_are_seen(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Orders", 'region + ":" + id', 'String.join(":", region, id)'),
        ("Orders", 'region + ":" + id', 'String.format("%s:%s", region, id)'),
        ("Orders", 'region + ":" + id', "new StringBuilder(region).append(':').append(id).toString()"),
        ("Orders", OUT, "    long cents = Long.parseLong(cells.nextToken());\n"
         "    long time = Long.parseLong(cells.nextToken());\n    out.collect(new Order(user, shop, cents, time));\n"),
        ("Touch", "if (shop.isEmpty()) { continue; }\n      emit(shop, order, out);",
         "if (!shop.isEmpty()) { emit(shop, order, out); }"),
        ("Touch", EMITS, "    out.collect(new Touched(shop, order.user, order.cents));\n  }\n"),
        ("Touch", "day - 7", "day - 14"),
        ("Touch", WALK, "long known = days.next();\n      if (known < day - 7) { days.remove(); }"),
        ("Touch", "early.add(order);\n    ctx", "early.addAll(Collections.singletonList(order));\n    ctx"),
        ("Touch", SPLIT, PARTED),
        ("Best", ABSENT,
         "    TreeMap<Long, String> best = Optional.ofNullable(board.value()).orElseGet(TreeMap::new);\n"),
        ("Best", "best.size() > 5", "best.size() > 9"),
        ("Budget", SNAPSHOT, STREAM),
        ("Budget", "pending.addLast(entry.f1)", "pending.add(entry.f1)"),
        ("Sums", "return Tuple2.of(acc.f0 + order.cents, acc.f1 + 1);",
         "acc.f0 += order.cents;\n    acc.f1++;\n    return acc;"),
        ("Total", COMPUTED, "(user, sum) -> sum == null ? touched.cents : touched.cents + sum"),
        ("Total", f"compute(touched.user, {COMPUTED})", "merge(touched.user, touched.cents, Long::sum)"),
    ],
)  # fmt: skip
def test_other_ways_to_write_it_are_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()
