"""Elements in optionals and streams, states of all keys, triggers: refactorings are silent, losses are seen."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.time.Duration;
import java.util.*;
import java.util.stream.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.*;
import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.streaming.api.functions.windowing.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.triggers.*;
import org.apache.flink.streaming.api.windowing.windows.*;
import org.apache.flink.util.*;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Click> clicks = env.socketTextStream("h", 1).uid("lines").flatMap(new Reader()).uid("clicks");
    DataStream<Campaign> campaigns = env.socketTextStream("h", 2).uid("texts").map(Campaign::new).uid("campaigns");
    DataStream<Found> found = AsyncDataStream.orderedWait(
        clicks.keyBy(new UserKey()).connect(campaigns.broadcast(Matcher.CAMPAIGNS)).process(new Matcher()).uid("match"),
        new Lookup(), 5, java.util.concurrent.TimeUnit.SECONDS).uid("lookup");
    found.keyBy(f -> f.user).window(TumblingEventTimeWindows.of(Duration.ofHours(1))).trigger(new Most())
        .apply(new Report()).uid("report").print().uid("out");
    env.execute();
  }
}
""",
    "UserKey": """public class UserKey implements KeySelector<Click, String> {
  @Override public String getKey(Click click) { return click.tenant + "/" + click.user; }
}
""",
    "Click": """public class Click {
  public String tenant; public String user; public String page;
  public Click() {}
  Click(String tenant, String user, String page) { this.tenant = tenant; this.user = user; this.page = page; }
  static Optional<Click> parse(String line) {
    StringBuilder trimmed = new StringBuilder(line.trim());
    String[] cells = trimmed.toString().split(",");
    Label label = new Label(cells[1]);
    if (cells.length < 3) { return Optional.empty(); }
    Click click = new Click();
    click.tenant = cells[0].trim().concat("");
    click.user = label.toString();
    click.page = cells[2];
    return Optional.of(click);
  }
}
""",
    "Reader": """public class Reader implements FlatMapFunction<String, Click> {
  @Override public void flatMap(String line, Collector<Click> out) {
    Optional<Click> click = Click.parse(line);
    if (click.isPresent()) {
      out.collect(click.get());
    } else {
      broken(line);
    }
  }
  private void broken(String line) { System.out.println(line); }
}
""",
    "Label": """public class Label {
  private final String text;
  public Label(String text) { this.text = text; }
  @Override public String toString() { return text.toLowerCase(); }
}
""",
    "Campaign": """public class Campaign {
  static String concat(String text) { return text; }
  @Override public String toString() { return id; }
  public String id; public String prefix; public boolean active;
  public Campaign() {}
  public Campaign(String line) { this.id = line; this.prefix = line; this.active = true; }
}
""",
    "Found": """public class Found {
  public String user; public String campaign;
  public Found() {}
  public Found(String user, String campaign) { this.user = user; this.campaign = campaign; }
}
""",
    "Matcher": """public class Matcher extends KeyedBroadcastProcessFunction<String, Click, Campaign, Found> {
  static final MapStateDescriptor<String, Campaign> CAMPAIGNS =
      new MapStateDescriptor<>("campaigns", String.class, Campaign.class);
  private transient ListState<Click> waiting;
  @Override public void open(Configuration c) {
    waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("waiting", Click.class));
  }
  @Override public void processElement(Click click, ReadOnlyContext ctx, Collector<Found> out) throws Exception {
    waiting.add(click);
    for (Map.Entry<String, Campaign> entry : ctx.getBroadcastState(CAMPAIGNS).immutableEntries()) {
      Campaign campaign = entry.getValue();
      if (click.page.startsWith(campaign.prefix)) {
        out.collect(new Found(campaign.id, campaign.prefix));
      }
    }
  }
  @Override public void processBroadcastElement(Campaign campaign, Context ctx, Collector<Found> out) throws Exception {
    BroadcastState<String, Campaign> campaigns = ctx.getBroadcastState(CAMPAIGNS);
    if (campaign.active) {
      campaigns.put(campaign.id, campaign);
    } else {
      campaigns.remove(campaign.id);
    }
    ctx.applyToKeyedState(new ListStateDescriptor<>("waiting", Click.class), (key, state) -> {
      List<Click> still = new ArrayList<>();
      for (Click click : state.get()) {
        if (!click.page.startsWith(campaign.prefix)) {
          still.add(click);
        }
      }
      state.update(still);
    });
  }
}
""",
    "Lookup": """public class Lookup extends RichAsyncFunction<Found, Found> {
  @Override public void asyncInvoke(Found found, ResultFuture<Found> result) {
    if (found.campaign == null) {
      result.complete(Collections.singleton(new Found(found.user, "none")));
      return;
    }
    result.complete(Collections.singleton(new Found(found.user, "some")));
  }
  private static void complete(Found found, String campaign, ResultFuture<Found> result) {
    result.complete(Collections.singleton(new Found(found.user, campaign)));
  }
}
""",
    "Most": """public class Most extends Trigger<Found, TimeWindow> {
  private final ReducingStateDescriptor<Long> count = new ReducingStateDescriptor<>("count", new Sum(), Long.class);
  @Override public TriggerResult onElement(Found f, long time, TimeWindow window, TriggerContext c) throws Exception {
    ReducingState<Long> n = c.getPartitionedState(count);
    n.add(1L);
    return n.get() >= 100 ? TriggerResult.FIRE : TriggerResult.CONTINUE;
  }
  @Override public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext c) {
    return TriggerResult.FIRE;
  }
  @Override public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext c) {
    return TriggerResult.CONTINUE;
  }
  @Override public void clear(TimeWindow window, TriggerContext c) { c.getPartitionedState(count).clear(); }
  private static class Sum implements ReduceFunction<Long> {
    @Override public Long reduce(Long a, Long b) { return a + b; }
  }
}
""",
    "Report": """public class Report implements WindowFunction<Found, String, String, TimeWindow> {
  @Override public void apply(String user, TimeWindow window, Iterable<Found> all, Collector<String> out) {
    for (Found found : all) { out.collect(user + found.campaign); }
  }
}
""",
}
PRESENT = FILES["Reader"].partition("parse(line);\n")[2].partition("  }\n  private")[0]
BY_SETTERS = FILES["Click"].partition("    Click click = new Click();\n")[2].partition("  }\n}")[0]
BY_CONSTRUCTOR = """    String tenant = cells[0].trim().concat("");
    return Optional.of(new Click(tenant, label.toString(), cells[2]));
"""
LOOP = (
    FILES["Matcher"].partition("waiting.add(click);\n")[2].partition("  }\n  @Override public void processBroadcast")[0]
)
AS_STREAM = """    StreamSupport.stream(ctx.getBroadcastState(CAMPAIGNS).immutableEntries().spliterator(), false)
        .map(Map.Entry::getValue)
        .filter(campaign -> click.page.startsWith(campaign.prefix))
        .forEach(campaign -> out.collect(new Found(campaign.id, campaign.prefix)));
"""
KEPT = 'new ListStateDescriptor<>("waiting", Click.class)'
SUM = FILES["Most"].partition("  private static class")[2]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Matcher", "          still.add(click);\n", ""),
        ("Matcher", "state.update(still)", "state.clear()"),
        ("Matcher", f"State({KEPT}, (key", 'State(new ListStateDescriptor<>("kept", Click.class), (key'),
        ("Matcher", "      campaigns.put(campaign.id, campaign);\n", ""),
        ("Click", "label.toString()", "cells[1].trim()"),
        ("Label", "text.toLowerCase()", "text.trim()"),
        ("Matcher", "new Found(campaign.id, ", "new Found(campaign.prefix, "),
        ("Matcher", LOOP, AS_STREAM.replace("campaign.id", "campaign.prefix")),
        ("Most", "? TriggerResult.FIRE :", "? TriggerResult.FIRE_AND_PURGE :"),
        ("Lookup", 'new Found(found.user, "none")', 'new Found(found.campaign, "none")'),
    ],
)
def test_losses_are_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("UserKey", 'click.tenant + "/" + click.user', 'String.join("/", click.tenant, click.user)'),
        ("Reader", PRESENT, "    click.ifPresentOrElse(out::collect, () -> broken(line));\n"),
        ("Reader", PRESENT, "    click.ifPresent(found -> out.collect(found));\n"),
        ("Click", BY_SETTERS, BY_CONSTRUCTOR),
        ("Click", "{ return Optional.empty(); }", "{ System.out.println(line); return Optional.empty(); }"),
        ("Campaign", "return id;", "return id + prefix;"),
        ("Campaign", "return text;", 'return text + "!";'),
        ("Matcher", LOOP, AS_STREAM),
        ("Matcher", "if (campaign.active) {\n", "if (Boolean.TRUE.equals(campaign.active)) {\n"),
        ("Matcher", "(key, state) -> {\n", "(user, state) -> {\n"),
        ("Lookup", 'result.complete(Collections.singleton(new Found(found.user, "none")))',
         'complete(found, "none", result)'),
        ("Most", f"new Sum(), {FILES['Most'].partition('new Sum(), ')[2]}",
         f"Long::sum, {FILES['Most'].partition('new Sum(), ')[2].replace('  private static class' + SUM, '}')}"),
    ],
)  # fmt: skip
def test_everyday_refactorings_are_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()


def test_another_order_of_what_is_joined_is_another_key() -> None:
    after = 'String.join("/", click.user, click.tenant)'
    found = errors(IMPORTS, FILES, "UserKey", 'click.tenant + "/" + click.user', after)
    assert found == {"type-change-to-check"}
