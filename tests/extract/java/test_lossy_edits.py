"""Edits of a Java program that keep every id and lose state all the same: each is found from the source."""

from __future__ import annotations

import pytest

from checker.compare import compare_pipelines
from checker.extract import java
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation
from checker.rules import Revision, RuleContext, run_rules

PROGRAM = """package a;
import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.serialization.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.connector.file.sink.*;
import org.apache.flink.connector.kafka.sink.*;
import org.apache.flink.connector.kafka.source.*;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.evictors.*;
import org.apache.flink.streaming.api.windowing.triggers.*;
import org.apache.flink.streaming.connectors.kafka.*;
import org.apache.flink.util.Collector;
public class Job {
  static class Last extends KeyedProcessFunction<Long, Long, Long> {
    public void open(org.apache.flink.configuration.Configuration c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("v", Long.class));
    }
    public void processElement(Long x, Context c, Collector<Long> o) {}
  }
  static class All extends KeyedProcessFunction<Long, Long, Long> {
    public void open(org.apache.flink.configuration.Configuration c) {
      getRuntimeContext().getListState(new ListStateDescriptor<>("v", Long.class));
    }
    public void processElement(Long x, Context c, Collector<Long> o) {}
  }
  static class Timed extends KeyedProcessFunction<Long, Long, Long> {
    public void processElement(Long x, Context c, Collector<Long> o) { c.timerService().registerEventTimeTimer(1L); }
  }
  static class LastInMap extends RichMapFunction<Long, Long> {
    public void open(org.apache.flink.configuration.Configuration c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("v", Long.class));
    }
    public Long map(Long x) { return x; }
  }
  static abstract class Sum implements AggregateFunction<Long, Long, Long> {}
  static class Acc { public long n; }
  static abstract class SumInClass implements AggregateFunction<Long, Acc, Long> {}
  static class Rules extends KeyedBroadcastProcessFunction<Long, Long, Long, Long> {
    public void processElement(Long x, ReadOnlyContext c, Collector<Long> o) {}
    public void processBroadcastElement(Long x, Context c, Collector<Long> o) {}
  }
  static class One extends Sum {}
  static class Other extends SumInClass {}
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Long> s = env.fromSequence(1, 9).uid("numbers");
    BODY
    env.execute();
  }
}
"""
KEYED = "s.keyBy(x -> x)."
WINDOW = KEYED + "window(TumblingEventTimeWindows.of(Duration.ofMinutes(5)))."
CONNECT = KEYED + 'connect(s.broadcast(new MapStateDescriptor<>("{}", Long.class, {}.class))).process(new Rules())'
FILES = 'sinkTo(FileSink.forRowFormat(new Path("/x"), new SimpleStringEncoder<String>()).build()).uid("end");'
KAFKA = 'sinkTo(KafkaSink.<String>builder().setBootstrapServers("b").build()).uid("end");'
NEW_KAFKA = 'env.fromSource(KafkaSource.<String>builder().build(), WatermarkStrategy.noWatermarks(), "k")'
TOPICS = NEW_KAFKA.replace("builder()", "builder().setTopics(%s)")
ARGUMENT = 'org.apache.flink.api.java.utils.ParameterTool.fromArgs(args).get("topic", "%s")'
OLD_KAFKA = 'env.addSource(new FlinkKafkaConsumer<>("t", new SimpleStringSchema(), new java.util.Properties()))'
CDC = (
    "env.fromSource(com.ververica.cdc.connectors.mysql.source.MySqlSource.<String>builder().tableList(%s)"
    '.deserializer(null).build(), WatermarkStrategy.noWatermarks(), "c")'
)
MONGO = CDC.replace("mysql.source.MySqlSource", "mongodb.source.MongoDBSource").replace("tableList", "collectionList")
OLD_CDC = (
    "env.addSource(com.ververica.cdc.connectors.postgres.PostgreSQLSource.<String>builder().tableList(%s)"
    ".deserializer(null).build())"
)
COUNT = KEYED + "countWindow({}).reduce((a, b) -> a)"
EVICT = "evictor(CountEvictor.of(3))."


def read(body: str) -> Translation:
    text = body if body.endswith(";") else f'{body}.uid("it").print().uid("out");'
    files = MemoryFiles({"src/main/java/a/Job.java": PROGRAM.replace("BODY", text).encode()})
    entry = PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="a.Job", flink="1.20", parallelism=2)
    return translate(java.extract(files, entry))


def found(before: str, after: str) -> set[str]:
    base, head = read(before), read(after)
    context = RuleContext(
        pipeline="job",
        base=Revision(translation=base),
        head=Revision(translation=head),
        comparison=compare_pipelines("job", base, head),
    )
    return {finding.rule for finding in run_rules(context)}


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (KEYED + "reduce((a, b) -> a)", KEYED + "process(new Last())", "state-renamed"),
        (KEYED + "process(new Last())", KEYED + "map(x -> x)", "state-removed"),
        (KEYED + "process(new Last())", KEYED + "process(new All())", "state-kind-changed"),
        (KEYED + "process(new Timed())", KEYED + "map(x -> x)", "state-removed"),
        (KEYED + "process(new Last())", "s.keyBy(x -> x % 10).process(new Last())", "type-change-to-check"),
        (WINDOW + "reduce((a, b) -> a)", WINDOW + "aggregate(new One())", "state-kind-changed"),
        (WINDOW + "aggregate(new One())", WINDOW + "aggregate(new Other())", "value-type-changed"),
        (WINDOW + "apply(null)", WINDOW + EVICT + "apply(null)", "value-type-changed"),
        (WINDOW + "reduce((a, b) -> a)", KEYED + "countWindow(5).reduce((a, b) -> a)", "window-changed"),
        (COUNT.format("5"), COUNT.format("5, 1"), "state-kind-changed"),
        (CONNECT.format("rules", "Long"), CONNECT.format("rules", "String"), "value-type-changed"),
        (CONNECT.format("rules", "Long"), CONNECT.format("other", "Long"), "state-renamed"),
        (NEW_KAFKA, 'env.fromSequence(1, 2)', "connector-changed"),
        (OLD_KAFKA, NEW_KAFKA, "connector-changed"),
        (TOPICS % '"a"', TOPICS % '"b"', "meaning-changed"),
        (TOPICS % '"a", "b"', TOPICS % 'List.of("b")', "meaning-changed"),
        (TOPICS % (ARGUMENT % "a"), TOPICS % (ARGUMENT % "b"), "meaning-changed"),
        (TOPICS % "args[0]", TOPICS % 'args[0] + "-2"', "meaning-changed"),
        (TOPICS % 'System.getenv("A")', TOPICS % 'System.getenv("B")', "meaning-changed"),
        (OLD_KAFKA, OLD_KAFKA.replace('"t"', '"u"'), "meaning-changed"),
        (CDC % '"d.a"', CDC % '"d.b"', "meaning-changed"),
        (OLD_CDC % '"d.a"', OLD_CDC % '"d.b"', "meaning-changed"),
        (MONGO % '"d.a"', MONGO % '"d.b"', "meaning-changed"),
        ('s.map(x -> "" + x).uid("m").' + FILES, 's.map(x -> "" + x).uid("m").' + KAFKA, "connector-changed"),
    ],
)  # fmt: skip
def test_it_is_found(before: str, after: str, rule: str) -> None:
    assert not found(before, before)
    assert not found(after, after)
    assert rule in found(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (KEYED + "process(new Last())", KEYED + "map(new LastInMap())"),
        (KEYED + "process(new Last())", "s.keyBy((Long y) -> y).process(new Last())"),
        (WINDOW + "reduce((a, b) -> a)", WINDOW + "reduce((a, b) -> b)"),
        (TOPICS % '"a"', TOPICS % 'List.of("b", "a")'),
        (TOPICS % '"a"', TOPICS % "args[0]"),
        (TOPICS % "args[0]", TOPICS % 'List.of("a", args[0])'),
        (
            TOPICS % 'args[0] + "-a"',
            "String t = args[0]; " + TOPICS % 't + "-a"' + '.uid("it").print().uid("out");',
        ),
        (TOPICS % '"a"', TOPICS % (ARGUMENT % "a")),
        (CDC % '"d.a"', CDC % '"d.a", "d.b"'),
        (CDC % '"d.a", "d.b"', CDC % '"d.b"'),
        (CDC % '"d.a"', CDC % '"d.[ab]"'),
        (CDC % '"d.a"', CDC % '"d.a,d.b"'),
        (OLD_CDC % '"d.a"', OLD_CDC % "args[0]"),
        (MONGO % '"d.a"', MONGO % '"d.b", "d.a"'),
        (OLD_KAFKA, OLD_KAFKA.replace('"t"', 'Collections.singletonList("t")')),
        (OLD_KAFKA.replace('"t"', 'List.of("t", "u")'), OLD_KAFKA),
    ],
)
def test_what_keeps_its_state_is_not_reported(before: str, after: str) -> None:
    assert not found(before, after)
