"""A stock of several classes: orders that wait in maps, lists and windows, and objects that sum up."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.io.*;
import java.time.*;
import java.util.*;
import java.util.stream.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.triggers.*;
import org.apache.flink.streaming.api.windowing.windows.*;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("lines").map(new Orders()).uid("orders")
        .keyBy(o -> o.sku).process(new Stock()).uid("stock")
        .keyBy(new ByCustomer()).reduce(new Combine()).uid("combine")
        .keyBy(r -> r.customer).flatMap(new Regions()).uid("regions")
        .keyBy(s -> s.low).window(GlobalWindows.create()).trigger(new Every()).aggregate(new Sums()).uid("sums")
        .print();
    env.execute();
  }
}
""",
    "Orders": """public class Orders implements MapFunction<String, Order> {
  @Override public Order map(String line) {
    String[] c = line.split(",");
    return new Order(c[0], sku(c[1]), Integer.parseInt(c[2]));
  }
  private String sku(String text) { return text.startsWith("SKU-") ? text.substring(4) : text; }
}
""",
    "Order": """public class Order {
  public String customer; public String sku; public int pieces;
  public Order() {}
  public Order(String customer, String sku, int pieces) {
    this.customer = customer;
    this.sku = sku;
    this.pieces = pieces;
  }
}
""",
    "Stock": """public class Stock extends KeyedProcessFunction<String, Order, Order> {
  private transient MapState<Tuple2<String, Integer>, Order> backlog;
  private transient ListState<Order> recent;
  private transient ValueState<Boolean> alone;
  @Override public void open(Configuration c) {
    backlog = getRuntimeContext().getMapState(
        new MapStateDescriptor<>("backlog", Types.TUPLE(Types.STRING, Types.INT), Types.POJO(Order.class)));
    recent = getRuntimeContext().getListState(new ListStateDescriptor<>("recent", Order.class));
    alone = getRuntimeContext().getState(new ValueStateDescriptor<>("alone", Boolean.class));
  }
  @Override public void processElement(Order order, Context ctx, Collector<Order> out) throws Exception {
    for (Order waiting : backlog.values()) {
      out.collect(waiting);
    }
    backlog.put(slot(order), order);
    remember(order);
  }
  private Tuple2<String, Integer> slot(Order order) { return Tuple2.of(order.customer, order.pieces % 24); }
  private void remember(Order order) throws Exception {
    List<Order> kept = new ArrayList<>();
    for (Order old : recent.get()) {
      if (old.pieces > order.pieces) {
        kept.add(old);
      }
    }
    kept.add(order);
    recent.update(kept);
  }
}
""",
    "ByCustomer": """public class ByCustomer implements KeySelector<Order, Tuple2<String, String>> {
  @Override public Tuple2<String, String> getKey(Order order) { return Tuple2.of(order.customer, order.sku); }
}
""",
    "Combine": """public class Combine implements ReduceFunction<Order> {
  @Override public Order reduce(Order a, Order b) {
    Order both = new Order();
    both.customer = a.customer;
    both.sku = a.sku;
    both.pieces = a.pieces + b.pieces;
    return both;
  }
}
""",
    "Regions": """public class Regions extends RichFlatMapFunction<Order, Sum> {
  private transient ValueState<Map<String, Integer>> active;
  @Override public void open(Configuration c) {
    active = getRuntimeContext().getState(new ValueStateDescriptor<>("active", Types.MAP(Types.STRING, Types.INT)));
  }
  @Override public void flatMap(Order order, Collector<Sum> out) throws Exception {
    Map<String, Integer> counts = active.value();
    if (counts == null) { counts = new HashMap<>(); }
    if (order.pieces < 0) {
      counts.remove(order.sku);
    } else {
      counts.merge(order.sku, 1, Integer::sum);
    }
    active.update(counts);
    out.collect(new Sum().add(counts.size()));
  }
}
""",
    "Sum": """public class Sum {
  public long count; public int min = Integer.MAX_VALUE; public int low;
  public Sum() {}
  Sum add(int value) {
    count++;
    min = Math.min(min, value);
    return this;
  }
  Sum merge(Sum other) {
    count += other.count;
    min = Math.min(min, other.min);
    return this;
  }
}
""",
    "Sums": """public class Sums implements AggregateFunction<Sum, Sum, Sum> {
  @Override public Sum createAccumulator() { return new Sum(); }
  @Override public Sum add(Sum one, Sum sum) { return sum.add(one.min); }
  @Override public Sum getResult(Sum sum) { return sum; }
  @Override public Sum merge(Sum a, Sum b) { return a.merge(b); }
}
""",
    "Every": """public class Every extends Trigger<Sum, GlobalWindow> {
  @Override public TriggerResult onElement(Sum sum, long time, GlobalWindow w, TriggerContext ctx) {
    if (sum.count == 0) { return TriggerResult.FIRE_AND_PURGE; }
    return sum.count > 10 ? TriggerResult.FIRE : TriggerResult.CONTINUE;
  }
  @Override public TriggerResult onEventTime(long time, GlobalWindow w, TriggerContext ctx) {
    return TriggerResult.CONTINUE;
  }
  @Override public TriggerResult onProcessingTime(long time, GlobalWindow w, TriggerContext ctx) {
    return TriggerResult.CONTINUE;
  }
  @Override public void clear(GlobalWindow w, TriggerContext ctx) {}
}
""",
}
SKU = '{ return text.startsWith("SKU-") ? text.substring(4) : text; }'
BY_IF = '{\n    if (text.startsWith("SKU-")) {\n      return text.substring(4);\n    }\n    return text;\n  }'
WAITING = "    for (Order waiting : backlog.values()) {\n      out.collect(waiting);\n    }\n"
BY_ITERATOR = """    Iterator<Map.Entry<Tuple2<String, Integer>, Order>> entries = backlog.iterator();
    while (entries.hasNext()) {
      out.collect(entries.next().getValue());
    }
"""
BOTH = FILES["Combine"].partition("Order b) {\n")[2].partition("  }\n")[0]
IN_PLACE = "    a.pieces += b.pieces;\n    return a;\n"
ADDED = "    count++;\n    min = Math.min(min, value);\n    return this;\n"
MERGED = "    return merge(one(value));\n"
ONE = """  static Sum one(int value) {
    Sum sum = new Sum();
    sum.count = 1;
    sum.min = value;
    return sum;
  }
}
"""


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Orders", SKU, BY_IF.replace("substring(4)", "substring(3)")),
        ("Orders", SKU, BY_IF.replace("return text;", 'return "";')),
        ("Stock", "order.pieces % 24", "order.pieces % 48"),
        ("Stock", "        kept.add(old);\n", "        continue;\n"),
        ("Stock", "recent.update(kept);", "recent.update(Collections.singletonList(order));"),
        ("Stock", "out.collect(waiting);", "out.collect(new Order(order.customer, order.sku, 1));"),
        ("Combine", BOTH, IN_PLACE.replace("+=", "=")),
        ("Combine", "a.pieces + b.pieces", "b.pieces"),
        ("Regions", "counts.merge(order.sku, 1, Integer::sum);", "counts.put(order.sku, 1);"),
        ("Regions", "counts.remove(order.sku);", "counts.clear();"),
        ("Sum", "count += other.count;", "count = other.count;"),
        ("Sum", "min = Math.min(min, value);", "min = Math.min(100, value);"),
        ("Every", "? TriggerResult.FIRE :", "? TriggerResult.FIRE_AND_PURGE :"),
    ],
)
def test_losses_are_seen(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Orders", SKU, BY_IF),
        ("Orders", SKU, BY_IF.replace("    return text;", "    else {\n      return text;\n    }")),
        ("Stock", "Tuple2.of(order.customer, order.pieces % 24)", "new Tuple2<>(order.customer, order.pieces % 24)"),
        ("Stock", WAITING, BY_ITERATOR),
        ("Stock", "kept.add(old);", "kept.add(0, old);"),
        ("Stock", "recent.update(kept);", "if (alone.value() != null) { return; }\n    recent.update(kept);"),
        ("Combine", BOTH, IN_PLACE),
        ("Job", "new ByCustomer()", "o -> Tuple2.of(o.customer, o.sku), Types.TUPLE(Types.STRING, Types.STRING)"),
        ("Regions", "counts.merge(order.sku, 1, Integer::sum);",
         "counts.put(order.sku, counts.getOrDefault(order.sku, 0) + 1);"),
        ("Regions", "counts.merge(order.sku, 1, Integer::sum);\n    }",
         "Integer n = counts.get(order.sku);\n      counts.put(order.sku, n == null ? 1 : n + 1);\n    }"),
        ("Regions", "    active.update(counts);", "    active.update(new HashMap<>(counts));"),
        ("Sum", ADDED, MERGED),
        ("Sum", "min = Math.min(min, value);", "if (value < min) { min = value; }"),
        ("Every", "sum.count > 10 ?", "sum.count > 20 ?"),
    ],
)  # fmt: skip
def test_other_ways_to_write_it_are_silent(name: str, before: str, after: str) -> None:
    files = {**FILES, "Sum": FILES["Sum"].removesuffix("}\n") + ONE}
    assert errors(IMPORTS, files, name, before, after) == set()
