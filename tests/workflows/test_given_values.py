"""What Flink gives functions, sources and sinks of their state is lost where their code has no use for it any more."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.api.connector.sink2.*;
import org.apache.flink.core.io.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.triggers.*;
import org.apache.flink.streaming.api.windowing.windows.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.streaming.api.functions.windowing.*;
import org.apache.flink.util.*;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Event> all = env.fromSource(new Numbers(10), WatermarkStrategy.noWatermarks(), "numbers").uid("numbers");
    all.keyBy(e -> e.user).connect(all.broadcast(Apply.RULES)).process(new Apply()).uid("apply").print();
    all.keyBy(e -> e.user).window(GlobalWindows.create()).trigger(new Every(10)).process(new Window()).uid("w").print();
    all.sinkTo(new Files()).uid("files");
    env.execute();
  }
}
""",
    "Event": """public class Event {
  public String user;
  public long amount;
  public Event() {}
  public Event(String user, long amount) { this.user = user; this.amount = amount; }
}
""",
    "Window": """public class Window extends ProcessWindowFunction<Event, String, String, GlobalWindow> {
  private static final ValueStateDescriptor<Long> FIRED = new ValueStateDescriptor<>("fired", Long.class);
  @Override public void process(String k, Context c, Iterable<Event> in, Collector<String> out) throws Exception {
    ValueState<Long> fired = c.globalState().getState(FIRED);
    long n = fired.value() == null ? 1L : fired.value() + 1;
    fired.update(n);
    long sum = 0;
    for (Event e : in) { sum += e.amount; }
    out.collect(k + sum + n);
  }
}
""",
    "Every": """public class Every extends Trigger<Event, GlobalWindow> {
  private final long most;
  private final ReducingStateDescriptor<Long> seen = new ReducingStateDescriptor<>("seen", Long::sum, Long.class);
  public Every(long most) { this.most = most; }
  @Override public TriggerResult onElement(Event e, long t, GlobalWindow w, TriggerContext c) throws Exception {
    ReducingState<Long> count = c.getPartitionedState(seen);
    count.add(1L);
    if (count.get() >= most) { count.clear(); return TriggerResult.FIRE_AND_PURGE; }
    c.registerProcessingTimeTimer(c.getCurrentProcessingTime() + 60000);
    return TriggerResult.CONTINUE;
  }
  @Override public TriggerResult onEventTime(long t, GlobalWindow w, TriggerContext c) {
    return TriggerResult.CONTINUE;
  }
  @Override public TriggerResult onProcessingTime(long t, GlobalWindow w, TriggerContext c) {
    return TriggerResult.FIRE;
  }
  @Override public void clear(GlobalWindow w, TriggerContext c) throws Exception {
    c.getPartitionedState(seen).clear();
  }
}
""",
    "Apply": """public class Apply extends KeyedBroadcastProcessFunction<String, Event, Event, String> {
  static final MapStateDescriptor<String, Event> RULES = new MapStateDescriptor<>("rules", String.class, Event.class);
  @Override public void processElement(Event e, ReadOnlyContext c, Collector<String> out) throws Exception {
    Event rule = c.getBroadcastState(RULES).get(e.user);
    if (rule != null && e.amount > rule.amount) { out.collect(e.user); }
  }
  @Override public void processBroadcastElement(Event r, Context c, Collector<String> out) throws Exception {
    c.getBroadcastState(RULES).put(r.user, r);
  }
}
""",
    "Numbers": """public class Numbers implements Source<Event, Part, List<Part>> {
  private final int parts;
  public Numbers(int parts) { this.parts = parts; }
  @Override public Boundedness getBoundedness() { return Boundedness.CONTINUOUS_UNBOUNDED; }
  @Override public SplitEnumerator<Part, List<Part>> createEnumerator(SplitEnumeratorContext<Part> c) {
    return new Enumerator(c, Part.make(parts));
  }
  @Override public SplitEnumerator<Part, List<Part>> restoreEnumerator(
      SplitEnumeratorContext<Part> c, List<Part> left) {
    return new Enumerator(c, left);
  }
  @Override public SourceReader<Event, Part> createReader(SourceReaderContext c) { return new Reader(c); }
  @Override public SimpleVersionedSerializer<Part> getSplitSerializer() { return new Own<>(); }
  @Override public SimpleVersionedSerializer<List<Part>> getEnumeratorCheckpointSerializer() { return new Own<>(); }
}
""",
    "Part": """public class Part implements SourceSplit {
  public final int id;
  public long next;
  public Part(int id, long next) { this.id = id; this.next = next; }
  static List<Part> make(int n) { return new ArrayList<>(List.of(new Part(n, 0))); }
  @Override public String splitId() { return "" + id; }
}
""",
    "Enumerator": """public class Enumerator implements SplitEnumerator<Part, List<Part>> {
  private final SplitEnumeratorContext<Part> context;
  private final Deque<Part> left;
  public Enumerator(SplitEnumeratorContext<Part> context, List<Part> left) {
    this.context = context;
    this.left = new ArrayDeque<>(left);
  }
  @Override public void start() { }
  @Override public void handleSplitRequest(int task, String host) {
    Part p = left.poll();
    if (p != null) { context.assignSplit(p, task); }
  }
  @Override public void addSplitsBack(List<Part> splits, int task) { left.addAll(splits); }
  @Override public void addReader(int task) { }
  @Override public List<Part> snapshotState(long id) { return new ArrayList<>(left); }
  @Override public void close() { }
}
""",
    "Reader": """public class Reader implements SourceReader<Event, Part> {
  private final SourceReaderContext context;
  private final Deque<Part> mine = new ArrayDeque<>();
  public Reader(SourceReaderContext context) { this.context = context; }
  @Override public void start() { context.sendSplitRequest(); }
  @Override public InputStatus pollNext(ReaderOutput<Event> out) {
    Part p = mine.peek();
    if (p == null) { return InputStatus.NOTHING_AVAILABLE; }
    out.collect(new Event("u" + p.id, p.next));
    p.next = p.next + 1;
    return InputStatus.MORE_AVAILABLE;
  }
  @Override public List<Part> snapshotState(long id) { return new ArrayList<>(mine); }
  @Override public CompletableFuture<Void> isAvailable() { return CompletableFuture.completedFuture(null); }
  @Override public void addSplits(List<Part> splits) { mine.addAll(splits); }
  @Override public void notifyNoMoreSplits() { }
  @Override public void close() { }
}
""",
    "Files": """public class Files
    implements Sink<Event>, SupportsCommitter<String>, SupportsWriterState<Event, String> {
  @Override public SinkWriter<Event> createWriter(WriterInitContext c) { return new Writer(new ArrayList<>()); }
  @Override public StatefulSinkWriter<Event, String> restoreWriter(WriterInitContext c, Collection<String> open) {
    return new Writer(new ArrayList<>(open));
  }
  @Override public Committer<String> createCommitter(CommitterInitContext c) { return new Moves(); }
  @Override public SimpleVersionedSerializer<String> getCommittableSerializer() { return new Own<>(); }
  @Override public SimpleVersionedSerializer<String> getWriterStateSerializer() { return new Own<>(); }
}
""",
    "Own": """public class Own<T> implements SimpleVersionedSerializer<T> {
  @Override public int getVersion() { return 1; }
  @Override public byte[] serialize(T t) { return org.ware.Bytes.of(t); }
  @Override public T deserialize(int v, byte[] b) { return org.ware.Bytes.read(b); }
}
""",
    "Writer": """public class Writer implements StatefulSinkWriter<Event, String>, CommittingSinkWriter<Event, String> {
  private final List<String> open;
  private final List<String> done = new ArrayList<>();
  public Writer(List<String> open) { this.open = open; }
  @Override public void write(Event e, Context c) { open.add(e.user); }
  @Override public void flush(boolean end) { done.addAll(open); open.clear(); }
  @Override public Collection<String> prepareCommit() {
    List<String> all = new ArrayList<>(done); done.clear();
    return all;
  }
  @Override public List<String> snapshotState(long id) { return open; }
  @Override public void close() { }
}
""",
    "Moves": """public class Moves implements Committer<String> {
  @Override public void commit(Collection<CommitRequest<String>> all) {
    for (CommitRequest<String> one : all) { Store.move(one.getCommittable()); }
  }
  @Override public void close() { }
}
""",
    "Store": """class Store {
  static void move(String name) { new java.io.File(name).renameTo(new java.io.File(name + ".done")); }
}
""",
}
RESTORED = "new Enumerator(c, left);"
FULL = "if (count.get() >= most) { count.clear(); return TriggerResult.FIRE_AND_PURGE; }"
RULE = "c.getBroadcastState(RULES).put(r.user, r);"
ASSIGN = "context.assignSplit(p, task);"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Apply", RULE, "c.getBroadcastState(RULES).put(r.user, null);"),
        ("Apply", RULE, ""),
        ("Apply", RULE, f"if (false) {{ {RULE} }}"),
        ("Apply", RULE, "if (r.amount < 0) { c.getBroadcastState(RULES).remove(r.user); }"),
        ("Window", "fired.update(n);", "fired.update(1L);"),
        ("Window", "for (Event e : in) { sum += e.amount; }", ""),
        ("Every", FULL, FULL.replace("FIRE_AND_PURGE", "PURGE")),
        ("Every", "return TriggerResult.FIRE;\n", "return TriggerResult.CONTINUE;\n"),
        ("Every", "    c.registerProcessingTimeTimer(c.getCurrentProcessingTime() + 60000);\n", ""),
        ("Enumerator", "left.addAll(splits);", ""),
        (
            "Numbers",
            "Part> getSplitSerializer() { return new Own",
            "Part> getSplitSerializer() { return new org.ware.Plain",
        ),
        (
            "Files",
            "getWriterStateSerializer() { return new Own",
            "getWriterStateSerializer() { return new org.ware.Plain",
        ),
        ("Enumerator", "if (p != null) { context.assignSplit(p, task); }", ""),
        ("Reader", "p.next = p.next + 1;", ""),
        ("Reader", "p.next = p.next + 1;", "p.next = 0;"),
        ("Reader", '    out.collect(new Event("u" + p.id, p.next));\n', ""),
        ("Reader", '"u" + p.id', '"user" + p.id'),
        ("Writer", "open.add(e.user);", ""),
        ("Writer", "done.addAll(open); open.clear();", "open.clear();"),
        ("Writer", "return all;", "return List.of();"),
        ("Moves", "Store.move(one.getCommittable());", "one.signalAlreadyCommitted();"),
        ("Store", 'new java.io.File(name).renameTo(new java.io.File(name + ".done"));', ""),
    ],
)
def test_what_is_no_longer_used_is_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Apply", RULE, f"if (r.amount < 0) {{ c.getBroadcastState(RULES).remove(r.user); }} else {{ {RULE} }}"),
        ("Apply", RULE, f"if (r.user == null) {{ return; }} {RULE}"),
        ("Apply", RULE, f"try {{ {RULE} }} catch (RuntimeException x) {{ System.out.println(x); }}"),
        ("Apply", "e.amount > rule.amount", "e.amount >= rule.amount"),
        ("Window", "out.collect(k + sum + n);", 'out.collect(k + " " + sum + " " + n);'),
        ("Window", "for (Event e : in) { sum += e.amount; }", "for (Event e : in) { sum += 2 * e.amount; }"),
        ("Every", "+ 60000", "+ 30000"),
        ("Every", FULL, FULL.replace(">=", ">")),
        ("Enumerator", "if (p != null) {", "if (p == null) { context.signalNoMoreSplits(task); } else {"),
        ("Enumerator", ASSIGN, "Later.assign(context, p, task);"),
        ("Enumerator", "addReader(int task) { }", "addReader(int task) { System.out.println(task); }"),
        ("Reader", "p.next = p.next + 1;", "p.next++;"),
        ("Reader", '    out.collect(new Event("u" + p.id, p.next));\n',
         '    Event e = new Event("u" + p.id, p.next);\n    out.collect(e);\n'),
        ("Writer", "open.add(e.user);", "open.add(e.user + e.amount);"),
        ("Writer", "done.addAll(open);", "open.forEach(done::add);"),
        ("Writer", "new ArrayList<>(done); done.clear();", "List.copyOf(done); done.clear();"),
        ("Moves", "Store.move(", "System.out.println(one); Store.move("),
    ],
)  # fmt: skip
def test_everyday_edits_stay_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()
