"""Repairs written into Java source: the repaired source, read again, restores everything."""

import pytest

from checker.compare import compare_pipelines
from checker.extract.java import program
from checker.flink import translate
from checker.model.findings import RestorePath, Verdict
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation
from checker.repair import edits_of, plan_repairs, plan_uids, write_edits

FILE = "src/main/java/com/acme/Job.java"
ENTRY = PipelineEntry(
    name="job", extract=ExtractorKind.JAVA, main="com.acme.Job", file=FILE, flink="1.20", parallelism=4
)
COUNT = """package com.acme;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
class Count extends KeyedProcessFunction<String, String, String> {
  private transient ValueState<Long> count;
  public void open(Configuration c) {
    count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
  }
  public void processElement(String v, Context c, Collector<String> out) { out.collect(v); }
}
"""


def job(body: str, *, newline: str = "\n") -> MemoryFiles:
    text = (
        "package com.acme;\n"
        "import org.apache.flink.streaming.api.datastream.*;\n"
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Job {\n  public static void main(String[] args) throws Exception {\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        f"{body}\n    env.execute();\n  }}\n}}\n"
    )
    count = FILE.replace("Job.java", "Count.java")
    return MemoryFiles({FILE: text.replace("\n", newline).encode(), count: COUNT.encode()})


def read(files: MemoryFiles) -> Translation:
    return translate(program.extract(files, ENTRY))


SOURCE = '    DataStream<String> in = env.socketTextStream("localhost", 9999);\n'
FLUENT = SOURCE + ('    in.map(x -> x + "!")\n        .keyBy(x -> x)\n        .process(new Count())\n        .print();')
CASES = {
    "an operator inserted": (
        FLUENT,
        FLUENT.replace("        .keyBy", "        .filter(x -> !x.isEmpty())\n        .keyBy"),
    ),
    "a uid added": (FLUENT, FLUENT.replace("Count())\n", 'Count()).uid("count")\n')),
    "a uid renamed": (
        FLUENT.replace("Count())\n", 'Count())\n        .uid("count")\n'),
        FLUENT.replace("Count())\n", 'Count())\n        .uid("counting")\n'),
    ),
    "a uid removed": (FLUENT.replace("Count())\n", 'Count())\n        .uid("ü")\n'), FLUENT),
    "one line": (
        SOURCE + "    in.keyBy(x -> x).process(new Count()).print();",
        SOURCE + '    in.filter(x -> x != "ü").keyBy(x -> x).process(new Count()).print();',
    ),
    "over statements": (
        SOURCE + "    SingleOutputStreamOperator<String> c = in.keyBy(x -> x).process(new Count());\n    c.print();",
        SOURCE + "    SingleOutputStreamOperator<String> c = in.rebalance().filter(x -> true).keyBy(x -> x)"
        ".process(new Count());\n"
        '    c.name("Count");\n    c.print();',
    ),
    "two that change places": (
        SOURCE + "    KeyedStream<String, String> k = in.keyBy(x -> x);\n"
        '    SingleOutputStreamOperator<String> a = k.process(new Count()).name("A");\n'
        '    SingleOutputStreamOperator<String> b = k.process(new Count()).name("B");\n    a.print();\n    b.print();',
        SOURCE + "    KeyedStream<String, String> k = in.keyBy(x -> x);\n"
        '    SingleOutputStreamOperator<String> b = k.process(new Count()).name("B");\n'
        '    SingleOutputStreamOperator<String> a = k.process(new Count()).name("A");\n    a.print();\n    b.print();',
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("case", CASES)
def test_the_repaired_source_restores_everything(case: str, newline: str) -> None:
    before, after = (job(body, newline=newline) for body in CASES[case])
    base, head = read(before), read(after)
    comparison = compare_pipelines("job", base, head)
    repairs = plan_repairs(base, head, comparison)
    assert repairs
    assert all(r.offered for r in repairs)
    plan = write_edits(head.topology, edits_of(repairs), after)
    assert not plan.by_hand
    repaired = MemoryFiles({**after.contents, **plan.contents(after)})
    for row in compare_pipelines("job", base, read(repaired)).operators:
        assert row.verdict(RestorePath.SAVEPOINT) in (Verdict.RESTORES, Verdict.STATELESS), row
    changed = plan.diff(after).replace("\r", "").splitlines()
    assert len([line for line in changed if line.startswith("+") and not line.startswith("+++")]) <= 2 * len(repairs)


def test_a_call_in_a_chain_gets_a_line_of_its_own() -> None:
    before, after = (job(body) for body in CASES["an operator inserted"])
    head = read(after)
    repairs = plan_repairs(read(before), head, compare_pipelines("job", read(before), head))
    diff = write_edits(head.topology, edits_of(repairs), after).diff(after)
    assert "\n         .process(new Count())\n+        .setUidHash(" in diff


def test_one_call_that_makes_two_operators_is_left_to_people() -> None:
    helper = (
        "\n  static DataStream<String> counted(DataStream<String> s) { return s.keyBy(x -> x).process(new Count()); }"
    )
    body = SOURCE + "    counted(counted(in)).print();"
    text = job(body).contents[FILE].decode().replace("\n}\n", f"{helper}\n}}\n")
    files = MemoryFiles({**job(body).contents, FILE: text.encode()})
    head = read(files)
    plan = write_edits(head.topology, edits_of(plan_uids(head)), files)
    assert {e.transformation for e, _ in plan.by_hand} == {
        t.id for t in head.topology.transformations if t.operator == "keyed-process"
    }
    assert all("each needs its own value" in why for _, why in plan.by_hand)


def test_uids_for_a_whole_job() -> None:
    files = job(FLUENT)
    head = read(files)
    repairs = plan_uids(head)
    plan = write_edits(head.topology, edits_of(repairs), files)
    assert not plan.by_hand
    repaired = read(MemoryFiles({**files.contents, **plan.contents(files)}))
    uids = [t.uid for t in repaired.topology.transformations if not t.kind.virtual]
    assert None not in uids
    assert "count" in uids
    for row in compare_pipelines("job", head, repaired).operators:
        assert row.verdict(RestorePath.SAVEPOINT) in (Verdict.RESTORES, Verdict.STATELESS)


def test_a_sink_gets_its_hashes_as_an_argument() -> None:
    sink = SOURCE.replace("in = ", "in = ") + (
        "    org.apache.flink.connector.file.sink.FileSink<String> files = "
        'org.apache.flink.connector.file.sink.FileSink.forRowFormat(new org.apache.flink.core.fs.Path("/x"), '
        'new org.apache.flink.api.common.serialization.SimpleStringEncoder<String>("UTF-8")).build();\n'
        "    in.map(x -> x)\n        .sinkTo(files);"
    )
    before, after = job(sink), job(sink.replace("in.map(x -> x)", "in.map(x -> x).filter(x -> true)"))
    base, head = read(before), read(after)
    repairs = plan_repairs(base, head, compare_pipelines("job", base, head))
    plan = write_edits(head.topology, edits_of(repairs), after)
    assert repairs
    assert not plan.by_hand
    assert "CustomSinkOperatorUidHashes.builder()" in plan.diff(after)
    repaired = read(MemoryFiles({**after.contents, **plan.contents(after)}))
    for row in compare_pipelines("job", base, repaired).operators:
        assert row.verdict(RestorePath.SAVEPOINT) in (Verdict.RESTORES, Verdict.STATELESS)
