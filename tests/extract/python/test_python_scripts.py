"""What is read from scripts, what stays open, and that no script can make the reader stumble."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.errors import CheckerError, ExtractionError, PipelineMissingError
from checker.extract import python
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind, Topology
from checker.model.unknowns import Cause, Unknown

HEAD = """
import argparse, os, random, sys, uuid
from pyflink.common import Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import AsyncDataStream, StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource, KafkaSink
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.table import StreamTableEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "Numbers")
"""


def read(body: str, /, head: str = HEAD, **others: str) -> Topology:
    contents = {"job.py": (head + body).encode(), **{f"{k}.py": v.encode() for k, v in others.items()}}
    return python.extract(MemoryFiles(contents), PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py"))


def open_reason(body: str) -> Unknown:
    (only,) = read(body).transformations
    assert only.kind is Kind.UNKNOWN
    assert only.unknown is not None
    return only.unknown


def names(topology: Topology) -> list[object]:
    return [t.name for t in topology.transformations if not t.kind.virtual]


def test_locations_point_at_the_calls() -> None:
    topology = read("numbers.map(f).uid('a').set_parallelism(1)\nenv.execute()")
    (mapped,) = (t for t in topology.transformations if t.kind is Kind.OPERATOR)
    assert mapped.location is not None
    line = (HEAD + "numbers.map(f)").count("\n") + 1
    assert (mapped.location.line, mapped.location.column) == (line, len("numbers.") + 1)


@pytest.mark.parametrize("version", ["6", "7"])
def test_a_sink_of_elasticsearch_keeps_nothing(version: str) -> None:
    builder = f"Elasticsearch{version}SinkBuilder"
    body = f"""from pyflink.datastream.connectors.elasticsearch import {builder}, ElasticsearchEmitter
emitter = ElasticsearchEmitter.static_index("foo", "id")
sink = {builder}().set_emitter(emitter).set_hosts(["localhost:9200"]).set_bulk_flush_max_actions(1).build()
env.from_collection([1]).sink_to(sink).uid("out")
env.execute()
"""
    sink = read(body).transformations[-1]
    assert (sink.kind, sink.stateful, sink.committer) == (Kind.SINK, False, False)


def test_kafka_is_known_from_the_connector_tables() -> None:
    body = """
source = KafkaSource.builder().set_topics("t").set_value_only_deserializer(SimpleStringSchema()).build()
sink = KafkaSink.builder().set_bootstrap_servers("b").build()
env.from_source(source, WatermarkStrategy.no_watermarks(), "In").uid("in").sink_to(sink).uid("out")
env.execute("kafka")
"""
    topology = read(body)
    source, sink = topology.transformations
    assert (source.kind, sink.kind) == (Kind.SOURCE, Kind.SINK)
    assert sink.committer is True
    assert source.reads == ("t",)
    assert read(body.replace('set_topics("t")', 'set_topics(["t", "u"])')).transformations[0].reads == ("t", "u")
    assert read(body.replace('set_topics("t")', "set_topics(sys.argv[1])")).transformations[0].reads == ()

    old = 'env.add_source(FlinkKafkaConsumer(topics="t")).print()\nenv.execute()'
    imported = "from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer\n"
    assert read(imported + old).transformations[0].reads == ("t",)


@pytest.mark.parametrize(
    ("uid", "cause"),
    [
        ("str(uuid.uuid4())", Cause.NON_DETERMINISTIC),
        ("f'u{random.random()}'", Cause.NON_DETERMINISTIC),
        ("os.environ['UID']", Cause.ARGUMENT),
        ("sys.argv[1]", Cause.ARGUMENT),
    ],
)
def test_a_uid_that_is_not_known_says_why(uid: str, cause: Cause) -> None:
    topology = read(f"numbers.map(f).uid({uid}).set_parallelism(1)\nenv.execute()")
    (mapped,) = (t for t in topology.transformations if t.kind is Kind.OPERATOR)
    assert isinstance(mapped.uid, Unknown)
    assert mapped.uid.cause is cause


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("for t in sys.argv:\n    numbers.print()\nenv.execute()", "the program's arguments"),
        ("[numbers.map(f).uid(t).print() for t in sys.argv]\nenv.execute()", "how often a comprehension runs"),
        ("list(map(lambda t: numbers.print(), sys.argv))\nenv.execute()", "the program's arguments"),
        ("import copy\ncopy.copy(numbers).print()\nenv.execute()", "handed to copy.copy"),
        ("while True:\n    numbers.print()\nenv.execute()", "'while'"),
        ("import helper\nhelper.build(env)\nenv.execute()", "handed to helper.build"),
        ("numbers.invented_call(3).print()\nenv.execute()", ".invented_call()"),
        ("while os.environ.get('X'):\n    numbers.print()\nenv.execute()", "how often a 'while' loop runs"),
        ("streams = {'a': numbers}\nstreams[sys.argv[1]].print()\nenv.execute()", "which stream is taken"),
        ("getattr(numbers, sys.argv[1])(f)\nenv.execute()", "which method of a stream"),
        (
            "import json\nwhile json.load(open('gone.json'))['a']:\n    numbers.print()\nenv.execute()",
            "depends on the content of 'gone.json' (it is not in the repository)",
        ),
        ("while gone.load()['a']:\n    numbers.print()\nenv.execute()", "depends on an unknown element"),
        ("import threading\nthreading.Thread(target=lambda: env.execute()).start()", "is handed to threading.Thread"),
        ("from other import stream\nstream.key_by(f).print()\nenv.execute()", "is not in the repository"),
        ("exec('numbers.print()')\nenv.execute()", "code that it makes from a text"),
        ("for t in {'a', 'b'}:\n    numbers.map(f).uid(t).print()\nenv.execute()", "the order of a set"),
        ("numbers._j_data_stream.print()\nenv.execute()", "reaches into PyFlink"),
        ("AsyncDataStream.made_up(numbers)\nenv.execute()", "is handed to pyflink.datastream.AsyncDataStream.made_up"),
        ("@mystery\ndef build():\n    numbers.print()\nbuild()\nenv.execute()", "mystery"),
        ("def f(x):\n    return f(x)\nf(numbers)\nenv.execute()", "too deeply"),
        ("for i in range(100000):\n    for j in range(100):\n        pass\nnumbers.print()\nenv.execute()", "too many"),
    ],
)
def test_what_decides_the_shape_and_is_not_known_leaves_the_whole_open(body: str, words: str) -> None:
    assert words in open_reason(body).reason


def test_an_unknown_condition_around_harmless_code_changes_nothing() -> None:
    topology = read("if os.environ.get('X'):\n    level = 'debug'\nnumbers.print()\nenv.execute()")
    assert names(topology) == ["Numbers", "Print to Std. Out"]


def test_scripts_without_a_job_or_that_do_not_parse_are_errors() -> None:
    with pytest.raises(ExtractionError, match="executes no job"):
        read("numbers.print()")
    with pytest.raises(ExtractionError, match=r"job\.py:2: does not parse"):
        read("\ndef (", head="")
    with pytest.raises(PipelineMissingError, match="has no file"):
        python.extract(MemoryFiles({}), PipelineEntry(name="x", extract=ExtractorKind.PYTHON, file="x.py"))


MADE = b"""from pyflink.datastream import StreamExecutionEnvironment
def made():
    return StreamExecutionEnvironment.get_execution_environment()
"""


def test_discovery_finds_scripts_and_leaves_tests_and_libraries_out() -> None:
    job = (HEAD + "numbers.print()\nenv.execute()").encode()
    table = b"from pyflink.table import TableEnvironment, EnvironmentSettings\n"
    table += (
        b"t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\nt.execute_sql('INSERT INTO b TABLE a')"
    )
    files = MemoryFiles(
        {
            "jobs/a.py": job, "jobs/b/a.py": job, "tests/test_a.py": job, "lib.py": b"import pyflink", "t.py": table,
            "helpers.py": b"from pyflink.datastream import StreamExecutionEnvironment\ndef run(e):\n    e.execute()",
            "bad.py": b"\xff\xfe pyflink get_execution_environment(",
            "environments.py": MADE,
            "unguarded.py": b"from environments import made\nenv = made()\nenv.from_collection([1]).print()\n"
            b"env.execute()",
            "other.py": b"from environments import made\nx = dict(a=1)\n",
            "app.py": b"from pyflink.datastream import StreamExecutionEnvironment\nfrom steps import Steps\n"
            b"if __name__ == '__main__':\n    Steps(StreamExecutionEnvironment.get_execution_environment()).run()\n",
            "steps.py": b"class Steps:\n    def __init__(self, env):\n        self.env = env\n"
            b"    def run(self):\n        self.env.from_collection([1]).print()\n        self.env.execute()\n",
        }
    )  # fmt: skip
    found = python.discover(files)
    assert [(e.name, e.file) for e in found.entries] == [
        ("a", "jobs/a.py"), ("a (jobs/b/a.py)", "jobs/b/a.py"), ("app", "app.py"), ("t", "t.py"),
        ("unguarded", "unguarded.py"),
    ]  # fmt: skip


def variants(body: str) -> dict[str, list[object]]:
    return {v.when: [t.name for t in v.transformations if not t.kind.virtual] for v in read(body).variants}


def test_an_unknown_condition_around_operators_gives_both_shapes() -> None:
    body = "if os.environ.get('X'):\n    numbers.map(f).uid('x').print()\nelse:\n    numbers.print()\nenv.execute()"
    topology = read(body)
    assert variants(body) == {
        "os.environ.get('X')": ["Numbers", "Map, Map", "Print to Std. Out"],
        "not (os.environ.get('X'))": ["Numbers", "Print to Std. Out"],
    }
    assert topology.variants_unknown is not None
    assert topology.variants_unknown.settled_by == "--arg X=VALUE"
    first, second = (v.transformations for v in topology.variants)
    assert first[0].id == second[0].id


def test_the_same_condition_goes_the_same_way_again() -> None:
    body = """
x = os.environ.get("X")
if x is not None:
    numbers = numbers.map(f).uid("a")
if x is None:
    numbers = numbers.filter(f).uid("b")
numbers.print()
env.execute()
"""
    assert len(read(body).variants) == 2


def test_operators_of_one_unknown_parallelism_are_fused_and_of_another_one_are_both() -> None:
    shared = "env.set_parallelism(int(sys.argv[1]))\nnumbers.map(f).filter(f).print()\nenv.execute()"
    assert names(read(shared)) == ["Numbers", "Map, Filter, Map", "Print to Std. Out"]
    own = "numbers.map(f).set_parallelism(int(sys.argv[1])).filter(f).print()\nenv.execute()"
    assert variants(own) == {
        "PyFlink fuses two operators": ["Numbers", "Map, Filter, Map", "Print to Std. Out"],
        "not (PyFlink fuses two operators)": ["Numbers", "Map", "Filter, Map", "Print to Std. Out"],
    }


def test_a_hole_stands_for_a_sink_that_no_table_knows_and_for_tables() -> None:
    unknown = [t for t in read("numbers.sink_to(Mystery())\nenv.execute()").transformations if t.kind is Kind.UNKNOWN]
    assert [t.inputs for t in unknown] == [("Numbers",)]
    body = "t = StreamTableEnvironment.create(env)\ntable = t.from_data_stream(numbers)\n"
    body += "t.to_data_stream(table).map(f).uid('m').add_sink(s)\nenv.execute()"
    (hole,) = (t for t in read(body).transformations if t.kind is Kind.UNKNOWN)
    assert hole.inputs == ("Numbers",)
    assert hole.unknown is not None
    assert hole.unknown.reason.startswith("toDataStream() plans the operators of a table")


def entry(**settings: object) -> PipelineEntry:
    return PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py", **settings)  # type: ignore[arg-type]


def read_with(body: str, **settings: object) -> Topology:
    return python.extract(MemoryFiles({"job.py": (HEAD + body).encode()}), entry(**settings))


ARGPARSE = """
parser = argparse.ArgumentParser()
parser.add_argument("--prefix", default="p")
parser.add_argument("--width", type=int, default=2)
args, rest = parser.parse_known_args()
numbers.map(f).uid(f"{args.prefix}-m").set_parallelism(args.width).add_sink(s)
env.execute()
"""


def test_command_lines_are_parsed_where_arguments_are_known_and_named_where_not() -> None:
    body = ARGPARSE
    (mapped,) = (t for t in read_with(body).transformations if t.kind is Kind.OPERATOR)
    assert isinstance(mapped.uid, Unknown)
    assert isinstance(mapped.parallelism, Unknown)
    assert (mapped.uid.cause, mapped.uid.settled_by) == (Cause.ARGUMENT, "--arg prefix=VALUE")
    (mapped,) = (t for t in read_with(body, discovered=False).transformations if t.kind is Kind.OPERATOR)
    assert (mapped.uid, mapped.parallelism) == ("p-m", 2)
    given = ("--prefix", "q", "--width=5")
    (mapped,) = (t for t in read_with(body, args=given).transformations if t.kind is Kind.OPERATOR)
    assert (mapped.uid, mapped.parallelism) == ("q-m", 5)
    values = (("prefix", "r"), ("width", "7"))
    (mapped,) = (t for t in read_with(body, values=values).transformations if t.kind is Kind.OPERATOR)
    assert (mapped.uid, mapped.parallelism) == ("r-m", 7)


def test_a_value_of_the_environment_can_be_given() -> None:
    body = "numbers.map(f).uid(os.getenv('U', 'x')).add_sink(s)\nenv.execute()"
    (mapped,) = (t for t in read_with(body, values=(("U", "given"),)).transformations if t.kind is Kind.OPERATOR)
    assert mapped.uid == "given"


def test_what_is_not_known_after_a_job_does_not_touch_it() -> None:
    body = "numbers.print()\nenv.execute('one')\nwhile os.environ.get('X'):\n    numbers.print()\nenv.execute('two')"
    assert names(read_with(body)) == ["Numbers", "Print to Std. Out"]
    assert [t.kind for t in read_with(body, index=1).transformations] == [Kind.UNKNOWN]


PIECES = ("numbers", ".map(f)", ".print()", "\nx = ", "x", "for i in ", "range(3)", ":\n  ", "if ", "[", "]", "(", ")",
          "env", ".execute()", "\n", "lambda a: a", "'t'", "1", " + ", ".uid(", "{", "}", "*", "\0", "é",
          "\ud800")  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_any_text_is_a_topology_or_a_clear_error(pieces: list[str]) -> None:
    source = (HEAD + "".join(pieces)).encode("utf-8", "surrogatepass")
    files = MemoryFiles({"job.py": source})
    with contextlib.suppress(CheckerError):
        python.extract(files, PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py"))


def test_a_method_of_a_table_environment_that_is_not_known_may_submit() -> None:
    head = HEAD + "numbers.print()\ntables = StreamTableEnvironment.create(env)\n"
    plain = read("tables.get_config()\ntables.use_catalog('c')\nenv.execute()", head=head)
    assert not [t for t in plain.transformations if t.kind is Kind.UNKNOWN]
    submitted = read("tables.materialize('v')", head=head)
    assert [t.kind for t in submitted.transformations if t.kind is Kind.UNKNOWN] == [Kind.UNKNOWN]


def test_collections_keep_types_and_classes_as_they_are() -> None:
    body = """
import collections
from pyflink.datastream.state import ValueStateDescriptor
class States:
    STATES = {}
    def open(self, context):
        for name, kind in self.STATES.items():
            setattr(self, name, context.get_state(ValueStateDescriptor(name, kind)))
Pair = collections.namedtuple("Pair", "name kind")
pair = Pair("pair", kind=Types.LONG())
appended = []
appended.append(("appended", Types.INT()))
kinds = {"literal": Types.FLOAT()}
class All(States, KeyedProcessFunction):
    STATES = dict([*kinds.items(), pair, *sorted(appended, key=lambda one: one[0])], named=Types.STRING(),
                  other=kinds.get("other", Types.BYTE()))
numbers.key_by(lambda x: x, Types.LONG()).process(All()).uid("all").print()
env.execute()
"""
    (keyed,) = (t for t in read(body).transformations if t.uid == "all")
    assert not isinstance(keyed.state, Unknown)
    assert {state.name: state.value_type for state in keyed.state} == {
        "literal": "Float", "pair": "Long", "appended": "Integer", "named": "String", "other": "Byte",
    }  # fmt: skip


def test_the_members_of_an_enumeration_are_listed() -> None:
    body = """
import enum
class Stage(str, enum.Enum):
    DEV = "dev"
    PROD = "prod"
parser = argparse.ArgumentParser()
parser.add_argument("--stage", type=Stage, choices=list(Stage), default=Stage.DEV)
args = parser.parse_args()
first, last = sorted(list(Stage), key=lambda stage: stage.value)
numbers.map(f).uid(f"{first.value}-{last.value}-{len(Stage)}").print()
env.execute()
"""
    assert "dev-prod-2" in [t.uid for t in read(body).transformations]


def test_a_text_file_is_read_where_nothing_says_the_version() -> None:
    """PyFlink 2 has no such method: a script that calls it runs with Flink 1.x."""
    topology = read('env.read_text_file("in.txt").key_by(lambda x: x).reduce(lambda a, b: a).print()\nenv.execute()')
    assert [t.operator for t in topology.operators()][:2] == ["file-monitor", "file-reader"]
    assert not any(t.kind is Kind.UNKNOWN for t in topology.operators())


COUNTED = "numbers.key_by(lambda x: x).reduce(lambda a, b: a).print()\nenv.execute()"


@pytest.mark.parametrize(
    ("body", "is_read"),
    [
        ("env._j_stream_execution_environment.disableOperatorChaining()\n", False),
        ("from pyflink.util.java_utils import get_j_env_configuration\nget_j_env_configuration(env)\n", False),
        ("from pyflink.common import Configuration\nConfiguration().set_string('a', 'b')\n", True),
        ("from pyflink.common import Configuration\nConfiguration(env._j_stream_execution_environment)\n", False),
    ],
)
def test_scripts_that_reach_into_the_jvm_are_not_read(body: str, is_read: bool) -> None:
    found = read(body + COUNTED).operators()
    assert all(t.kind is not Kind.UNKNOWN for t in found) is is_read


def test_a_copied_configuration_holds_what_the_other_one_does() -> None:
    made = "from pyflink.common import Configuration as C\nk = C()\nk.set_integer('pipeline.max-parallelism', 64)"
    assert read(f"{made}\nenv.configure(C(k))\n{COUNTED}").max_parallelism == 64


@pytest.mark.parametrize("rounds", [5, 20_000])
def test_jobs_behind_much_other_code_are_pipelines(rounds: int) -> None:
    script = f"""from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).print()
env.execute("first")
total = 0
for number in range({rounds}):
    total += number
env.from_collection([total]).print()
env.execute("second")
"""
    found = python.discover(MemoryFiles({"job.py": script.encode()}))
    assert [entry.index for entry in found.entries] == [0, 1]
