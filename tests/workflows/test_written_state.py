"""Edits of what Flink writes, in whole programs: each verdict is the one that a real Flink gave (1.20.5, 2.3.0)."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.engines import in_process
from checker.extract import java
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Mode
from checker.model.unknowns import Unknown
from checker.workflows.check.comparing_revisions import plan_check, run_check
from tests.scratch import Scratch

POM = (
    "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>{}</version></dependency></dependencies></project>"
)
IMPORTS = """import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.common.typeutils.base.*;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.cep.*;
import org.apache.flink.cep.pattern.*;
import org.apache.flink.cep.pattern.conditions.*;
import org.apache.flink.configuration.*;
import org.apache.flink.connector.base.sink.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.util.Collector;
"""
PROGRAM = (
    IMPORTS
    + """
public class Job {
  CLASSES
  public static class Keep extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<Acc> kept;
    @Override public void open(Configuration c) {
      kept = getRuntimeContext().getState(new ValueStateDescriptor<>("acc", Acc.class));
    }
    @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception {
      kept.update(new Acc());
    }
  }
  public static class Pass extends RichMapFunction<String, String> implements CheckpointedFunction {
    private transient ListState<Long> kept;
    public String map(String x) { return x; }
    public void initializeState(FunctionInitializationContext c) throws Exception {
      kept = c.getOperatorStateStore().getListState(new ListStateDescriptor<>("offsets", Long.class));
    }
    public void snapshotState(FunctionSnapshotContext c) throws Exception { kept.update(Arrays.asList(1L)); }
  }
  static class Never extends SimpleCondition<String> { public boolean filter(String x) { return false; } }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    SETTINGS
    DataStream<String> s = env.socketTextStream("h", 1).uid("source").map(new Pass()).uid("pass");
    s.keyBy(x -> x).process(new Keep()).uid("keep").print().uid("out");
    Pattern<String, ?> p = Pattern.<String>begin("a").followedBy("b").where(new Never()).followedBy("c");
    CEP.pattern(s.keyBy(x -> x), p).inProcessingTime().select(m -> "x", Types.STRING).uid("cep").print().uid("o2");
    env.execute();
  }
}
"""
)
POJO = "public static class Acc { public long sum; public String note; public Acc() {} }"
KRYO = "public static class Acc { long sum; String note; Acc() {} }"
SUBCLASS = POJO + "public static class Sub extends Acc { public int more; public Sub() {} }"
LOMBOK = "@lombok.Data @lombok.NoArgsConstructor public static class Acc { private long sum; private String note; }"
SILENT, ERROR, UNDECIDED = "silent", "error", "undecided"
OPEN_RULES = {"edit-not-understood", "type-change-to-check", "undecided"}
AVRO = ('"acc", Acc.class', '"acc", new AvroSerializer<>(Acc.class)')
CONFIG = "Configuration c = new Configuration(); {} env.configure(c);"
Files = dict[str, str]


def program(classes: str = POJO, settings: str = "", *changes: tuple[str, str]) -> Files:
    """The files of a program, with some text of it replaced."""
    text = PROGRAM.replace("CLASSES", classes).replace("SETTINGS", settings)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return {"pom.xml": POM.format("1.20.5"), "src/main/java/Job.java": text}


def lombok(setting: str, folder: str = "", **more: str) -> Files:
    """A program with Lombok's configuration."""
    return {**program(LOMBOK), f"{folder}lombok.config": f"{setting}\n", **more}


EDITS: dict[str, tuple[Files, Files, str]] = {
    # what is only registered changes no snapshot
    "pojo-registered": (program(), program(POJO, "env.getConfig().registerPojoType(Acc.class);"), SILENT),
    "kryo-registered": (program(KRYO), program(KRYO, "env.getConfig().registerKryoType(Acc.class);"), SILENT),
    "kryo-not-registered": (program(KRYO, "env.getConfig().registerKryoType(Acc.class);"), program(KRYO), SILENT),
    "registered-through-serializer-config": (
        program(KRYO), program(KRYO, "env.getConfig().getSerializerConfig().registerKryoType(Acc.class);"), SILENT,
    ),
    "kryo-forced": (program(), program(POJO, "env.getConfig().getSerializerConfig().setForceKryo(true);"), ERROR),
    "generic-types-off": (
        program(KRYO), program(KRYO, CONFIG.format('c.setString("pipeline.generic-types", "false");')), UNDECIDED,
    ),
    "reuse-of-objects": (
        program(KRYO), program(KRYO, CONFIG.format('c.setString("pipeline.object-reuse", "true");')), SILENT,
    ),
    # serializers that the program names
    "avro-by-reflection-widened": (
        program(POJO, "", AVRO), program(POJO.replace("long", "double"), "", AVRO), UNDECIDED,
    ),
    "avro-by-reflection-added": (
        program(POJO, "", AVRO), program(POJO.replace("long sum", "long sum, more"), "", AVRO), UNDECIDED,
    ),
    "avro-by-reflection-unchanged": (
        program(POJO, "", AVRO), program(POJO.replace("Acc() {}", "Acc() { sum = 1; }"), "", AVRO), SILENT,
    ),
    # objects of subclasses are found by their name
    "subclass-renamed": (
        program(SUBCLASS, "", ("kept.update(new Acc", "kept.update(new Sub")),
        program(SUBCLASS.replace("Sub", "Part"), "", ("kept.update(new Acc", "kept.update(new Part")),
        UNDECIDED,
    ),
    "subclass-added": (program(POJO), program(SUBCLASS), SILENT),
    # functions that are asked for state no more
    "checkpoints-taken-away": (program(), program(POJO, "", (" implements CheckpointedFunction", "")), ERROR),
    # stages of a pattern
    "stage-renamed": (program(), program(POJO, "", ('followedBy("b")', 'followedBy("bb")')), UNDECIDED),
    "stage-added": (program(), program(POJO, "", ('followedBy("c")', 'followedBy("c").followedBy("d")')), SILENT),
    "stage-before": (program(), program(POJO, "", ('begin("a")', 'begin("z").followedBy("a")')), UNDECIDED),
    "stage-next": (program(), program(POJO, "", ('followedBy("c")', 'next("c")')), SILENT),
    "stage-optional": (program(), program(POJO, "", ("new Never())", "new Never()).optional()")), SILENT),
    "stage-repeated": (program(), program(POJO, "", ("new Never())", "new Never()).times(3)")), UNDECIDED),
    # accessors that Lombok generates
    "lombok-fluent": (lombok("#"), lombok("lombok.accessors.fluent = true"), ERROR),
    "lombok-chain": (lombok("#"), lombok("lombok.accessors.chain = true"), SILENT),
    "lombok-prefix": (lombok("#"), lombok("lombok.accessors.prefix += m"), ERROR),
    "lombok-final": (lombok("#"), lombok("lombok.fieldDefaults.defaultFinal = true"), ERROR),
    "lombok-of-a-package": (lombok("#", "src/main/"), lombok("lombok.accessors.fluent = true", "src/main/"), ERROR),
    "lombok-not-asked": (
        lombok("#", **{"src/main/lombok.config": "config.stopBubbling = true"}),
        lombok("lombok.accessors.fluent = true", **{"src/main/lombok.config": "config.stopBubbling = true"}),
        SILENT,
    ),
    "lombok-prefix-on-class": (
        program(LOMBOK), program(f'@lombok.experimental.Accessors(prefix = "n") {LOMBOK}'), ERROR,
    ),
    "lombok-final-on-class": (
        program(LOMBOK), program(f"@lombok.experimental.FieldDefaults(makeFinal = true) {LOMBOK}"), ERROR,
    ),
}  # fmt: skip

V2 = (
    IMPORTS.replace("common.state.*", "common.state.v2.*")
    + """
public class Job {
  public static class Keep extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<Long> kept;
    @Override public void open(OpenContext c) throws Exception {
      kept = getRuntimeContext().getState(new ValueStateDescriptor<>("kept", Types.LONG));
    }
    @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception {}
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> s = env.socketTextStream("h", 1).uid("source");
    s.keyBy(x -> x).enableAsyncState().process(new Keep()).uid("keep").print().uid("out");
    env.execute();
  }
}
"""
)
TUPLE = (("ValueState<Long>", "ValueState<Tuple2<Long, Long>>"), ("Types.LONG", "Types.TUPLE(Types.LONG, Types.LONG)"))
TRIPLE = (("ValueState<Long>", "ValueState<Tuple3<Long, Long, Long>>"),
          ("Types.LONG", "Types.TUPLE(Types.LONG, Types.LONG, Types.LONG)"))  # fmt: skip


def asynchronous(*changes: tuple[str, str]) -> Files:
    """A program with state of the API v2."""
    text = V2
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return {"pom.xml": POM.format("2.3.0"), "src/main/java/Job.java": text}


EDITS |= {
    "v2-name": (asynchronous(), asynchronous(('"kept"', '"other"')), ERROR),
    "v2-type": (asynchronous(), asynchronous(("<Long>", "<Integer>"), ("Types.LONG", "Types.INT")), ERROR),
    "v2-serializer": (asynchronous(), asynchronous(("Types.LONG", "LongSerializer.INSTANCE")), SILENT),
    "v2-tuple": (asynchronous(*TUPLE), asynchronous(*TRIPLE), ERROR),
    "v2-async-off": (asynchronous(), asynchronous((".enableAsyncState()", "")), UNDECIDED),
    # Flink restores it: which of the two APIs a descriptor belongs to is not read.
    "v2-to-v1": (
        asynchronous(), asynchronous(("common.state.v2.*", "common.state.*"), (".enableAsyncState()", "")), UNDECIDED,
    ),
}  # fmt: skip


def findings_of(base: Files, head: Files, folder: Path) -> str:
    """What a check says of an edit."""
    scratch = Scratch(folder / "repository")
    for files in (base, head):
        for path, content in files.items():
            scratch.write(path, content)
        (scratch.folder / ".git" / "index").unlink(missing_ok=True)
        scratch.commit()
    document = run_check(plan_check(scratch.folder, base="HEAD~1", head="HEAD"), in_process.judge_pipelines)
    rules = {f["rule"] for p in document["pipelines"] for f in p["findings"] if f["severity"] == "error"}
    assert document["pipelines"]
    return SILENT if not rules else UNDECIDED if rules <= OPEN_RULES else ERROR


@pytest.mark.parametrize("name", EDITS)
def test_it_is_what_flink_does(name: str, tmp_path: Path) -> None:
    base, head, expected = EDITS[name]
    assert findings_of(base, head, tmp_path) == expected


def test_an_edited_program_of_the_second_api_is_undecided(tmp_path: Path) -> None:
    text = """import org.apache.flink.datastream.api.ExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    ExecutionEnvironment env = ExecutionEnvironment.getInstance();
    env.execute("NAME");
  }
}
"""
    base, head = ({"pom.xml": POM.format("2.3.0"), "Job.java": text.replace("NAME", name)} for name in ("a", "b"))
    assert findings_of(base, head, tmp_path) == UNDECIDED


def test_code_of_another_language_in_another_module_is_used_by_its_classes_only(tmp_path: Path) -> None:
    kotlin = "package jobs\nconst val TOPIC = 1\nfun runJob() { VALUE }\nclass Words { fun env() { VALUE } }\n"
    text = program()["src/main/java/Job.java"].replace("SETTINGS", "")
    files = {"pom.xml": POM.format("1.20.5"), "jobs/pom.xml": POM.format("1.20.5"), "jobs/src/main/java/Job.java": text}
    path = "words/src/main/kotlin/Words.kt"
    module = {"words/pom.xml": POM.format("1.20.5")}
    base, head = ({**files, **module, path: kotlin.replace("VALUE", value)} for value in ("1", "2"))
    assert findings_of(base, head, tmp_path / "apart") == SILENT
    used = {"jobs/src/main/java/Job.java": text.replace("env.execute", "new jobs.Words().env(); env.execute")}
    assert findings_of({**base, **used}, {**head, **used}, tmp_path / "used") == UNDECIDED


@pytest.mark.parametrize(
    ("call", "expected"),
    [("new Words().env();", SILENT), ("new org.web.Words().env();", UNDECIDED), ("new Lines().env();", UNDECIDED)],
)
def test_code_of_another_language_is_used_by_its_package(tmp_path: Path, call: str, expected: object) -> None:
    text = program()["src/main/java/Job.java"].replace("SETTINGS", "").replace("env.execute", f"{call} env.execute")
    files = {
        "pom.xml": POM.format("1.20.5"),
        "src/main/java/Job.java": "package org.acme;\n" + text,
        "src/main/java/Words.java": "package org.acme; public class Words { public void env() {} }",
        "src/main/scala/Lines.scala": "package org\npackage acme\nclass Lines { new org.text.Lines().env() }",
    }
    paths = ("src/main/scala/web/Words.scala", "package org.web\nclass Words { def env() = VALUE }\n"), (
        "src/main/scala/text/Lines.scala", "package org.text\nclass Lines { def env() = VALUE }\n",
    )  # fmt: skip
    base, head = ({**files, **{p: code.replace("VALUE", value) for p, code in paths}} for value in ("1", "2"))
    assert findings_of(base, head, tmp_path / "edited") == expected
    assert findings_of({**base, **{p: "// old\n" + base[p] for p, _ in paths}}, base, tmp_path / "comment") == SILENT


@pytest.mark.parametrize(("boundedness", "mode"), [("CONTINUOUS_UNBOUNDED", Mode.STREAMING), ("BOUNDED", None)])
def test_a_source_that_never_ends_makes_a_job_a_streaming_one(boundedness: str, mode: Mode | None) -> None:
    text = """import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public abstract static class Own implements Source<Long, SourceSplit, Integer> {
    public Boundedness getBoundedness() { return Boundedness.BOUNDEDNESS; }
  }
  public static class Made extends Own {}
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setRuntimeMode(RuntimeExecutionMode.AUTOMATIC);
    env.fromSource(new Made(), WatermarkStrategy.noWatermarks(), "own").print();
    env.execute();
  }
}
"""
    files = MemoryFiles({"Job.java": text.replace("BOUNDEDNESS", boundedness).encode()})
    read = java.extract(files, PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="Job", flink="1.20"))
    assert read.mode == mode if mode is not None else isinstance(read.mode, Unknown)
