"""Python operators before a table are fused as PyFlink fuses them where a statement is executed."""

import pytest

from checker.extract import python
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind
from tests.extract.sql.test_programs import _jars, planned  # noqa: F401 - the fixture

pytestmark = [pytest.mark.flink, pytest.mark.usefixtures("_one_planner")]

SCRIPT = """\
from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import KeyedProcessFunction
from pyflink.table import StreamTableEnvironment
ROW = Types.ROW_NAMED(["a", "b"], [Types.STRING(), Types.INT()])
class Keep(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
t = StreamTableEnvironment.create(env)
t.execute_sql("CREATE TABLE o (a STRING, b INT) WITH ('connector' = 'blackhole')")
mapped = env.from_collection([Row("x", 1)], ROW).map(lambda x: x, ROW)
"""
INSERT = 't.execute_sql("INSERT INTO o SELECT * FROM v")\n'
SOURCE = ("bc764cd8", "Source: Collection Source")
FUSED = {
    "fused": (
        't.create_temporary_view("v", mapped.filter(lambda x: True))\n' + INSERT,
        [SOURCE, ("20ba6b65", "Map, Filter"), ("cdf5528f", "v"), ("4ab00848", "o: Writer")],
    ),
    "keyed": (
        "keyed = mapped.key_by(lambda x: x[0], Types.STRING()).process(Keep(), ROW)\n"
        't.create_temporary_view("v", keyed.map(lambda x: x, ROW))\n' + INSERT,
        [SOURCE, ("0a448493", "Map, _stream_key_by_map_operator"), ("e70bbd79", "KEYED PROCESS, Map"),
         ("925eab87", "v"), ("22cd448a", "o: Writer")],
    ),
    "read twice": (
        't.create_temporary_view("v", mapped.filter(lambda x: True))\n'
        't.execute_sql("INSERT INTO o SELECT * FROM v WHERE b > 1 UNION ALL SELECT * FROM v WHERE b < 5")\n',
        [SOURCE, ("20ba6b65", "Map, Filter"), ("b4f3d3e1", "v"), ("33b68926", "Calc"), ("04603cec", "Calc"),
         ("4c271647", "o: Writer")],
    ),
}  # fmt: skip
"""Script → operators, with the first characters of the ids that PyFlink 1.20.5 gives them."""


def test_operators_before_a_table_are_fused() -> None:
    topologies = planned(*((f"{place}.py", SCRIPT + rest, 0) for place, (rest, _) in enumerate(FUSED.values())))
    for (case, (_, wanted)), topology in zip(FUSED.items(), topologies, strict=True):
        translation = translate(topology)
        assert translation.stream_graph is not None
        names = {node.number: node.name for node in translation.stream_graph.nodes}
        found = [(str(identity.generated)[:8], names[identity.node]) for identity in translation.identities]
        assert sorted(found) == sorted(wanted), case


def test_a_stream_that_another_statement_may_read_leaves_open_how_they_are_fused() -> None:
    views = 't.create_temporary_view("u", mapped)\nt.create_temporary_view("v", mapped.filter(lambda x: True))\n'
    entry = PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py", flink="1.20.5")
    topology = python.extract(MemoryFiles({"job.py": (SCRIPT + views + INSERT).encode()}), entry)
    assert [t.kind for t in topology.transformations] == [Kind.UNKNOWN]
