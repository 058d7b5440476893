"""Every edit gets one explanation: what each kind of edit of a program is explained by."""

from __future__ import annotations

import pytest

from checker.extract import registry
from checker.extract.interpreting.memory import Trace
from checker.model.nested import Json
from checker.model.sources import MemoryFiles
from checker.settings import Settings
from tests.judging import judged

JOB = "src/main/java/acme/Job.java"
FILES = {
    "pom.xml": "<project><properties><flink.version>1.20.3</flink.version></properties><dependencies><dependency>"
    "<groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>1.20.3</version>"
    "</dependency><dependency><groupId>com.acme</groupId><artifactId>client</artifactId><version>1</version>"
    "</dependency></dependencies></project>",
    JOB: """package acme;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Job {
  static final org.slf4j.Logger LOG = org.slf4j.LoggerFactory.getLogger(Job.class);
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String name = "count";
    env.socketTextStream("h", 1).uid("source").keyBy(x -> Keys.of(x)).process(new Count()).uid(name).print();
    LOG.info("starts");
    env.execute();
  }
}
""",
    "src/main/java/acme/Keys.java": """package acme;
class Keys {
  static String of(String x) { return x.trim(); }
  static String other(String x) { return x; }
}
""",
    "src/main/java/acme/Count.java": """package acme;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Count extends KeyedProcessFunction<String, String, Long> {
  private int seen;
  private transient ValueState<Long> count;
  @Override public void open(Configuration c) {
    count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
  }
  @Override public void processElement(String x, Context ctx, Collector<Long> out) throws Exception {
    Long before = count.value();
    count.update(before == null ? 1L : before + 1);
    out.collect(count.value());
  }
}
""",
    "src/main/java/acme/Unused.java": "package acme;\nclass Unused { int a; }\n",
    "src/main/resources/settings.json": "{}",
    "src/main/resources/log4j2.properties": "a=b",
    "src/main/resources/application.yml": "logging: {level: info}\ntopic: orders\n",
}


def checked(path: str, before: str, after: str) -> Json:
    """The pipeline with one text replaced in one file."""
    assert before in FILES[path]
    return of_contents(path, FILES[path].encode(), FILES[path].replace(before, after).encode())


def of_contents(path: str, before: bytes, after: bytes, others: dict[str, str] = FILES) -> Json:
    """The pipeline with one file that has these contents."""
    (pipeline,) = judged({**others, path: before}, {**others, path: after})
    return pipeline


SCRIPT = """from pyflink.datastream import StreamExecutionEnvironment
class Job:
    def run(self):
        self.build(StreamExecutionEnvironment.get_execution_environment())
    def build(self, env):
        ...
class Print(Job):
    def build(self, env):
        env.from_collection([1]).uid("source").print().uid("sink")
        env.execute()
Print().run()
"""


def test_a_method_that_another_class_has_itself_is_not_called() -> None:
    after = SCRIPT.replace("...", "raise NotImplementedError")
    pipeline = of_contents("job.py", SCRIPT.encode(), after.encode(), {})
    assert [edit["why"] for edit in pipeline["account"]["edits"]] == ["body"]


PICKLED = """from typing import NamedTuple
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
class Trade(NamedTuple):
    book: str
    amount: float
class Last(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.PICKLED_BYTE_ARRAY()))
    def process_element(self, value, ctx):
        self.last.update(value)
env = StreamExecutionEnvironment.get_execution_environment()
trades = env.from_collection([Trade("a", 2.0)]).uid("trades")
trades.key_by(lambda trade: trade.book, Types.STRING()).process(Last()).uid("last")
env.execute()
"""


def test_a_class_of_elements_that_a_script_lists_may_be_pickled() -> None:
    fields = "    book: str\n    amount: float\n"
    after = PICKLED.replace(fields, "    amount: float\n    book: str\n")
    pipeline = of_contents("job.py", PICKLED.encode(), after.encode(), {})
    assert "type" in {edit["why"] for edit in pipeline["account"]["edits"]}


KEYS, COUNT = "src/main/java/acme/Keys.java", "src/main/java/acme/Count.java"


@pytest.mark.parametrize(
    ("path", "before", "after", "explanation", "why"),
    [
        (JOB, '"h", 1', '"h", 2', "compared", "followed"),
        (JOB, "name", "title", "without-effect", "same-program"),
        (JOB, '"starts"', '"begins"', "without-effect", "same-program"),
        (KEYS, "x.trim()", "x.strip()", "compared", "read"),
        (KEYS, "return x; }", 'return x + "-"; }', "without-effect", "body"),
        (COUNT, "before + 1", "before + 2", "without-effect", "body"),
        (COUNT, '"count", Long.class', '"count", Long.class, 0L', "compared", "read"),
        (COUNT, "private int seen", "private long seen", "without-effect", "unused"),
        ("pom.xml", "<version>1</version>", "<version>2</version>", "without-effect", "unused"),
        ("src/main/resources/application.yml", "info", "debug", "without-effect", "same-program"),
        ("src/main/resources/application.yml", "orders", "clicks", "without-effect", "unused"),
    ],
)
def test_an_edit_has_its_explanation(path: str, before: str, after: str, explanation: str, why: str) -> None:
    pipeline = checked(path, before, after)
    edits = {(e["explanation"], e["why"]) for e in pipeline["account"]["edits"]}
    assert edits == {(explanation, why)}
    reported = [f for f in pipeline["findings"] if f["rule"] == "edit-not-understood"]
    assert bool(reported) == (explanation == "not-understood")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (JOB, "    env.execute", "    // the end\n    env.execute"),
        ("src/main/java/acme/Unused.java", "int a", "long a"),
        ("src/main/resources/settings.json", "{}", "{1}"),
        ("src/main/resources/log4j2.properties", "a=b", "a=c"),
    ],
)
def test_what_the_program_does_not_reach_is_no_edit_of_it(path: str, before: str, after: str) -> None:
    pipeline = checked(path, before, after)
    assert pipeline["account"]["edits"] == []
    assert pipeline["findings"] == []


POINTER = b"version https://git-lfs.github.com/spec/v1\n"
UNREAD = {
    "a class in LFS": (KEYS, POINTER + b"1", POINTER + b"2"),
    "a large class": (KEYS, b"class Keys { } //" + b"1" * 3_000_000, b"class Keys { } //" + b"2" * 3_000_000),
    "a build file in LFS": ("pom.xml", FILES["pom.xml"].encode(), POINTER),
}


def test_a_class_that_names_none_but_itself_is_that_of_its_own_revision() -> None:
    nested = "static class Base { Base() {} }\n  static class Kept extends Base { }"
    job = FILES[JOB].replace("static final org", f"{nested}\n  static final org")
    pipeline = of_contents(JOB, job.encode(), job.replace("Base { ", "Base { String note; ", 1).encode())
    assert [(edit["name"], edit["why"]) for edit in pipeline["account"]["edits"]] == [("acme.Job.Base.note", "unused")]


@pytest.mark.parametrize("case", UNREAD)
def test_a_file_that_can_not_be_read_is_an_edit_that_nobody_read(case: str) -> None:
    path, before, after = UNREAD[case]
    pipeline = of_contents(path, before, after)
    assert [e["why"] for e in pipeline["account"]["edits"] if e["explanation"] == "not-understood"] == ["file"]
    assert "edit-not-understood" in {f["rule"] for f in pipeline["findings"]}


SESSIONS = """package acme;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
public class Sessions {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("source").filter(x -> x != null).keyBy(x -> x.trim())
       .window(EventTimeSessionWindows.withGap(Time.minutes(5))).reduce((a, b) -> a).uid("sessions").print().uid("p");
    env.execute();
  }
}
"""


def test_what_a_session_window_keeps_for_itself_is_of_no_unknown_type() -> None:
    after = SESSIONS.replace(".keyBy", '.filter(x -> !x.isEmpty()).uid("second").keyBy')
    pipeline = of_contents("src/main/java/acme/Sessions.java", SESSIONS.encode(), after.encode(), {})
    assert {edit["explanation"] for edit in pipeline["account"]["edits"]} == {"compared"}


ROWS = """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
CLICK = Types.ROW_NAMED(["user", "page"], [Types.STRING(), Types.STRING()])
class Last(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", CLICK))
    def process_element(self, value, ctx):
        self.last.update(value)
env = StreamExecutionEnvironment.get_execution_environment()
clicks = env.from_collection([("a", "b")], CLICK).uid("clicks")
clicks.key_by(lambda click: click.user, Types.STRING()).process(Last()).uid("last")
env.execute()
"""


@pytest.mark.parametrize(("names", "open_"), [('"page", "user"', True), ('"user", "site"', False)])
def test_names_of_a_row_that_change_places_are_seen(names: str, open_: bool) -> None:
    """``RowSerializer`` writes the fields by their places: another order of equal types restores, under other names."""
    pipeline = of_contents("job.py", ROWS.encode(), ROWS.replace('"user", "page"', names).encode(), {})
    assert [f["rule"] for f in pipeline["findings"] if "each other's place" in f["message"]] == [
        "type-change-to-check"
    ] * open_


@pytest.mark.parametrize("given", ["com.lib.Names.name(s.print());\n    s", "s.addSink()\n    s"])
def test_a_sink_that_unknown_code_is_given_is_no_defect(given: str) -> None:
    """Nothing reads a sink: what unknown code does with it is open, and so is a program that does not compile."""
    before = """package acme;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> s = env.socketTextStream("h", 1);
    s.map(x -> x);
    env.execute();
  }
}
"""
    after = before.replace("    s.map", f"    {given}.map")
    pipeline = of_contents(JOB, before.encode(), after.encode(), {})
    assert pipeline["failure"] == {"base": None, "head": None}
    assert {"undecided", "edit-not-understood"} & {f["rule"] for f in pipeline["findings"]}


STARTED = """package acme;
import org.apache.flink.streaming.api.environment.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    %s
  }
}
"""
RUNS = 'env.socketTextStream("h", 1).keyBy(x -> x).reduce((a, b) -> a).print(); env.execute();'


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("System.exit(args.length);", False),
        ("env.enableCheckpointing(5000);", False),
        (f"if (args.length < 1) System.exit(1); {RUNS}", True),
        ("if (com.lib.Starts.all(env)) System.exit(1);", True),
        ('throw new IllegalStateException("not yet");', True),
    ],
)
def test_a_program_that_executes_no_job_is_no_pipeline(body: str, found: bool) -> None:
    """Where all that it does was followed: what unknown code is given the environment for is not known."""
    files = MemoryFiles({JOB: (STARTED % body).encode()})
    (entry,) = registry.discover(files, Settings()).entries
    assert (registry.extract(files, entry, Trace()) is not None) is found


def test_a_job_that_is_not_executed_any_more_is_undecided() -> None:
    before, after = (STARTED % body for body in (RUNS, f"if (true) System.exit(0); {RUNS}"))
    pipeline = of_contents(JOB, before.encode(), after.encode(), {})
    assert {f["rule"] for f in pipeline["findings"] if f["severity"] == "error"} == {"undecided"}
