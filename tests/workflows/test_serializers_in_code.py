"""Serializers that a program's code names: another one can't be told to read what the old one wrote."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.connector.sink2.*;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.core.io.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.*;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.getConfig().registerTypeWithKryoSerializer(Unit.class, UnitSerializer.class);
    DataStream<String> all = env.fromSource(new Numbers(), WatermarkStrategy.noWatermarks(), "numbers").uid("numbers");
    all.keyBy(e -> e).map(new Units()).uid("units").print();
    all.sinkTo(new Files()).uid("files");
    env.execute();
  }
}
""",
    "Unit": """public class Unit {
  private final String name;
  public Unit(String name) { this.name = name; }
}
""",
    "Units": """public class Units extends org.apache.flink.api.common.functions.RichMapFunction<String, String> {
  private transient ValueState<Unit> unit;
  @Override public void open(org.apache.flink.api.common.functions.OpenContext c) {
    unit = getRuntimeContext().getState(new ValueStateDescriptor<>("unit", Unit.class));
  }
  @Override public String map(String e) { return e; }
}
""",
    "Numbers": """public class Numbers implements Source<String, Part, List<Part>> {
  @Override public Boundedness getBoundedness() { return Boundedness.CONTINUOUS_UNBOUNDED; }
  @Override public SourceReader<String, Part> createReader(SourceReaderContext c) { return new Reader(c); }
  @Override public SimpleVersionedSerializer<Part> getSplitSerializer() { return new Own<>(); }
  @Override public SimpleVersionedSerializer<List<Part>> getEnumeratorCheckpointSerializer() { return new Own<>(); }
}
""",
    "Part": """public class Part implements SourceSplit {
  @Override public String splitId() { return "0"; }
}
""",
    "Files": """public class Files implements Sink<String>, SupportsWriterState<String, String> {
  @Override public StatefulSinkWriter<String, String> restoreWriter(WriterInitContext c, Collection<String> open) {
    return new Writer(open);
  }
  @Override public SimpleVersionedSerializer<String> getWriterStateSerializer() { return new Own<>(); }
}
""",
    "Own": """public class Own<T> implements SimpleVersionedSerializer<T> {
  @Override public int getVersion() { return 1; }
  @Override public byte[] serialize(T t) { return org.ware.Bytes.of(t); }
  @Override public T deserialize(int v, byte[] b) { return org.ware.Bytes.read(b); }
}
""",
}
REGISTERS = "    env.getConfig().registerTypeWithKryoSerializer(Unit.class, UnitSerializer.class);\n"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Numbers", "Part> getSplitSerializer() { return new Own", "Part> getSplitSerializer() { return new Plain"),
        ("Files", "getWriterStateSerializer() { return new Own", "getWriterStateSerializer() { return new Plain"),
        ("Own", "Bytes.read(b)", "Bytes.parse(b)"),
        ("Job", REGISTERS, ""),
        ("Job", REGISTERS, REGISTERS.replace("Unit", "String", 1)),
    ],
)
def test_another_serializer_is_no_silent_pass(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (REGISTERS, "    var config = env.getConfig();\n" + REGISTERS.replace("env.getConfig()", "config")),
        ('"numbers").uid', '"all numbers").uid'),
    ],
)
def test_the_same_serializer_is_silent(before: str, after: str) -> None:
    assert not errors(IMPORTS, FILES, "Job", before, after)
