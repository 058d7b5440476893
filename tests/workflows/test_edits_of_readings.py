"""Readings of meters: parts of a line, functions that only a state is given, serializers, guarded restoring."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
import com.esotericsoftware.kryo.*;
import com.esotericsoftware.kryo.io.*;
import org.apache.flink.api.common.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
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
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.getConfig().registerTypeWithKryoSerializer(Unit.class, UnitSerializer.class);
    env.socketTextStream("h", 1).uid("lines").flatMap(new Readings()).uid("readings")
        .keyBy(r -> r.meter).process(new Usage()).uid("usage").addSink(new Alarms()).uid("alarms");
    env.execute();
  }
}
""",
    "Unit": "public class Unit { final String name; Unit(String name) { this.name = name; } }\n",
    "UnitSerializer": """public class UnitSerializer extends Serializer<Unit> {
  @Override public void write(Kryo kryo, Output output, Unit unit) { output.writeString(unit.name); }
  @Override public Unit read(Kryo kryo, Input input, Class<Unit> type) { return new Unit(input.readString()); }
}
""",
    "Reading": """public class Reading {
  public String meter; public double value; public long count; public Unit unit;
  double getValue() { return value; }
}
""",
    "Booked": """public class Booked {
  public double value; public Map<String, Double> each = new HashMap<>();
  public List<Double> recent = new ArrayList<>();
  void book(Reading reading) {
    value += reading.getValue();
    each.merge(reading.meter, reading.getValue(), Double::sum);
    recent.add(reading.getValue());
    while (recent.size() > 5) { recent.remove(0); }
  }
}
""",
    "Readings": """public class Readings implements FlatMapFunction<String, Reading> {
  @Override public void flatMap(String line, Collector<Reading> out) {
    String[] cells = line.split(";");
    if (cells.length < 3) { return; }
    Reading reading = new Reading();
    reading.meter = cells[1];
    reading.value = Double.parseDouble(cells[2]);
    out.collect(reading);
  }
}
""",
    "Most": "public class Most { public double value; public long count; public double highest; }\n",
    "Averaged": """public class Averaged implements AggregateFunction<Reading, Most, Double> {
  @Override public Most createAccumulator() { return new Most(); }
  @Override public Most add(Reading reading, Most most) {
    most.value += reading.value;
    most.count++;
    most.highest = Math.max(most.highest, reading.value);
    return most;
  }
  @Override public Double getResult(Most most) { return most.value / most.count; }
  @Override public Most merge(Most a, Most b) { a.value += b.value; a.count += b.count; return a; }
}
""",
    "Usage": """public class Usage extends KeyedProcessFunction<String, Reading, String> {
  private transient AggregatingState<Reading, Double> average;
  private transient ValueState<Unit> unit;
  private transient ValueState<Booked> booked;
  @Override public void open(Configuration c) {
    average = getRuntimeContext().getAggregatingState(
        new AggregatingStateDescriptor<>("average", new Averaged(), Most.class));
    booked = getRuntimeContext().getState(new ValueStateDescriptor<>("booked", Booked.class));
    unit = getRuntimeContext().getState(new ValueStateDescriptor<>("unit", Unit.class));
  }
  @Override public void processElement(Reading reading, Context ctx, Collector<String> out) throws Exception {
    average.add(reading);
    Booked all = booked.value() == null ? new Booked() : booked.value();
    all.book(reading);
    booked.update(all);
    if (unit.value() == null) { unit.update(reading.unit); }
    out.collect(ctx.getCurrentKey() + average.get());
  }
}
""",
    "Alarms": """public class Alarms extends RichSinkFunction<String> implements CheckpointedFunction {
  private final List<String> waiting = new ArrayList<>();
  private transient ListState<String> kept;
  @Override public void invoke(String value, Context context) {
    waiting.add(value);
    if (waiting.size() > 10) { waiting.clear(); }
  }
  @Override public void snapshotState(FunctionSnapshotContext context) throws Exception {
    kept.update(Collections.singletonList(String.join(";", waiting)));
  }
  @Override public void initializeState(FunctionInitializationContext context) throws Exception {
    kept = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("kept", String.class));
    if (context.isRestored()) {
      for (String value : kept.get()) { waiting.add(value); }
    }
  }
}
""",
}
REGISTERS = "    env.getConfig().registerTypeWithKryoSerializer(Unit.class, UnitSerializer.class);\n"
FOLDED = "    most.value += reading.value;\n    most.count++;\n"
RESTORED = "    if (context.isRestored()) {\n      for (String value : kept.get()) { waiting.add(value); }\n    }\n"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Readings", "cells[1]", "cells[0]"),
        ("Readings", 'line.split(";")', 'line.split(",", -1)'),
        ("Averaged", FOLDED, "    most.value = reading.value;\n    most.count = 1;\n"),
        ("Averaged", "Math.max(most.highest, reading.value)", "reading.value"),
        ("Booked", "value += reading.getValue();", "value = reading.getValue();"),
        ("Booked", "while (recent.size() > 5)", "while (!recent.isEmpty())"),
        ("Booked", "recent.size() > 5", "recent.size() > 0"),
        ("Job", REGISTERS, ""),
        ("Job", REGISTERS, REGISTERS.replace("TypeWithKryoSerializer(Unit", "TypeWithKryoSerializer(String")),
        ("Alarms", "if (context.isRestored())", "if (!context.isRestored())"),
        ("Alarms", "Collections.singletonList(", "Collections.nCopies(0, "),
        ("Alarms", RESTORED, RESTORED + "    if (context.isRestored()) { waiting.clear(); }\n"),
    ],
)
def test_a_loss_is_reported(name: str, old: str, new: str) -> None:
    assert errors(IMPORTS, FILES, name, old, new)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Readings", 'line.split(";")', 'line.split(";", -1)'),
        (
            "Averaged",
            FOLDED,
            "    Most before = most;\n    most = new Most();\n    most.highest = before.highest;\n"
            "    most.value = before.value + reading.value;\n    most.count = before.count + 1;\n",
        ),
        (
            "Averaged",
            "    most.highest = Math.max(most.highest, reading.value);\n",
            "    if (reading.value > most.highest) {\n      most.highest = reading.value;\n    }\n",
        ),
        (
            "Job",
            REGISTERS,
            "    ExecutionConfig config = env.getConfig();\n" + REGISTERS.replace("env.getConfig()", "config"),
        ),
        ("Booked", "recent.size() > 5", "recent.size() > 10"),
        ("Booked", "while (recent.size() > 5) {", "if (recent.size() > 5) {"),
        ("Booked", "value += reading.getValue();", "value = value + reading.getValue();"),
        ("Alarms", "Collections.singletonList(", "List.of("),
        ("Alarms", RESTORED, "    for (String value : kept.get()) { waiting.add(value); }\n"),
    ],
)
def test_a_refactoring_is_silent(name: str, old: str, new: str) -> None:
    assert not errors(IMPORTS, FILES, name, old, new)
