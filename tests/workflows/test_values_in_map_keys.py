"""Values that a program gives to a function's object, and that make the keys of its map state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch
from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.io.Serializable;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Limits limits = Limits.from(args);
    String region = args.length > 0 ? args[0] : "eu";
    env.socketTextStream("h", 1).uid("lines").map(new Regions(region)).uid("regions").keyBy(line -> line)
        .process(new Counts(limits, 60_000L)).uid("counts").print();
    env.execute();
  }
}
""",
    "Regions": """public class Regions implements MapFunction<String, String> {
  private final String region;
  Regions(String region) { this.region = region; }
  @Override public String map(String line) { return region + line; }
}
""",
    "Limits": """public class Limits implements Serializable {
  private final int most; private final int slots; private final String none;
  Limits(int most, int slots, String none) {
    this.most = most;
    this.slots = slots;
    this.none = none;
  }
  static Limits from(String[] args) {
    ParameterTool tool = ParameterTool.fromArgs(args);
    return new Limits(tool.getInt("most", 7), tool.getInt("slots", 24), System.getenv().getOrDefault("NONE", "-"));
  }
  int getMost() { return most; }
  int getSlots() { return slots; }
  String getNone() { return none; }
}
""",
    "Counts": """public class Counts extends KeyedProcessFunction<String, String, String> {
  private final Limits limits; private final long size;
  private transient MapState<String, Long> counts;
  Counts(Limits limits, long size) {
    this.limits = limits;
    this.size = size;
  }
  @Override public void open(Configuration c) {
    counts = getRuntimeContext().getMapState(new MapStateDescriptor<>("counts", String.class, Long.class));
  }
  @Override public void processElement(String line, Context ctx, Collector<String> out) throws Exception {
    String slot = slot(Long.parseLong(line.substring(3)));
    Long before = counts.get(slot);
    counts.put(slot, before == null ? 1 : before + 1);
    if (before != null && before > limits.getMost()) { out.collect(line); }
  }
  private String slot(long time) {
    return time == 0 ? limits.getNone() : String.valueOf(time / size % limits.getSlots());
  }
}
""",
}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Job", "60_000L", "30_000L"),
        ("Limits", '"slots", 24', '"slots", 48'),
        ("Limits", '"slots", 24', '"buckets", 24'),
        ("Limits", 'tool.getInt("slots", 24)', '2 * tool.getInt("slots", 24)'),
        ("Limits", '"NONE", "-"', '"NONE", ""'),
        ("Job", 'args[0] : "eu"', 'args[0] : "us"'),
    ],
)
def test_other_values_are_other_keys(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("Job", "60_000L", "60 * 1000L"),
        ("Job", 'args.length > 0 ? args[0] : "eu";', '"eu";\n    if (args.length > 0) { region = args[0]; }'),
        ("Job", "limits, 60_000L", "Limits.from(args), 60_000L"),
        ("Limits", '"most", 7', '"most", 8'),
        ("Limits", "return most;", "return Math.max(1, most);"),
        ("Limits", "    return new Limits(tool.getInt(\"most\", 7), tool.getInt(\"slots\", 24),",
         "    int slots = tool.getInt(\"slots\", 24);\n    return new Limits(tool.getInt(\"most\", 7), slots,"),
        ("Counts", "size", "millis"),
    ],
)  # fmt: skip
def test_the_same_values_are_silent(name: str, before: str, after: str) -> None:
    assert errors(IMPORTS, FILES, name, before, after) == set()


def test_a_deployment_that_gives_another_value_gives_other_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path)
    for path, text in FILES.items():
        scratch.write(f"src/main/java/jobs/{path}.java", IMPORTS + text)
    found = []
    for arguments in ("--slots 24 --most 3", "--slots 24 --most 4", "--slots 48 --most 4"):
        scratch.commit(**{"run.sh": f"flink run -c jobs.Job job.jar {arguments}\n"})
        run(["check", "--engine", "in-process", "--repo", str(tmp_path), "--base", "HEAD~1", "--format", "json"])
        out = capsys.readouterr().out
        pipelines = json.loads(out)["pipelines"] if out.startswith("{") else []
        found.append([f["rule"] for p in pipelines for f in p["findings"] if f["severity"] == "error"])
    assert found[1:] == [[], ["edit-not-understood"]]
