"""Edits before functions that look entries of map states up by members of their elements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch
from tests.workflows.test_edits_of_script_modules import findings
from tests.workflows.test_map_keys import POM

SCRIPT = """from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

def parsed(line):
    site, shop, amount = line.split(",")
    return Row(site=site, shop=shop.lower(), amount=int(amount), name=amount, note=line)

class Seen:
    def __init__(self, state):
        self.state = state

    def first(self, name):
        found = self.state.contains(name)
        self.state.put(name, 1)
        return not found

class Tally(KeyedProcessFunction):
    def open(self, context):
        self.seen = Seen(context.get_map_state(MapStateDescriptor("seen", Types.STRING(), Types.LONG())))
        self.named = Seen(context.get_map_state(MapStateDescriptor("named", Types.STRING(), Types.LONG())))
        self.sums = context.get_map_state(MapStateDescriptor("sums", Types.STRING(), Types.LONG()))
        self.late = context.get_map_state(MapStateDescriptor("late", Types.LONG(), Types.LONG()))

    def process_element(self, value, ctx):
        self.sums.put(value.shop, (self.sums.get(value.shop) or 0) + value.amount)
        if self.seen.first(value["shop"]) and self.named.first(value.name):
            yield value.note

    def on_timer(self, timestamp, ctx):
        yield str(self.late.get(timestamp))

env = StreamExecutionEnvironment.get_execution_environment()
lines = env.from_collection(["a,b,1"], Types.STRING()).uid("lines")
rows = lines.map(parsed).uid("rows")
rows.key_by(lambda v: v.site, Types.STRING()).process(Tally(), Types.STRING()).uid("t").print().uid("out")
env.execute()
"""
LOSING = [
    ("shop=shop.lower()", "shop=shop"),
    ("shop=shop.lower()", "shop=note"),
    ("name=amount", "name=site"),
    ("self.named.first(value.name)", "self.named.first(value.name.upper())"),
    ("found = self.state.contains(name)", "name = name.strip()\n        found = self.state.contains(name)"),
    ("site, shop, amount = line", "shop, site, amount = line"),
    (
        "    return Row(site=site, shop=shop.lower()",
        "    shop = shop.upper()\n    return Row(site=site, shop=shop.lower()",
    ),
]
HARMLESS = [
    ("amount=int(amount)", "amount=int(amount) * 2"),
    ("note=line", "note=line.strip()"),
    ("    return Row(site=site, shop=shop.lower()", "    shop = shop.lower()\n    return Row(site=site, shop=shop"),
    ("    return Row(site=site, shop=shop.lower()", "    name = shop.lower()\n    return Row(site=site, shop=name"),
    ("def parsed(line):\n    site, shop, amount", "def parsed(text):\n    line = text\n    site, shop, amount"),
]


@pytest.mark.parametrize("edit", LOSING)
def test_other_members_that_entries_lie_under(edit: tuple[str, str]) -> None:
    found = findings({"job.py": SCRIPT}, {"job.py": SCRIPT.replace(*edit)})
    assert {finding["rule"] for finding in found} == {"edit-not-understood"}


@pytest.mark.parametrize("edit", HARMLESS)
def test_the_same_members(edit: tuple[str, str]) -> None:
    assert not findings({"job.py": SCRIPT}, {"job.py": SCRIPT.replace(*edit)})


JAVA = {
    "Line.java": """package shop;
public class Line {
  public String site; public String shop; public int amount;
  public Line() {}
  public Line(String site, String shop, int amount) { this.site = site; this.shop = shop; this.amount = amount; }
}
""",
    "Tally.java": """package shop;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Tally extends KeyedProcessFunction<String, Line, String> {
  private transient MapState<String, Integer> sums;
  @Override public void open(OpenContext context) {
    sums = getRuntimeContext().getMapState(new MapStateDescriptor<>("sums", String.class, Integer.class));
  }
  @Override public void processElement(Line line, Context ctx, Collector<String> out) throws Exception {
    Integer sum = sums.get(line.shop);
    sums.put(line.shop, sum == null ? line.amount : sum + line.amount);
    out.collect(line.shop);
  }
}
""",
    "Job.java": """package shop;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  static Line parsed(String text) {
    String[] parts = text.split(",");
    return new Line(parts[0], parts[1].trim(), Integer.parseInt(parts[2]));
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").map(Job::parsed).uid("rows")
      .keyBy(line -> line.site).process(new Tally()).uid("tally").print().uid("p");
    env.execute();
  }
}
""",
}


@pytest.mark.parametrize(
    ("before", "after", "silent"),
    [
        ("parts[1].trim()", "parts[1]", False),
        ("parts[0], parts[1].trim()", "parts[0], parts[0]", False),
        ("parseInt(parts[2])", "parseInt(parts[2].trim())", True),
        ("parts[1].trim()", "name(parts[1])", True),
    ],
)
def test_members_in_java(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, silent: bool
) -> None:
    helper = "  static String name(String text) { return text.trim(); }\n  static Line"
    edited = JAVA["Job.java"].replace(before, after).replace("  static Line", helper)
    scratch = Scratch(tmp_path / "repo")
    for files in (JAVA, {**JAVA, "Job.java": edited}):
        scratch.commit(**{"pom.xml": POM, **{f"src/main/java/shop/{name}": text for name, text in files.items()}})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    found = [f["message"] for p in json.loads(capsys.readouterr().out)["pipelines"] for f in p["findings"]]
    assert (not found) == silent
    assert all("looked up by other keys" in message for message in found)
