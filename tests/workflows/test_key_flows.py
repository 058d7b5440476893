# ruff: noqa: E501
"""Edits of functions before ``keyBy`` that compute what keys are made of, and edits of the same functions that don't."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

FOLDER = "src/main/java/org/ware/"
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>org.ware</groupId><artifactId>stock</artifactId><dependencies>
<dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency>
</dependencies></project>"""
MOVE = """package org.ware;
public class Move {
    private String sku; private String depot; private int amount; private long at; private Party party;
    public Move() {}
    public String getSku() { return sku; }
    public void setSku(String sku) { this.sku = sku; }
    public String getDepot() { return depot; }
    public void setDepot(String depot) { this.depot = depot; }
    public int getAmount() { return amount; }
    public void setAmount(int amount) { this.amount = amount; }
    public long getAt() { return at; }
    public void setAt(long at) { this.at = at; }
    public Party getParty() { return party; }
    public void setParty(Party party) { this.party = party; }
}
"""
PARTY = """package org.ware;
public record Party(String id, String name) {
    public Party { if (id == null) throw new IllegalArgumentException("id"); }
    static Party of(String text) { return new Party(text.substring(0, 3), text.substring(3)); }
}
"""
MOVESCHEMA = """package org.ware;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
public class MoveSchema extends AbstractDeserializationSchema<Move> {
    private transient ObjectMapper mapper;
    @Override public void open(InitializationContext c) { mapper = new ObjectMapper(); }
    @Override public Move deserialize(byte[] message) throws IOException {
        JsonNode node = mapper.readTree(message);
        Move move = new Move();
        move.setSku(node.get("sku").asText());
        move.setDepot(node.path("depot").asText("none"));
        move.setAmount(node.get("amount").asInt());
        move.setAt(node.get("ts").asLong());
        return move;
    }
}
"""
CLEAN = """package org.ware;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
public class Clean extends RichMapFunction<Move, Move> {
    private final String fallback;
    private transient Counter bad;
    public Clean(String fallback) { this.fallback = fallback; }
    @Override public void open(Configuration c) { bad = getRuntimeContext().getMetricGroup().counter("bad"); }
    @Override public Move map(Move m) {
        if (m.getSku() == null) {
            m.setSku(fallback);
            bad.inc();
        }
        m.setDepot(normal(m.getDepot()));
        if (m.getAmount() < 0) {
            m.setAmount(0);
        }
        m.setParty(Party.of(m.getDepot() + m.getSku()));
        return m;
    }
    private static String normal(String depot) {
        String trimmed = depot.trim();
        return trimmed.isEmpty() ? "none" : trimmed;
    }
}
"""
LEVEL = """package org.ware;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Level extends KeyedProcessFunction<String, Move, Tuple2<String, Integer>> {
    private transient ValueState<Integer> level;
    @Override public void open(Configuration c) { level = getRuntimeContext().getState(new ValueStateDescriptor<>("level", Integer.class)); }
    @Override public void processElement(Move m, Context ctx, Collector<Tuple2<String, Integer>> out) throws Exception {
        Integer now = level.value();
        int next = (now == null ? 0 : now) + m.getAmount();
        level.update(next);
        String where = m.getDepot() + "/" + m.getSku();
        out.collect(Tuple2.of(where, next));
    }
}
"""
STOCKJOB = """package org.ware;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
public class StockJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(4);
        KafkaSource<Move> source = KafkaSource.<Move>builder().setBootstrapServers("k:9092").setTopics("moves").setGroupId("g")
            .setValueOnlyDeserializer(new MoveSchema()).build();
        SingleOutputStreamOperator<Move> moves = env.fromSource(source, WatermarkStrategy.noWatermarks(), "moves").uid("moves")
            .map(new Clean("unknown")).uid("clean")
            .filter(m -> m.getAmount() > 0).uid("positive");
        SingleOutputStreamOperator<Tuple2<String, Integer>> levels = moves.keyBy(Move::getSku).process(new Level()).uid("level");
        levels.keyBy(t -> t.f0).window(TumblingProcessingTimeWindows.of(Duration.ofMinutes(5))).max(1).uid("max")
            .map(t -> t.f0 + ": " + t.f1).uid("lines").print().uid("out");
        moves.map(m -> Tuple2.of(m.getParty().id(), m.getAmount() * 2)).returns(Types.TUPLE(Types.STRING, Types.INT)).uid("pairs")
            .keyBy(t -> t.f0).sum(1).uid("sum").print().uid("sums");
        moves.map(m -> m.getDepot()).uid("depots").keyBy(d -> d).reduce((a, b) -> b).uid("last").print().uid("depots-out");
        env.execute("stock");
    }
}
"""
CLASSES = {
    "Move": MOVE,
    "Party": PARTY,
    "MoveSchema": MOVESCHEMA,
    "Clean": CLEAN,
    "Level": LEVEL,
    "StockJob": STOCKJOB,
}
TO_DEPOT = """package org.ware;
public class ToDepot implements org.apache.flink.api.common.functions.MapFunction<Move, String> {
    @Override public String map(Move move) { return move.getDepot(); }
}
"""


def errors(folder: Path, capsys: pytest.CaptureFixture[str], edits: dict[str, str]) -> list[str]:
    scratch = Scratch(folder)
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{name}.java": text for name, text in CLASSES.items()}})
    scratch.commit(**{f"{FOLDER}{name}.java": text for name, text in edits.items()})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return [f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] in ("error", "warning")]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("MoveSchema", 'node.get("sku").asText()', 'node.get("sku").asText().toLowerCase()'),
        ("Clean", "m.setSku(fallback)", "m.setSku(fallback.toUpperCase())"),
        ("Clean", 'trimmed.isEmpty() ? "none"', 'trimmed.isEmpty() ? "nowhere"'),
        ("Party", "text.substring(0, 3)", "text.substring(0, 4)"),
        ("Level", '+ "/" +', '+ ":" +'),
        ("StockJob", "m.getParty().id(), m", "m.getParty().name(), m"),
        ("StockJob", "m -> m.getDepot()", "m -> m.getDepot().trim()"),
        ("Move", "this.sku = sku;", "this.sku = sku.trim();"),
        (
            "Party",
            'throw new IllegalArgumentException("id"); }',
            'throw new IllegalArgumentException("id"); id = id.trim(); }',
        ),
        ("StockJob", ".filter(m ->", '.map(m -> { m.setSku(m.getSku().trim()); return m; }).uid("trim").filter(m ->'),
        ("StockJob", 'new Clean("unknown")', 'new Clean("none")'),
    ],
)
def test_a_function_that_computes_keys_otherwise_is_no_silent_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, before: str, after: str
) -> None:
    assert before in CLASSES[name]
    found = errors(tmp_path / "repo", capsys, {name: CLASSES[name].replace(before, after)})
    assert set(found) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("MoveSchema", 'node.get("ts").asLong()', 'node.get("ts").asLong() * 1000'),
        (
            "MoveSchema",
            'move.setSku(node.get("sku").asText());',
            'String sku = node.get("sku").asText();\n        move.setSku(sku);',
        ),
        ("Clean", "bad.inc()", "bad.inc(2)"),
        ("Clean", "m.setAmount(0)", "m.setAmount(1)"),
        ("Party", "text.substring(3)", "text.substring(4)"),
        ("Level", "+ m.getAmount();", "+ m.getAmount() * 2;"),
        ("StockJob", "m.getAmount() * 2", "m.getAmount() * 3"),
        (
            "StockJob",
            "m -> m.getDepot())",
            "m -> {\n            String depot = m.getDepot();\n            return depot;\n        })",
        ),
        (
            "StockJob",
            "        env.execute",
            '        moves.map(m -> Tuple2.of(m.getSku(), 1L)).returns(Types.TUPLE(Types.STRING, Types.LONG)).uid("ones").print().uid("ones-out");\n        env.execute',
        ),
        (
            "StockJob",
            "        env.execute",
            '        moves.map(m -> Tuple2.of(m.getSku(), 1L)).returns(Types.TUPLE(Types.STRING, Types.LONG)).uid("ones").keyBy(t -> t.f0).sum(1).uid("ones-sum").print().uid("ones-out");\n        env.execute',
        ),
    ],
)
def test_what_no_key_is_made_of_may_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, before: str, after: str
) -> None:
    assert before in CLASSES[name]
    assert not errors(tmp_path / "repo", capsys, {name: CLASSES[name].replace(before, after)})


_SHORT = "levels.map(t -> Tuple2.of(t.f0.trim(), t.f1)).returns(Types.TUPLE(Types.STRING, Types.INT))"
_WINDOW = "(TumblingProcessingTimeWindows.of(Duration.ofMinutes(5))).max(1).print();"


@pytest.mark.parametrize(
    ("windowed", "lost"), [(f".windowAll{_WINDOW}", False), (f".keyBy(t -> t.f0).window{_WINDOW}", True)]
)
def test_windows_over_all_elements_have_one_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], windowed: str, lost: bool
) -> None:
    job = STOCKJOB.replace("        env.execute", f"        {_SHORT}{windowed}\n        env.execute")
    scratch = Scratch(tmp_path / "repo")
    classes = {**CLASSES, "StockJob": job}
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{name}.java": text for name, text in classes.items()}})
    scratch.commit(**{f"{FOLDER}StockJob.java": job.replace("t.f0.trim()", "t.f0.strip()")})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert any(f["severity"] == "error" for p in report["pipelines"] for f in p["findings"]) is lost


NAMES = """package org.ware;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
public class Names {
    static List<String> of(String text) {
        return Arrays.stream(text.split(",")).map(String::trim).collect(Collectors.toList());
    }
}
"""


def test_what_collections_are_given_while_the_graph_is_built_makes_no_elements(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    job = CLASSES["StockJob"].replace(
        "        env.execute", '        System.out.println(Names.of("a, b"));\n        env.execute'
    )
    classes = {**CLASSES, "StockJob": job, "Names": NAMES}
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{name}.java": text for name, text in classes.items()}})
    scratch.commit(**{f"{FOLDER}Names.java": NAMES.replace("String::trim", "String::strip")})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert not [f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"]


WRAPPED = "levels\n            // by place\n            .keyBy((Tuple2<String, Integer> t) -> { return t.f0; })\n            .window"


def test_keyed_operators_may_stand_on_other_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = "levels.keyBy(t -> t.f0).window"
    assert before in STOCKJOB
    assert not errors(tmp_path / "repo", capsys, {"StockJob": STOCKJOB.replace(before, WRAPPED)})


def test_a_state_may_be_called_like_a_member_of_elements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = 'env.socketTextStream("h", 9).uid("in").map(Scan::parse).uid("parse").keyBy(scan -> scan.sku)'
    second = ".process(new Stay()).uid(STAY).keyBy(stay -> stay.sku).map(new Last())"
    job = SCANS.replace("KEY", "scan.sku").replace(".map(new Last())", second.replace("STAY", '"stay"'))
    job = job.replace("Last extends RichMapFunction<Scan,", "Last extends RichMapFunction<Stay.Kept,")
    job = (
        job.replace("<Scan>", "<Stay.Kept>")
        .replace("Scan.class", "Stay.Kept.class")
        .replace("map(Scan s", "map(Stay.Kept s")
    )
    assert stream in job
    stay = STAY.replace("NAME", "at")
    classes = {"Scan": SCAN, "Place": PLACE, "Reader": READER, "Scans": job, "Stay": stay}
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{key}.java": text for key, text in classes.items()}})
    edited = SCAN.replace("scan.at = Long.parseLong(cells[1])", "scan.at = Long.parseLong(cells[1].trim())")
    scratch.commit(**{f"{FOLDER}Scan.java": edited})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert not [f["message"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"]


@pytest.mark.parametrize(
    ("statement", "in_keys"), [("scan.at = mean.get().length();", False), ("scan.sku = mean.get();", True)]
)
def test_what_a_state_folds_is_in_keys_only_where_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], statement: str, in_keys: bool
) -> None:
    job = SCANS.replace(
        ".map(new Last())", '.process(new Gauge()).uid("gauge").keyBy(scan -> scan.sku).map(new Last())'
    )
    job, gauge = job.replace("KEY", "scan.sku"), GAUGE.replace("SET", statement)
    classes = {"Scan": SCAN, "Place": PLACE, "Reader": READER, "Scans": job, "Gauge": gauge, "Mean": MEAN}
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{key}.java": text for key, text in classes.items()}})
    scratch.commit(**{f"{FOLDER}Mean.java": MEAN.replace("String.valueOf(sum", "String.valueOf(10 * sum")})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = [f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"]
    assert found == (["edit-not-understood"] if in_keys else [])


def test_a_lambda_may_become_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = STOCKJOB.replace("m -> m.getDepot()", "new ToDepot()")
    assert not errors(tmp_path / "repo", capsys, {"StockJob": job, "ToDepot": TO_DEPOT})


SCAN = """package org.ware;
public class Scan {
    public String sku; public Place place; public long at;
    public Scan() {}
    public Scan(String line) { String[] cells = line.split(";"); this.sku = cells[0]; this.at = Long.parseLong(cells[1]); }
    public static Scan parse(String line) {
        String[] cells = line.split(";");
        Scan scan = new Scan();
        scan.sku = cells[0];
        scan.place = new Place(cells[2]);
        scan.at = Long.parseLong(cells[1]);
        return scan;
    }
    public Scan normalized() { Scan made = new Scan(); made.sku = sku.trim(); made.at = at * 1000; return made; }
}
"""
PLACE = """package org.ware;
public class Place {
    public String hub;
    public Place() {}
    public Place(String hub) { this.hub = hub; }
}
"""
READER = """package org.ware;
public class Reader implements java.io.Serializable {
    public Scan read(String line) { Scan scan = new Scan(); scan.sku = line.substring(0, 5); scan.at = line.length(); return scan; }
}
"""
MEAN = """package org.ware;
import org.apache.flink.api.common.functions.AggregateFunction;
public class Mean implements AggregateFunction<Long, Mean.Sum, String> {
    public static class Sum { public long total; public long count; }
    @Override public Sum createAccumulator() { return new Sum(); }
    @Override public Sum add(Long value, Sum sum) { sum.total += value; sum.count++; return sum; }
    @Override public String getResult(Sum sum) { return String.valueOf(sum.total / sum.count); }
    @Override public Sum merge(Sum a, Sum b) { a.total += b.total; a.count += b.count; return a; }
}
"""
GAUGE = """package org.ware;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Gauge extends KeyedProcessFunction<String, Scan, Scan> {
    private transient AggregatingState<Long, String> mean;
    @Override public void open(Configuration c) {
        mean = getRuntimeContext().getAggregatingState(new AggregatingStateDescriptor<>("mean", new Mean(), Mean.Sum.class));
    }
    @Override public void processElement(Scan scan, Context ctx, Collector<Scan> out) throws Exception {
        mean.add(scan.at);
        SET
        out.collect(scan);
    }
}
"""
STAY = """package org.ware;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Stay extends KeyedProcessFunction<String, Scan, Stay.Kept> {
    public static class Kept { public String sku; public long at; public Kept() {} }
    private transient ValueState<Scan> NAME;
    @Override public void open(Configuration c) { NAME = getRuntimeContext().getState(new ValueStateDescriptor<>("kept", Scan.class)); }
    @Override public void processElement(Scan scan, Context ctx, Collector<Kept> out) throws Exception {
        Kept kept = new Kept();
        kept.sku = NAME.value().sku;
        kept.at = scan.at;
        NAME.update(scan);
        out.collect(kept);
    }
}
"""
SCANS = """package org.ware;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Scans {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Reader reader = new Reader();
        env.socketTextStream("h", 9).uid("in").map(Scan::parse).uid("parse").keyBy(scan -> KEY).map(new Last()).uid("last").print().uid("out");
        env.execute("scans");
    }
    static class Last extends RichMapFunction<Scan, String> {
        private transient ValueState<Scan> last;
        @Override public void open(Configuration c) { last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Scan.class)); }
        @Override public String map(Scan scan) throws Exception { last.update(scan); return scan.sku; }
    }
}
"""


def scan_errors(
    folder: Path, capsys: pytest.CaptureFixture[str], functions: str, name: str, before: str, after: str
) -> list[str]:
    job = SCANS.replace("KEY", "scan.place.hub" if name == "Place" else "scan.sku").replace("Scan::parse", functions)
    classes = {"Scan": SCAN, "Place": PLACE, "Reader": READER, "Scans": job}
    assert before in classes[name]
    scratch = Scratch(folder)
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{key}.java": text for key, text in classes.items()}})
    scratch.commit(**{f"{FOLDER}{name}.java": classes[name].replace(before, after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return [f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] in ("error", "warning")]


@pytest.mark.parametrize(
    ("functions", "name", "before", "after"),
    [
        ("Scan::parse", "Scan", "scan.sku = cells[0]", "scan.sku = cells[0].trim()"),
        ("Scan::parse", "Place", "this.hub = hub", "this.hub = hub.toUpperCase()"),
        ("Scan::new", "Scan", "this.sku = cells[0]", "this.sku = cells[0].trim()"),
        ('Scan::parse).uid("p").map(Scan::normalized', "Scan", "sku.trim()", "sku.strip().toLowerCase()"),
        ("reader::read", "Reader", "substring(0, 5)", "substring(0, 6)"),
        ("new Reader()::read", "Reader", "substring(0, 5)", "substring(0, 6)"),
        ("line -> java.util.Optional.of(line).map(Scan::parse).get()", "Scan", "= cells[0];\n", "= cells[1];\n"),
    ],
)
def test_a_method_reference_is_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], functions: str, name: str, before: str, after: str
) -> None:
    assert "edit-not-understood" in scan_errors(tmp_path / "repo", capsys, functions, name, before, after)


@pytest.mark.parametrize(
    ("functions", "name", "before", "after"),
    [
        ("Scan::parse", "Scan", "scan.at = Long.parseLong(cells[1])", "scan.at = Long.parseLong(cells[1]) * 1000"),
        ("Scan::new", "Scan", "this.at = Long.parseLong(cells[1])", "this.at = Long.parseLong(cells[1].trim())"),
        ('Scan::parse).uid("p").map(Scan::normalized', "Scan", "at * 1000", "at * 60"),
        ("reader::read", "Reader", "line.length()", "line.length() + 1"),
        ("Scan::parse", "Scans", "Scan::parse", "line -> Scan.parse(line)"),
        ("Scan::new", "Scans", "Scan::new", "line -> { return new Scan(line); }"),
        ('Scan::parse).uid("p").map(Scan::normalized', "Scans", "Scan::normalized", "scan -> scan.normalized()"),
        ("line -> java.util.Optional.of(line).map(Scan::parse).get()", "Scans", "Scan::parse", "it -> Scan.parse(it)"),
    ],
)
def test_a_method_reference_may_become_the_lambda_that_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], functions: str, name: str, before: str, after: str
) -> None:
    assert "edit-not-understood" not in scan_errors(tmp_path / "repo", capsys, functions, name, before, after)


PARTS = "abcdefghij"
ROUNDS = " ".join(f"{part} = {' + '.join(PARTS.replace(part, ''))};" for part in PARTS)
LOOPING = CLEAN.replace(
    "m.setSku(fallback);",
    f"String {', '.join(f'{part} = m.getSku()' for part in PARTS)}; while (a.length() < 9) {{ {ROUNDS} }} m.setSku(a);",
)
CALLING = CLEAN.replace("m.setSku(fallback);", "m.setSku(mixed0(fallback));").replace(
    "    private static String normal",
    "".join(
        f"    private static String mixed{n}(String s) {{ return {' + '.join([f'mixed{n + 1}(s + s)'] * 9)}; }}\n"
        for n in range(6)
    )
    + "    private static String mixed6(String s) { return s.trim(); }\n    private static String normal",
)


@pytest.mark.parametrize(
    ("clean", "name", "before", "after", "found"),
    [
        (LOOPING, "Clean", "a = b + c", "a = c + b", {"edit-not-understood"}),
        (CALLING, "Clean", "return s.trim()", "return s.strip()", {"edit-not-understood"}),
        (LOOPING, "Level", "+ m.getAmount();", "+ m.getAmount() * 2;", set()),
        (CALLING, "Level", "+ m.getAmount();", "+ m.getAmount() * 2;", set()),
    ],
)
def test_expressions_too_large_to_write_out_are_compared_by_the_code_they_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], clean: str, name: str, before: str, after: str, found: set[str]
) -> None:
    old = {**CLASSES, "Clean": clean}
    assert before in old[name]
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{key}.java": text for key, text in old.items()}})
    scratch.commit(**{f"{FOLDER}{name}.java": old[name].replace(before, after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"} == found


SHAPE = "package org.ware;\npublic sealed interface Shape permits Square { long side(); }\n"
SQUARE = "package org.ware;\npublic record Square(long side) implements Shape {}\n"
SEALED = LEVEL.replace(
    "ValueState<Integer> level", "ValueState<Integer> level; private transient ValueState<Shape> shape"
)
REGISTERED = '"level", Integer.class));'
ASKED = f'{REGISTERED} shape = getRuntimeContext().getState(new ValueStateDescriptor<>("shape", Shape.class));'


def test_an_interface_may_be_sealed_no_longer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "repo")
    classes = {**CLASSES, "Level": SEALED.replace(REGISTERED, ASKED), "Shape": SHAPE, "Square": SQUARE}
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{name}.java": text for name, text in classes.items()}})
    scratch.commit(**{f"{FOLDER}Shape.java": "package org.ware;\npublic interface Shape { long side(); }\n"})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert not [f["message"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"]


VISIT = """package org.ware;
public class Visit {
    private String id; private long at; private Guest guest;
    public Visit() {}
    public String getId() { return id; }
    public void setId(String id) { this.id = id; }
    public long getAt() { return at; }
    public void setAt(long at) { this.at = at; }
    public Guest getGuest() { return guest; }
    public void setGuest(Guest guest) { this.guest = guest; }
}
"""
GUEST = """package org.ware;
public class Guest {
    private String card;
    public String getCard() { return card; }
    public void setCard(String card) { this.card = card; }
}
"""
STAMP = """package org.ware;
@lombok.Builder
public record Stamp(String place, long at) {
    public Stamp { at = at / 10; }
}
"""
NOTE = """package org.ware;
public class Note {
    private String id;
    public String getId() { return id; }
    public void setId(String id) { this.id = id; }
}
"""
VISITSCHEMA = """package org.ware;
public class VisitSchema extends org.apache.flink.api.common.serialization.AbstractDeserializationSchema<Visit> {
    private static final com.fasterxml.jackson.databind.ObjectMapper MAPPER = new com.fasterxml.jackson.databind.ObjectMapper();
    @Override public Visit deserialize(byte[] message) throws java.io.IOException { return MAPPER.readValue(message, Visit.class); }
}
"""
SHORTEN = """package org.ware;
public class Shorten implements org.apache.flink.api.common.functions.MapFunction<Visit, Stamp> {
    private final int width;
    private final int unit;
    public Shorten() { this(8); }
    public Shorten(int width) { this(width, 60); }
    public Shorten(int width, int unit) { this.width = width; this.unit = unit; }
    @Override public Stamp map(Visit v) {
        return Stamp.builder().place(v.getId().substring(0, width) + v.getGuest().getCard()).at(v.getAt() / unit).build();
    }
}
"""
COUNTS = """package org.ware;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Counts {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSource<Visit> source = KafkaSource.<Visit>builder().setBootstrapServers("k:9092").setTopics("visits").setGroupId("g")
            .setValueOnlyDeserializer(new VisitSchema()).build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "visits").uid("visits").map(new Shorten()).uid("short")
            .keyBy(stamp -> stamp.place()).map(new Count()).uid("count").print().uid("out");
        env.execute("counts");
    }
    static class Count extends RichMapFunction<Stamp, Note> {
        private transient ValueState<Long> count;
        @Override public void open(Configuration c) { count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class)); }
        @Override public Note map(Stamp stamp) throws Exception {
            count.update(stamp.at());
            Note note = new Note();
            note.setId(stamp.place());
            return note;
        }
    }
}
"""


@pytest.mark.parametrize(
    ("name", "before", "after", "found"),
    [
        ("Shorten", "this(8)", "this(6)", True),
        ("Shorten", "this(width, 60)", "this(width + 1, 60)", True),
        ("Visit", "this.id = id", "this.id = id.trim()", True),
        ("Guest", "this.card = card", "this.card = card.trim()", True),
        ("Stamp", "at = at / 10;", "at = at / 10; place = place.trim();", True),
        ("Shorten", "this(width, 60)", "this(width, 30)", False),
        ("Shorten", "this(8)", "this(8, 60)", False),
        ("Visit", "this.at = at", "this.at = at * 1000", False),
        ("Visit", "setId(String id) { this.id = id; }", "setId(String text) { id = text; }", False),
        ("Visit", "public Visit() {}", "public Visit() {}\n    public Visit(String id) { this.id = id; }", False),
        ("Note", "this.id = id", "this.id = id.trim()", False),
        ("Stamp", "at = at / 10;", "at = at / 100;", False),
        ("Stamp", "at = at / 10;", 'at = at / 10; if (place == null) throw new NullPointerException("place");', False),
    ],
)
def test_constructors_and_setters_that_libraries_call_are_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, before: str, after: str, found: bool
) -> None:
    classes = {
        "Visit": VISIT, "Guest": GUEST, "Stamp": STAMP, "Note": NOTE, "VisitSchema": VISITSCHEMA, "Shorten": SHORTEN,
        "Counts": COUNTS,
    }  # fmt: skip
    assert before in classes[name]
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"pom.xml": POM, **{f"{FOLDER}{key}.java": text for key, text in classes.items()}})
    scratch.commit(**{f"{FOLDER}{name}.java": classes[name].replace(before, after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    rules = {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] in ("error", "warning")}
    assert rules == ({"edit-not-understood"} if found else set())


TRIPS = """package org.ware;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Trips {
    public record Trip(String plate, String gate, long cents) {
        Trip withPlate(String plate) { return new Trip(plate, gate, cents); }
    }
    interface Namer<T> extends java.io.Serializable { String name(T value); }
    static class Stamp implements MapFunction<Trip, Trip> {
        @Override public Trip map(Trip t) { return t.withPlate("S" + t.plate()); }
    }
    static class Loud extends Stamp {
        @Override public Trip map(Trip t) { Trip stamped = super.map(t); return stamped.withPlate(stamped.plate() + "!"); }
    }
    static DataStream<String> named(DataStream<Trip> in, Namer<Trip> namer) { return in.map(t -> namer.name(t)); }
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Trip> trips = env.socketTextStream("h", 9).uid("in")
            .map(line -> new Trip(line.substring(0, 7), line.substring(7, 9), line.length())).uid("trips");
        DataStream<Trip> loud = trips.map(new Loud()).uid("loud");
        loud.keyBy(Trip::plate).reduce((a, b) -> b).uid("last").print().uid("out");
        named(loud, t -> t.gate()).uid("names").keyBy(n -> n).reduce((a, b) -> b).uid("gates").print().uid("gates-out");
        env.execute("trips");
    }
}
"""


@pytest.mark.parametrize(
    ("before", "after", "silent"),
    [
        ("line.length()", "2L * line.length()", True),
        ('.uid("in")', '.uid("lines")', True),
        ("line.substring(0, 7)", "line.substring(0, 8)", False),
        ('"S" +', '"T" +', False),
        ('+ "!"', '+ "?"', False),
        ("return new Trip(plate, gate, cents)", "return new Trip(plate.trim(), gate, cents)", False),
        ("return new Trip(plate, gate, cents)", "return new Trip(plate, gate, cents + 1)", True),
    ],
)
def test_of_a_copied_record_only_the_components_in_keys_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, silent: bool
) -> None:
    assert before in TRIPS
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"pom.xml": POM, f"{FOLDER}Trips.java": TRIPS})
    scratch.commit(**{f"{FOLDER}Trips.java": TRIPS.replace(before, after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = [f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] in ("error", "warning")]
    assert found == ([] if silent else ["edit-not-understood"])


READS = """package org.ware;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
public class Reads {
    public record Read(String tag, long at) { }
    static class Parse implements FlatMapFunction<String, Read> {
        @Override public void flatMap(String line, Collector<Read> out) {
            String[] p = line.split(",");
            if (p.length > 1) {
                if (line.startsWith("#")) {
                    out.collect(new Read(p[1], 0));
                } else {
                    out.collect(new Read(p[0], 1));
                }
            }
        }
    }
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.socketTextStream("h", 9).uid("in").flatMap(new Parse()).uid("parse")
            .keyBy(Read::tag).reduce((a, b) -> b).uid("last").print().uid("out");
        env.execute("reads");
    }
}
"""


ELSE = """                } else {
                    out.collect(new Read(p[0], 1));
                }
"""
LEAVING = """                    return;
                }
                out.collect(new Read(p[0], 1));
"""


@pytest.mark.parametrize(
    ("edits", "silent"),
    [
        ({"p[1], 0": "p[0], 1", "p[0], 1": "p[1], 0"}, False),
        ({'line.startsWith("#")': 'line.startsWith("!")'}, False),
        ({'line.startsWith("#")': '!line.startsWith("#")', "p[1], 0": "p[0], 1", "p[0], 1": "p[1], 0"}, True),
        ({"p.length > 1": "p.length > 2"}, True),
        ({ELSE: LEAVING}, True),
        ({ELSE: LEAVING, 'line.startsWith("#")': 'line.startsWith("!")'}, False),
        ({"out.collect(new Read(p[0], 1));": "if (p.length > 2) { return; }\n out.collect(new Read(p[0], 1));"}, True),
    ],
)
def test_what_decides_between_elements_with_other_keys_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edits: dict[str, str], silent: bool
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"pom.xml": POM, f"{FOLDER}Reads.java": READS})
    edited = re.sub("|".join(map(re.escape, edits)), lambda found: edits[found[0]], READS)
    scratch.commit(**{f"{FOLDER}Reads.java": edited})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = [f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] in ("error", "warning")]
    assert found == ([] if silent else ["edit-not-understood"])
