"""Objects in state of a job of several classes collect and count: losses are seen, refactorings stay silent."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.io.Serializable;
import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.util.*;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Payment> payments = env.socketTextStream("h", 1).uid("s").map(new Parser()).uid("parse");
    DataStream<Alert> alerts = payments.keyBy(p -> p.card).process(new Checker(Config.defaults())).uid("check");
    alerts.keyBy(a -> a.card).process(new Limiter(3)).uid("limit").print().uid("out");
    payments.keyBy(p -> p.card).window(TumblingEventTimeWindows.of(Duration.ofMinutes(10)))
        .aggregate(new Turnover()).uid("turnover").print().uid("sums");
    env.execute();
  }
}
class Parser implements MapFunction<String, Payment> {
  @Override public Payment map(String line) {
    String[] parts = line.split(",");
    Payment payment = new Payment();
    payment.card = parts[0];
    payment.device = parts[1];
    payment.cents = Long.parseLong(parts[2]);
    return payment;
  }
}
""",
    "Config": """public class Config implements Serializable {
  private final int most;
  private final boolean trackDevices;
  Config(int most, boolean trackDevices) { this.most = most; this.trackDevices = trackDevices; }
  static Config defaults() { return new Config(50, true); }
  int most() { return most; }
  boolean trackDevices() { return trackDevices; }
}
""",
    "Payment": "public class Payment { public String card; public String device; public long cents; }\n",
    "Rule": 'public class Rule { public String name = "device"; }\n',
    "Alert": """public class Alert {
  public String card; public String rule; public long total;
  public Alert() {}
  public Alert(String card, String rule, long total) { this.card = card; this.rule = rule; this.total = total; }
}
""",
    "History": """public class History {
  public long total;
  public Set<String> devices = new HashSet<>();
  public List<Long> last = new ArrayList<>();
  public void add(Payment payment, int keep) {
    total += payment.cents;
    last.add(payment.cents);
    trim(keep);
  }
  private void trim(int keep) {
    while (last.size() > keep) {
      last.remove(0);
    }
  }
  public boolean knows(String device) { return devices.contains(device); }
  public void remember(String device) { devices.add(device); }
}
""",
    "Checker": """public class Checker extends KeyedProcessFunction<String, Payment, Alert> {
  private final Config config;
  private transient ValueState<History> history;
  public Checker(Config config) { this.config = config; }
  @Override public void open(Configuration parameters) {
    history = getRuntimeContext().getState(new ValueStateDescriptor<>("history", History.class));
  }
  @Override public void processElement(Payment payment, Context ctx, Collector<Alert> out) throws Exception {
    History card = history.value() == null ? new History() : history.value();
    card.add(payment, config.most());
    if (config.trackDevices()) {
      checkDevice(card, payment, out);
    }
    history.update(card);
  }
  private void checkDevice(History card, Payment payment, Collector<Alert> out) {
    Rule rule = new Rule();
    if (!card.knows(payment.device)) {
      out.collect(new Alert(payment.card, rule.name + config.trackDevices(), card.total));
      card.remember(payment.device);
    }
  }
}
""",
    "Limiter": """public class Limiter extends KeyedProcessFunction<String, Alert, String> {
  private final int most;
  private transient MapState<String, Integer> sent;
  private transient ListState<Alert> held;
  public Limiter(int most) { this.most = most; }
  @Override public void open(Configuration parameters) {
    sent = getRuntimeContext().getMapState(new MapStateDescriptor<>("sent", String.class, Integer.class));
    held = getRuntimeContext().getListState(new ListStateDescriptor<>("held", Alert.class));
  }
  @Override public void processElement(Alert alert, Context ctx, Collector<String> out) throws Exception {
    Integer count = sent.get(alert.rule);
    if (count == null) { count = 0; }
    if (count >= most) {
      held.add(alert);
      ctx.timerService().registerProcessingTimeTimer(ctx.timerService().currentProcessingTime() + 60_000);
      return;
    }
    sent.put(alert.rule, count + 1);
    out.collect(alert.card);
  }
  @Override public void onTimer(long timestamp, OnTimerContext ctx, Collector<String> out) throws Exception {
    List<Alert> alerts = new ArrayList<>();
    for (Alert alert : held.get()) { alerts.add(alert); }
    alerts.sort(Comparator.comparingLong(a -> a.total));
    for (Alert alert : alerts) { out.collect(alert.card); }
    held.clear();
    sent.clear();
  }
}
""",
    "Turnover": """public class Turnover implements AggregateFunction<Payment, Sums, String> {
  @Override public Sums createAccumulator() { return new Sums(); }
  @Override public Sums add(Payment payment, Sums acc) {
    acc.counts.merge(payment.device, 1, Integer::sum);
    return acc;
  }
  @Override public String getResult(Sums acc) { return acc.counts.toString(); }
  @Override public Sums merge(Sums a, Sums b) {
    for (Map.Entry<String, Integer> e : b.counts.entrySet()) {
      a.counts.merge(e.getKey(), e.getValue(), Integer::sum);
    }
    return a;
  }
}
""",
    "Sums": "public class Sums { public Map<String, Integer> counts = new HashMap<>(); }\n",
}
TRIM = "    while (last.size() > keep) {\n      last.remove(0);\n    }\n"
MERGE = FILES["Turnover"].partition("Sums b) {\n")[2].partition("    return a;")[0]

DELEGATING = "map(String line) { return parsed(line); }\n  static Payment parsed(String line) {"
BY_LAMBDA = (
    FILES["Job"]
    .replace("map(new Parser())", "map(line -> Parser.parsed(line)).returns(Payment.class)")
    .replace("map(String line) {", DELEGATING)
)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("History", TRIM, "    if (last.size() > 0) {\n      last.clear();\n    }\n"),
        ("Config", "new Config(50, true)", "new Config(50, false)"),
        ("Checker", "      card.remember(payment.device);\n", ""),
        ("Limiter", "    for (Alert alert : alerts) { out.collect(alert.card); }\n", ""),
        ("Limiter", "sent.put(alert.rule, count + 1)", "sent.put(alert.rule, 1)"),
        ("Job", "parts[0]", "parts[3]"),
        ("Turnover", MERGE, "    b.counts.forEach((device, n) -> a.counts.put(device, 1));\n"),
        ("History", "total += payment.cents", "total = payment.cents"),
    ],
)
def test_contents_that_get_lost_are_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("History", TRIM, "    if (last.size() > keep) {\n      last.subList(0, last.size() - keep).clear();\n    }\n"),
        ("Config", "new Config(50, true)", "new Config(60, true)"),
        (
            "Checker",
            "      card.remember(payment.device);\n",
            "      Set.of(payment.device).forEach(card::remember);\n",
        ),
        (
            "Checker",
            "new Alert(payment.card, rule.name + config.trackDevices(), card.total)",
            "made(payment, rule, card)",
        ),
        ("Limiter", "alerts.sort(Comparator.comparingLong(a -> a.total))", "Collections.reverse(alerts)"),
        ("Limiter", "sent.put(alert.rule, count + 1)", "sent.put(alert.rule, 1 + count)"),
        ("Turnover", MERGE, "    b.counts.forEach((device, n) -> a.counts.merge(device, n, Integer::sum));\n"),
        ("History", "total += payment.cents", "addTotal(payment.cents)"),
        ("Job", FILES["Job"], BY_LAMBDA),
    ],
)
def test_other_ways_to_write_it_are_silent(name: str, before: str, after: str) -> None:
    helpers = {
        "History": "  public void addTotal(long cents) { total += cents; }\n}\n",
        "Checker": "  private Alert made(Payment payment, Rule rule, History card) {\n"
        "    return new Alert(payment.card, rule.name + config.trackDevices(), (card.total));\n  }\n}\n",
    }
    files = {**FILES, **{own: FILES[own].removesuffix("}\n") + text for own, text in helpers.items()}}
    assert errors(IMPORTS, files, name, before, after) == set()


def test_a_record_whose_constructor_calls_the_canonical_one_is_read() -> None:
    record = """public record Config(long limit) implements Serializable {
  public Config(org.apache.flink.api.java.utils.ParameterTool tool) { this(tool.getLong("limit", 100L)); }
  static Config defaults() { return new Config(org.apache.flink.api.java.utils.ParameterTool.fromSystemProperties()); }
  int most() { return (int) limit; }
  boolean trackDevices() { return true; }
}
"""
    assert "undecided" not in errors(IMPORTS, FILES, "Config", FILES["Config"], record)
