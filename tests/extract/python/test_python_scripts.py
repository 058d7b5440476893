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
from tests.extract.python.small_scripts import HEAD, script_files

ENTRY = PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py")


def read(body: str, /, head: str = HEAD) -> Topology:
    return python.extract(script_files(body, head=head), ENTRY)


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


def test_scripts_that_do_not_parse_are_errors() -> None:
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
            "jobs/a.py": job, "jobs/b/a.py": job, "tests/test_a.py": job, "kafka_test.py": job,
            "sums_test.py": HEAD.encode() + b"\ndef test_sums():\n    numbers.print()\n    env.execute()\n",
            "conn_test.py": job + b"\ndef test_conn():\n    pass\nif __name__ == '__main__':\n    test_conn()\n",
            "lib.py": b"import pyflink", "t.py": table,
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
        ("a", "jobs/a.py"), ("a (jobs/b/a.py)", "jobs/b/a.py"), ("app", "app.py"), ("conn_test", "conn_test.py"),
        ("kafka_test", "kafka_test.py"),
        ("t", "t.py"), ("unguarded", "unguarded.py"),
    ]  # fmt: skip


def variants(body: str) -> dict[str, list[object]]:
    return {v.when: [t.name for t in v.transformations if not t.kind.virtual] for v in read(body).variants}


def entry(**settings: object) -> PipelineEntry:
    return PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py", **settings)  # type: ignore[arg-type]


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


COUNTED = "numbers.key_by(lambda x: x).reduce(lambda a, b: a).print()\nenv.execute()"


def test_a_copied_configuration_holds_what_the_other_one_does() -> None:
    made = "from pyflink.common import Configuration as C\nk = C()\nk.set_integer('pipeline.max-parallelism', 64)"
    assert read(f"{made}\nenv.configure(C(k))\n{COUNTED}").max_parallelism == 64


def test_templates_of_jinja_are_found_in_their_folder() -> None:
    script = """from jinja2 import Environment, FileSystemLoader
templates = Environment(loader=FileSystemLoader("code/"))
numbers.map(f).uid(templates.get_template("uids/" + "first.txt").render(name="count"))
env.execute()"""
    topology = python.extract(script_files(script, more={"code/uids/first.txt": "{{ name }}-1\n"}), ENTRY)
    assert [t.uid for t in topology.transformations if t.kind is Kind.OPERATOR] == ["count-1"]


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
