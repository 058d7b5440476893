"""A ledger: balances in objects, positions that a source snapshots itself, a sink with transactions."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
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
import org.apache.flink.streaming.api.functions.source.*;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.addSource(new Numbered()).uid("source").map(new Parser()).uid("parse")
        .keyBy(b -> b.account).process(new Balances()).uid("balances")
        .keyBy(b -> b.account).process(new Last()).uid("last").addSink(new Ledger()).uid("files");
    env.execute();
  }
}
""",
    "Numbered": """public class Numbered extends RichParallelSourceFunction<String> implements CheckpointedFunction {
  private volatile boolean running = true;
  private final Map<Integer, Long> positions = new TreeMap<>();
  private transient ListState<Tuple2<Integer, Long>> kept;
  @Override public void run(SourceContext<String> ctx) throws Exception {
    while (running) {
      synchronized (ctx.getCheckpointLock()) {
        long at = positions.getOrDefault(1, 0L);
        ctx.collect("a;" + at);
        positions.put(1, at + 1);
      }
    }
  }
  @Override public void cancel() { running = false; }
  @Override public void snapshotState(FunctionSnapshotContext c) throws Exception {
    kept.clear();
    for (Map.Entry<Integer, Long> e : positions.entrySet()) {
      kept.add(Tuple2.of(e.getKey(), e.getValue()));
    }
  }
  @Override public void initializeState(FunctionInitializationContext c) throws Exception {
    kept = c.getOperatorStateStore().getUnionListState(
        new ListStateDescriptor<>("positions", Types.TUPLE(Types.INT, Types.LONG)));
    for (Tuple2<Integer, Long> t : kept.get()) {
      positions.merge(t.f0, t.f1, Math::max);
    }
  }
}
""",
    "Parser": """public class Parser implements MapFunction<String, Booking> {
  @Override public Booking map(String line) {
    String[] cells = line.split(";");
    return Booking.builder().account(cells[0]).cents(Long.parseLong(cells[1])).build();
  }
}
""",
    "Booking": """public class Booking {
  public String account; public long cents;
  static Builder builder() { return new Builder(); }
  static class Builder {
    private String account; private long cents;
    Builder account(String account) { this.account = account; return this; }
    Builder cents(long cents) { this.cents = cents; return this; }
    Booking build() {
      Booking booking = new Booking();
      booking.account = account;
      booking.cents = cents;
      return booking;
    }
  }
}
""",
    "Balance": """public class Balance {
  public String account; public long cents; public Deque<Long> recent = new ArrayDeque<>();
  public Balance() {}
  public Balance(String account) { this.account = account; }
  void book(Booking booking) {
    cents += signed(booking);
    recent.addLast(booking.cents);
  }
  private long signed(Booking booking) { return booking.cents > 100 ? booking.cents : -booking.cents; }
}
""",
    "Balances": """public class Balances extends KeyedProcessFunction<String, Booking, Balance> {
  private transient ValueState<Balance> balance;
  @Override public void open(Configuration c) {
    balance = getRuntimeContext().getState(new ValueStateDescriptor<>("balance", Balance.class));
  }
  @Override public void processElement(Booking booking, Context ctx, Collector<Balance> out) throws Exception {
    Balance current = current(booking.account);
    current.book(booking);
    balance.update(current);
    out.collect(current);
  }
  private Balance current(String account) throws Exception {
    Balance found = balance.value();
    return found != null ? found : new Balance(account);
  }
}
""",
    "Last": """public class Last extends KeyedProcessFunction<String, Balance, String> {
  private transient ValueState<Long> last;
  @Override public void open(Configuration c) {
    last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Long.class));
  }
  @Override public void processElement(Balance balance, Context ctx, Collector<String> out) throws Exception {
    out.collect(balance.account + last.value());
    last.update(balance.cents);
  }
}
""",
    "Ledger": """public class Ledger extends TwoPhaseCommitSinkFunction<String, Ledger.Tx, Void> {
  public Ledger() { super(TypeInformation.of(Tx.class).createSerializer(null), null); }
  public static class Tx { public String file; public List<String> lines = new ArrayList<>(); }
  @Override protected Tx beginTransaction() { Tx tx = new Tx(); tx.file = UUID.randomUUID().toString(); return tx; }
  @Override protected void invoke(Tx tx, String line, Context ctx) { tx.lines.add(line); }
  @Override protected void preCommit(Tx tx) throws Exception { write(tx.file + ".part", tx.lines); }
  @Override protected void commit(Tx tx) { move(tx.file + ".part", tx.file); }
  @Override protected void abort(Tx tx) { new java.io.File(tx.file + ".part").delete(); }
  private void write(String file, List<String> lines) throws Exception {
    java.nio.file.Files.write(java.nio.file.Paths.get(file), lines);
  }
  private void move(String from, String to) { new java.io.File(from).renameTo(new java.io.File(to)); }
}
""",
}
SNAPSHOT = (
    FILES["Numbered"].partition("FunctionSnapshotContext c) throws Exception {\n")[2].partition("  }\n  @Over")[0]
)
RESTORE = FILES["Numbered"][FILES["Numbered"].index("    for (Tuple2") :].removesuffix("  }\n}\n")
BUILT = "    return Booking.builder().account(cells[0]).cents(Long.parseLong(cells[1])).build();\n"
BOOKED = "    current.book(booking);\n    balance.update(current);\n    out.collect(current);\n  }\n"
FOUND = "    Balance found = balance.value();\n    return found != null ? found : new Balance(account);\n"
MOVED = "new java.io.File(from).renameTo(new java.io.File(to));"
IN_LIST = """    List<Tuple2<Integer, Long>> all = new ArrayList<>(positions.size());
    positions.forEach((part, at) -> {0});
    kept.update(all);
"""
EXTRACTED = """    book(current, booking, out);
  }
  private void book(Balance balance, Booking booking, Collector<Balance> out) throws Exception {
    balance.book(booking);
    this.balance.update(balance);
    out.collect(balance);
  }
"""
BY_SETTERS = """    Booking booking = new Booking();
    booking.account = {0};
    booking.cents = Long.parseLong(cells[1]);
    return booking;
"""


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Balance", "cents += signed(booking);", "cents = signed(booking);"),
        ("Numbered", "positions.put(1, at + 1);", "positions.put(1, 1L);"),
        ("Numbered", SNAPSHOT, IN_LIST.replace("{0}", "all.add(Tuple2.of(part, 0L))")),
        (
            "Numbered",
            SNAPSHOT,
            IN_LIST.replace("{0}", "all.add(Tuple2.of(part, at))").replace("update(all)", "clear()"),
        ),
        ("Numbered", RESTORE, "    kept.get().forEach(t -> positions.merge(t.f0, 0L, Math::max));\n"),
        ("Numbered", RESTORE, RESTORE.replace("merge(t.f0, t.f1, Math::max)", "put(t.f0, Math.max(1L, 2L))")),
        ("Parser", BUILT, BY_SETTERS.replace("{0}", "cells[1]")),
        ("Booking", "booking.account = account;", "booking.account = account.trim();"),
        ("Balances", BOOKED, EXTRACTED.replace("collect(balance)", 'collect(new Balance("all"))')),
        (
            "Balances",
            FOUND,
            "    return Optional.ofNullable(balance.value()).orElseGet(() -> new Balance(account + 1));\n",
        ),
        ("Ledger", 'write(tx.file + ".part", tx.lines);', "tx.lines.clear();"),
    ],
)
def test_losses_are_seen(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Balance", "cents += signed(booking);", "cents = Math.addExact(cents, signed(booking));"),
        ("Balance", "cents += signed(booking);", "long more = signed(booking);\n    this.cents = this.cents + more;"),
        ("Numbered", "positions.put(1, at + 1);", "positions.merge(1, 1L, Long::sum);"),
        ("Numbered", "positions.getOrDefault(1, 0L)", "positions.get(1) == null ? 0L : positions.get(1)"),
        ("Numbered", SNAPSHOT, IN_LIST.replace("{0}", "all.add(Tuple2.of(part, at))")),
        ("Numbered", SNAPSHOT, IN_LIST.replace("{0}", "{\n      all.add(new Tuple2<>(part, at));\n    }")),
        ("Numbered", RESTORE, "    kept.get().forEach(t -> positions.merge(t.f0, t.f1, Math::max));\n"),
        (
            "Numbered",
            RESTORE,
            RESTORE.replace(
                "merge(t.f0, t.f1, Math::max)", "put(t.f0, Math.max(positions.getOrDefault(t.f0, 0L), t.f1))"
            ),
        ),
        ("Parser", BUILT, BY_SETTERS.replace("{0}", "cells[0]")),
        ("Balances", BOOKED, EXTRACTED),
        ("Balances", FOUND, "    return Optional.ofNullable(balance.value()).orElseGet(() -> new Balance(account));\n"),
        (
            "Balances",
            FOUND,
            FOUND.replace("return found != null ? found :", "if (found != null) { return found; } return"),
        ),
        (
            "Ledger",
            'write(tx.file + ".part", tx.lines);',
            'if (!tx.lines.isEmpty()) { write(tx.file + ".part", tx.lines); }',
        ),
        ("Ledger", MOVED, "java.nio.file.Files.move(java.nio.file.Path.of(from), java.nio.file.Path.of(to));"),
    ],
)
def test_other_ways_to_write_it_are_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()
