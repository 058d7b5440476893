# ruff: noqa: E501
"""Edits of the keys by which functions look up entries of map and broadcast states, and edits that keep these."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><dependencies>
<dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency>
</dependencies></project>"""
FINES = """package shop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
public class Fines extends KeyedBroadcastProcessFunction<String, String, String, String> {
  static final MapStateDescriptor<String, String> RULES = new MapStateDescriptor<>("rules", String.class, String.class);
  private transient MapState<String, Long> seen;
  @Override public void open(OpenContext context) {
    seen = getRuntimeContext().getMapState(new MapStateDescriptor<>("seen", String.class, Long.class));
  }
  @Override public void processElement(String line, ReadOnlyContext ctx, Collector<String> out) throws Exception {
    String kind = line.substring(0, 3);
    count(kind);
    String rule = ctx.getBroadcastState(RULES).get(Names.of(line));
    if (rule != null) { out.collect(line); }
  }
  private void count(String name) throws Exception {
    Long n = seen.get(name);
    seen.put(name, n == null ? 1L : n + 1);
  }
  @Override public void onTimer(long at, OnTimerContext ctx, Collector<String> out) throws Exception {
    List<String> old = new ArrayList<>();
    for (Map.Entry<String, Long> entry : seen.entries()) {
      if (entry.getValue() > 9) { seen.put(entry.getKey(), 0L); old.add(entry.getKey()); }
    }
    for (String gone : old) { seen.remove(gone); }
  }
  @Override public void processBroadcastElement(String rule, Context ctx, Collector<String> out) throws Exception {
    BroadcastState<String, String> rules = ctx.getBroadcastState(RULES);
    rules.put(rule.trim(), rule);
  }
}
"""
NAMES = """package shop;
class Names {
  static String of(String line) { return line.substring(3); }
}
"""
JOB = """package shop;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x)
      .connect(env.socketTextStream("h", 2).uid("r").broadcast(Fines.RULES)).process(new Fines()).uid("fines").print().uid("p");
    env.execute();
  }
}
"""
FILES = {"Fines.java": FINES, "Names.java": NAMES, "Job.java": JOB}
HELPER = "  private void count("


def committed(scratch: Scratch, files: dict[str, str]) -> None:
    scratch.commit(**{"pom.xml": POM, **{f"src/main/java/shop/{name}": text for name, text in files.items()}})


def undecided(folder: Path, capsys: pytest.CaptureFixture[str], edits: list[tuple[str, str]]) -> bool:
    """Whether the report says that entries may be looked up by other keys; nothing else may be found."""
    edited = dict(FILES)
    for before, after in edits:
        assert any(before in text for text in edited.values())
        edited = {name: text.replace(before, after) for name, text in edited.items()}
    scratch = Scratch(folder)
    committed(scratch, FILES)
    committed(scratch, edited)
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = [f for p in report["pipelines"] for f in p["findings"]]
    assert all("looked up by other keys" in f["message"] for f in found)
    return bool(found)


@pytest.mark.parametrize(
    "edits",
    [
        [("seen.get(name)", "seen.get(name.trim())"), ("seen.put(name,", "seen.put(name.trim(),")],
        [("line.substring(0, 3)", "line.substring(0, 4)")],
        [("rules.put(rule.trim()", "rules.put(rule.strip()")],
        [(".get(Names.of(line))", ".get(line)")],
        [("return line.substring(3)", "return line.substring(4)")],
        [("Long n = seen.get(name)", "Long n = seen.get(name.trim())")],
    ],
)
def test_other_keys_are_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edits: list[tuple[str, str]]
) -> None:
    assert undecided(tmp_path / "repo", capsys, edits)


@pytest.mark.parametrize(
    "edits",
    [
        [("String kind = line.substring(0, 3);\n    count(kind)", "count(line.substring(0, 3))")],
        [("count(kind)", "tally(kind)"), ("void count(String name)", "void tally(String name)")],
        [("n == null ? 1L : n + 1", "n == null ? 2L : n + 2")],
        [("Long n = seen.get(name);", "Long n = seen.contains(name) ? seen.get(name) : null;")],
        [("seen.put(name, n", "String key = name;\n    seen.put(key, n")],
        [("BroadcastState<String, String> rules = ctx.getBroadcastState(RULES);\n    rules.put", "ctx.getBroadcastState(RULES).put")],
        [("rules.put(rule.trim()", "String id = key(rule);\n    rules.put(id"), (HELPER, "  static String key(String rule) { return rule.trim(); }\n" + HELPER)],
        [("return line.substring(3)", "int from = 3;\n    return line.substring(from)")],
        [("    count(kind);\n", ""), ('Names.of(line));\n', 'Names.of(line));\n    count(kind);\n')],
        [("if (rule != null)", "if (rule != null || seen.contains(line))")],
        [("seen.remove(gone)", "seen.remove(gone + 1)")],
        [("for (Map.Entry<String, Long> entry : seen.entries()) {\n      if (entry.getValue() > 9) { seen.put(entry.getKey(), 0L); old.add(entry.getKey()); }", "for (String entry : seen.keys()) {\n      if (seen.get(entry) > 9) { seen.put(entry, 0L); old.add(entry); }")],
    ],
)  # fmt: skip
def test_the_same_keys_are_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edits: list[tuple[str, str]]
) -> None:
    assert not undecided(tmp_path / "repo", capsys, edits)


SCRIPT = """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor


def clean(text):
    return text.strip()


class Tally(KeyedProcessFunction):
    def open(self, context):
        self.seen = context.get_map_state(MapStateDescriptor("seen", Types.STRING(), Types.LONG()))

    def process_element(self, value, ctx):
        kind = value["kind"]
        self._count(kind)
        if self.seen.contains(clean(value["old"])):
            yield kind

    def _count(self, name):
        n = self.seen.get(name)
        self.seen.put(name, 1 if n is None else n + 1)

    def on_timer(self, timestamp, ctx):
        for name, n in self.seen.items():
            self.seen.put(name, n - 1)


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([{"kind": "a", "old": "b"}]).key_by(lambda v: v["kind"], Types.STRING()).process(Tally(), Types.STRING()).uid("t").print()
env.execute()
"""


def undecided_in_script(folder: Path, capsys: pytest.CaptureFixture[str], edits: list[tuple[str, str]]) -> bool:
    edited = SCRIPT
    for before, after in edits:
        assert before in edited
        edited = edited.replace(before, after)
    scratch = Scratch(folder)
    for text in (SCRIPT, edited):
        scratch.commit(**{"requirements.txt": "apache-flink==1.20.1\n", "job.py": text})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = [f for p in report["pipelines"] for f in p["findings"]]
    assert all("looked up by other keys" in f["message"] for f in found)
    return bool(found)


@pytest.mark.parametrize(
    "edits",
    [
        [("self.seen.get(name)", "self.seen.get(name[:8])"), ("self.seen.put(name, 1", "self.seen.put(name[:8], 1")],
        [('kind = value["kind"]', 'kind = value["kind"].upper()')],
        [("return text.strip()", "return text.strip().lower()")],
    ],
)
def test_other_keys_in_a_script_are_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edits: list[tuple[str, str]]
) -> None:
    assert undecided_in_script(tmp_path / "repo", capsys, edits)


@pytest.mark.parametrize(
    "edits",
    [
        [("self._count(kind)", 'self._count(value["kind"])')],
        [("_count", "_tally"), ("name", "word")],
        [("1 if n is None else n + 1", "2 if n is None else n + 2")],
        [("(self, value, ctx)", "(self, element, ctx)"), ('value["', 'element["')],
        [("for name, n in self.seen.items():\n", "for name in self.seen.keys():\n            n = self.seen.get(name)\n")],
    ],
)  # fmt: skip
def test_the_same_keys_in_a_script_are_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edits: list[tuple[str, str]]
) -> None:
    assert not undecided_in_script(tmp_path / "repo", capsys, edits)
