"""Each kind of repair, written into a program and asked of real Flink: it restores what it refused before."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
import yaml

from checker.cli import run
from tests.referees.restores import Cluster, cluster
from tests.referees.state_edits import SINK, keeping, program
from tests.scratch import Scratch

VERSIONS = ("1.20.5", "2.3.0")
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>acme</groupId><artifactId>job</artifactId>
<version>1</version><dependencies><dependency><groupId>org.apache.flink</groupId>
<artifactId>flink-streaming-java</artifactId><version>VERSION</version></dependency></dependencies></project>"""
JOB, MANIFEST = "src/main/java/Job.java", "deploy/job.yaml"
DEPLOYED = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: job}
spec:
  flinkConfiguration: {pipeline.max-parallelism: "64"}
  job: {jarURI: local:///opt/job.jar, entryClass: Job, parallelism: 1, upgradeMode: savepoint}
"""
KEEP = (
    keeping("Long", 'new ValueStateDescriptor<>("kept", Long.class)', "1L").replace("Configuration c", "OpenContext c")
    + """
  static final String PREFIX = "kept"; static final List<String> PARTS = List.of("a", "b");
  static class Never extends SimpleCondition<Order> { public boolean filter(Order e) { return false; } }
  static class Late implements PatternTimeoutFunction<Order, String> {
    public String timeout(Map<String, List<Order>> found, long at) { return "late"; }
  }
  static class Found implements PatternSelectFunction<Order, String> {
    public String select(Map<String, List<Order>> found) { return "found"; }
  }"""
)
COUNT = "orders.keyBy(o -> o.id).process(new Keep())"
BY_CUSTOMER = f'{COUNT.replace("o.id", "o.customer")}.uid("second").sinkTo(new DiscardingSink<>()).uid("rest");'
ONE = f'{COUNT}\n      .uid("first"){SINK}'
LOOP = f"for (String part : PARTS) {{ {COUNT}.uid(PREFIX + part).sinkTo(new DiscardingSink<>()).uid(part); }}"
ROWS = """orders.map(o -> o.id).returns(String.class).uid("ids").sinkTo(
        org.apache.flink.connector.file.sink.FileSink.forRowFormat(
          new org.apache.flink.core.fs.Path(System.getProperty("java.io.tmpdir") + "/rows"),
          new org.apache.flink.api.common.serialization.SimpleStringEncoder<String>()).build())"""
OLD_ROWS = ROWS.replace("connector.file.sink.FileSink", "streaming.api.functions.sink.filesystem.StreamingFileSink")
OLD_ROWS = OLD_ROWS.replace("sinkTo", "addSink")
LINES = """env.fromSource(org.apache.flink.connector.file.src.FileSource.forRecordStreamFormat(
        new org.apache.flink.connector.file.src.reader.TextLineInputFormat(),
        new org.apache.flink.core.fs.Path(System.getProperty("java.io.tmpdir"))).monitorContinuously(
          Duration.ofHours(1)).build(), WatermarkStrategy.noWatermarks(), "lines").sinkTo(new DiscardingSink<>());"""
PASSED = 'orders.keyBy(o -> o.id).map(o -> o).sinkTo(new DiscardingSink<>()).uid("passed");'
MORE = 'env.fromSequence(0, 1000000000L).uid("more").sinkTo(new DiscardingSink<>()).uid("more-out");'
PATTERN = f"""CEP.pattern(orders.keyBy(o -> o.id), Pattern.<Order>begin("first").followedBy("second").where(new Never())
        .within(Duration.ofHours(1))).inProcessingTime()
      .select(m -> "x", Types.STRING){SINK}"""
UNKEYED = "env.setParallelism(1);\n    " + PATTERN.replace(".keyBy(o -> o.id)", "")
TABLES = "org.apache.flink.table.api.bridge.java.StreamTableEnvironment"
TABLES = f"""{TABLES} tables = {TABLES}.create(env);
    tables.createTemporaryView("o", tables.fromDataStream(orders.filter(o -> true).uid("all")));
    tables.toChangelogStream(tables.sqlQuery("SELECT region, COUNT(*) FROM o GROUP BY region"))
      .sinkTo(new DiscardingSink<>()).uid("rows");"""
BEHIND = TABLES.replace(
    '.sinkTo(new DiscardingSink<>()).uid("rows");',
    f""".map(r -> {{
        Order o = new Order(); o.id = "r" + r.getField(0); return o;
      }}).returns(Order.class).keyBy(o -> o.id).process(new Keep()){SINK}""",
)


CALLS = re.compile(r'\.(?:uid|set\w*UidHash|setMaxParallelism)\("?[^")]+"?\)')
Revision = dict[str, str]


def job(pipeline: str) -> Revision:
    return {JOB: program(KEEP, pipeline)}


def edited(pipeline: str, *edits: tuple[str, str]) -> tuple[Revision, Revision]:
    """A program before and after edits of its text."""
    before = after = job(pipeline)[JOB]
    for old, new in edits:
        assert old in after
        after = after.replace(old, new)
    return {JOB: before}, {JOB: after}


MOVED = ("orders.keyBy", 'orders.filter(o -> true).uid("some").keyBy')
FIRST = ('.uid("first")', ".uid(UID)"), ('.uid("second")', '.uid("first")'), (".uid(UID)", '.uid("second")')
REPAIRS = {
    "restore-uid": edited(ONE, ('"first"', '"other"')),
    "restore-uid, of a constant": edited(LOOP, ('"kept"; static', '"other"; static')),
    "restore-uid, swapped": edited(ONE + BY_CUSTOMER, *FIRST),
    "restore-uid, of a source that had none": edited(LINES, ('"lines")', '"lines").uid("lines")')),
    "pin": edited(COUNT + SINK, MOVED),
    "pin, another operator has the id": edited(COUNT + SINK, ("orders.keyBy", f"{PASSED}\n    orders.keyBy")),
    "pin, of a pattern": edited(PATTERN, MOVED),
    "pin, of a pattern without keys": edited(UNKEYED, ("orders, P", "orders.filter(o -> true), P")),
    "pin, beside tables": edited(TABLES + COUNT + SINK, (f"Keep()){SINK}", f'Keep()).uid("counts"){SINK}')),
    "pin, behind tables": edited(BEHIND, (".map(r ->", ".filter(r -> true).map(r ->")),
    "pin, of a StreamingFileSink": edited(f"{OLD_ROWS};", ('.uid("ids")', '.uid("ids").filter(s -> true)')),
    "sink-hashes": edited(f"{ROWS};", ('.uid("ids")', '.uid("ids").filter(s -> true)')),
    "sink-hashes, of a StreamingFileSink": (job(f"{OLD_ROWS};"), job(f"{ROWS};")),
    "max-parallelism": edited(ONE.replace(".sink", ".setMaxParallelism(64).sink"), ("(64)", "(32)")),
    "max-parallelism, where none was": edited(ONE, ('.uid("first")', '.uid("first").setMaxParallelism(32)')),
    "max-parallelism, of a manifest": (
        {**job(ONE), MANIFEST: DEPLOYED}, {**job(ONE), MANIFEST: DEPLOYED.replace('"64"', '"32"')}
    ),
    "add-uids": (job(f"{PATTERN}\n    {COUNT};\n    {ROWS};"), {}),
    "rewrite": edited(LINES, ("env.fromSource", f"{MORE}\n    env.fromSource")),
    "none, of a pattern's stages": edited(PATTERN, ('"first"', '"start"')),
    "none, of the planner's operators": edited(TABLES, ('.uid("all")', '.uid("every")')),
    "none, of some operators": edited(TABLES + COUNT + SINK, MOVED),
}  # fmt: skip

SILENT = {"swapped", "another operator has the id"}
"""Of these Flink's start says nothing: the state is given to another operator."""


@pytest.fixture(scope="module")
def clusters() -> Iterator[Callable[[str], Cluster]]:
    with ExitStack() as stack:
        yield cache(lambda version: stack.enter_context(cluster(version)))


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
@pytest.mark.parametrize(
    ("version", "name"),  # what is written does not depend on the version: 2 is asked once of each kind
    [(version, name) for version in VERSIONS for name in REPAIRS if version < "2" or ", " not in name],
)
def test_flink_restores_what_repair_prints_and_writes(
    version: str, name: str, clusters: Callable[[str], Cluster], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = clusters(version)
    kind, (base, head) = name.partition(",")[0], REPAIRS[name]
    head = {**base, **head}
    scratch = Scratch(tmp_path / "repository")
    scratch.commit(**{"pom.xml": POM.replace("VERSION", version), **base})
    scratch.commit(**head)
    arguments = ["--repo", str(scratch.folder), "--base", "HEAD~1"]
    if kind == "add-uids":
        arguments.append("--add-uids")
    else:
        assert run(["check", "--engine", "in-process", *arguments]) == 1
    printed = capsys.readouterr().out
    assert run(["repair", *arguments, "--write"]) == (kind in ("rewrite", "none"))
    printed += "".join(capsys.readouterr())
    written = {path: (scratch.folder / path).read_text() for path in head}

    taken = asked.take(base[JOB], configuration=configuration(base))
    assert taken.verdict == "TAKEN", taken
    savepoint = taken.message
    if kind != "add-uids" and not SILENT & {*name.split(", ")}:
        found = asked.start(head[JOB], savepoint, configuration=configuration(head))
        assert found.verdict == "FAILED", found
    if kind == "rewrite":
        (command,) = {line.partition("rewrite SAVEPOINT ")[2] for line in printed.splitlines()} - {""}
        rewritten = str(tmp_path / "rewritten")
        words = command.replace("NEW_FOLDER", rewritten).split()
        assert run(["savepoint", "rewrite", savepoint, *words]) == 0
        savepoint = rewritten
    elif kind != "none":
        calls = {*CALLS.findall(written[JOB])} - {*CALLS.findall(head[JOB])}
        assert calls or "back in place of" in printed or "remove ." in printed or "swapped" in name
        assert all(call in printed for call in calls), "what is printed is not what is written"
    found = asked.start(written[JOB], savepoint, configuration=configuration(written))
    assert found.verdict == ("FAILED" if kind == "none" else "RESTORED"), found


def configuration(revision: Revision) -> str:
    """What its manifest gives a job."""
    manifest = yaml.safe_load(revision.get(MANIFEST, "{}"))
    given = manifest.get("spec", {}).get("flinkConfiguration", {})
    return "".join(f"{key}: {value}\n" for key, value in given.items())
