"""Edits of whole PyFlink scripts: what loses state is never unchanged, what keeps it always is."""

from __future__ import annotations

import pytest

from checker.extract import python
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from tests.referees.pyflink_reading import LOST, UNCHANGED, UNDECIDED, compared

BASE = """\
import functools
from pyflink.common import Time, Types
from pyflink.datastream import KeyedProcessFunction, KeySelector, StreamExecutionEnvironment
from pyflink.datastream.state import (
    ListStateDescriptor, MapStateDescriptor, StateTtlConfig, ValueStateDescriptor,
)
PREFIX = "seen"
NAMES = ("first", "last")
RULES = ["a", "b", "c"]
TTL = True
def key_of(x):
    return x[1]
class Count(KeyedProcessFunction):
    def __init__(self, limit=3):
        self.limit = limit
        self.names = [f"{PREFIX}-{n}" for n in range(2)]
    def open(self, context):
        descriptor = ValueStateDescriptor("count", Types.LONG())
        if TTL:
            descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.days(1)).build())
        self.count = context.get_state(descriptor)
        self.all = {n: context.get_list_state(ListStateDescriptor(n, Types.STRING())) for n in self.names}
        self.register(context)
    def register(self, context):
        for n in NAMES:
            setattr(self, n, context.get_map_state(MapStateDescriptor(n, Types.STRING(), Types.INT())))
    def process_element(self, value, ctx):
        self.count.update(1)
        yield value
def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    s = env.from_collection([(1, "a")], type_info=Types.TUPLE([Types.INT(), Types.STRING()]))
    s = s.key_by(key_of, key_type=Types.STRING()).process(Count(), output_type=Types.INT()).uid("count")
    for i, rule in enumerate(RULES):
        s.filter(lambda x, rule=rule: x == rule).key_by(lambda x: x).process(Count()).uid(f"rule-{i}").print()
    env.execute()
main()
"""
LOSSES = {
    "a state's type": ("Types.LONG()", "Types.INT()", LOST),
    "a state's name, made in a comprehension": ('PREFIX = "seen"', 'PREFIX = "had"', LOST),
    "a state's name, made in a loop": ('("first", "last")', '("first", "previous")', LOST),
    "time-to-live behind a flag": ("TTL = True", "TTL = False", LOST),
    "a type in a helper": ("MapStateDescriptor(n, Types.STRING(), Types.INT())", "MapStateDescriptor(n, Types.INT(), "
                           "Types.INT())", LOST),
    "the key's type": ("key_type=Types.STRING()", "key_type=Types.INT()", LOST),
    "a key that is pickled now": (", key_type=Types.STRING()", "", LOST),
    "the selector's body": ("return x[1]", "return x[0]", UNDECIDED),
    "ids that move along a list": ('RULES = ["a", "b", "c"]', 'RULES = ["b", "c", "d"]', LOST),
    "an element taken out of the list": ('["a", "b", "c"]', '["b", "c"]', LOST),
}  # fmt: skip
KEPT = {
    "another limit": ("limit=3", "limit=5"),
    "what is done with an element": ("self.count.update(1)", "self.count.update(2)"),
    "the parameter's name": ("key_of(x):\n    return x[1]", "key_of(row):\n    return row[1]"),
    "a rule at the end": ('["a", "b", "c"]', '["a", "b", "c", "d"]'),
    "a rule that says something else": ('["a", "b", "c"]', '["a", "b", "e"]'),
    "a constant": ('descriptor = ValueStateDescriptor("count"', 'NAME = "count"\n'
                   "        descriptor = ValueStateDescriptor(NAME"),
}  # fmt: skip


def edited(before: str, after: str) -> dict[str, str]:
    assert before in BASE
    return {"job.py": BASE.replace(before, after)}


@pytest.mark.parametrize("case", LOSSES)
def test_state_that_is_lost_is_told(case: str) -> None:
    before, after, expected = LOSSES[case]
    assert compared({"job.py": BASE}, edited(before, after), ()) == expected
    assert compared({"job.py": BASE}, edited(before, after), None) == expected


@pytest.mark.parametrize("case", KEPT)
def test_state_that_is_kept_is_no_finding(case: str) -> None:
    assert compared({"job.py": BASE}, edited(*KEPT[case]), None) == UNCHANGED


SETTINGS = """\
import os
from pyflink.common import Types
from pyflink.datastream import (
    BroadcastProcessFunction, KeyedBroadcastProcessFunction, ProcessWindowFunction, StreamExecutionEnvironment,
)
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import CountWindow
PARALLELISM = {"dev": 1, "prod": 8}.get(os.environ.get("STAGE", "dev"), 2)
KIND = Types.BOOLEAN()
RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())
class Apply(KeyedBroadcastProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", KIND or Types.LONG()))
    def process_element(self, value, ctx):
        yield value
    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value, value)
class Alarm(ProcessWindowFunction[str, str, str, CountWindow]):
    LAST = ValueStateDescriptor("last-alarm", Types.LONG())
    def process(self, key, context, elements):
        context.global_state().get_state(self.LAST).update(1)
        context.window_state().get_list_state(ListStateDescriptor("fired", Types.STRING())).add(key)
        yield key
    def clear(self, context):
        context.window_state().get_list_state(ListStateDescriptor("fired", Types.STRING())).clear()
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(PARALLELISM)
words = env.from_collection(["a"], Types.STRING()).uid("words")
rules = words.map(str, Types.STRING()).uid("rules").filter(bool).uid("kept").broadcast(RULES)
applied = words.key_by(str, Types.STRING()).connect(rules).process(Apply(), Types.STRING()).uid("apply")
applied.key_by(str, Types.STRING()).count_window(3).process(Alarm(), Types.STRING()).uid("alarm").print()
env.execute()
"""
UNDER_ONE_SETTING = {
    "a type that is given, or another one": ("KIND = Types.BOOLEAN()", "KIND = None", LOST),
    "what is done with a broadcast element": ("put(value, value)", "put(value, '')", UNCHANGED),
    "a broadcast state's name": ('("rules", Types', '("all-rules", Types', LOST),
    "a state of a class attribute": ('"last-alarm", Types.LONG()', '"last-alarm", Types.INT()', LOST),
    "a state's name in a class attribute": ('"last-alarm"', '"latest"', LOST),
    "a state for each window": ('"fired"', '"sent"', LOST),
    "another window function's body": ("add(key)", "add(key + '!')", UNCHANGED),
    "keys are given up": ('.key_by(str, Types.STRING()).connect(rules)', ".connect(rules)", LOST),
}  # fmt: skip


@pytest.mark.parametrize("case", UNDER_ONE_SETTING)
def test_both_revisions_are_compared_under_the_same_setting_that_is_not_known(case: str) -> None:
    before, after, expected = UNDER_ONE_SETTING[case]
    assert before in SETTINGS
    assert compared({"job.py": SETTINGS}, {"job.py": SETTINGS.replace(before, after)}, None) == expected


NOT_FOLLOWED = """\
import logging, sys
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
log = logging.getLogger(__name__)
uids = []
class Count(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor(self.state(), Types.LONG()))
    def state(self):
        return "count"
    def process_element(self, value, ctx):
        yield from self.counted(value)
    def counted(self, value):
        self.count.update(1)
        yield value
def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    s = env.from_collection(["a"], Types.STRING())
    for uid in sys.argv[1].split(","):
        uids.append(uid)
        s = s.key_by(str, Types.STRING()).process(Count(), Types.STRING()).uid(uid)
    s.print()
    env.execute()
main()
"""
AROUND_A_LOOP = {
    "what runs with records": ("self.count.update(1)", "self.count.update(2)", UNCHANGED),
    "a log call": ("    s.print()", '    log.info("built")\n    s.print()', UNCHANGED),
    "a state's name": ('return "count"', 'return "seen"', UNDECIDED),
    "a state's type": ("Types.LONG()", "Types.INT()", UNDECIDED),
    "the loop": (".uid(uid)", ".uid(uid.upper())", UNDECIDED),
    "a list that is called as loggers are": ("uids.append(uid)", "log.append(uid)", UNDECIDED),
}  # fmt: skip


@pytest.mark.parametrize("case", AROUND_A_LOOP)
def test_only_code_that_may_build_the_graph_counts_where_a_script_is_not_followed(case: str) -> None:
    before, after, expected = AROUND_A_LOOP[case]
    assert before in NOT_FOLLOWED
    assert compared({"job.py": NOT_FOLLOWED}, {"job.py": NOT_FOLLOWED.replace(before, after)}, None) == expected


PACKAGE = {
    "job.py": """\
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pipeline import settings
from pipeline.settings import uid

env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([(1, "a")], type_info=Types.TUPLE([Types.INT(), Types.STRING()])).uid(uid("in"))
numbers.key_by(lambda x: x[1], key_type=Types.STRING()).reduce(lambda a, b: b).uid(uid("last")).print()
env.execute()
""",
    "pipeline/__init__.py": "",
    "pipeline/settings.py": 'PREFIX = "meter"\n\n\ndef uid(name):\n    return f"{PREFIX}-{name}"\n',
}


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ('from . import settings\n\nsettings.PREFIX = "m"\n', "m"),
        ('import pipeline.settings as chosen\n\nsetattr(chosen, "PREFIX", "m")\n', "m"),
        ('from . import settings\n\nsettings.PREFIX += "s"\n', "meters"),
        ('from . import settings\n\nsettings.OTHER = "m"\n', "meter"),
    ],
)
def test_a_module_may_set_variables_of_another_one(text: str, prefix: str) -> None:
    files = {path: content.encode() for path, content in {**PACKAGE, "pipeline/__init__.py": text}.items()}
    topology = python.extract(
        MemoryFiles(files), PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py")
    )
    assert [t.uid for t in topology.transformations if t.uid] == [f"{prefix}-in", f"{prefix}-last"]


TOPIC = """\
import os
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer
from store import config
topic = config.get("topic")
env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(FlinkKafkaConsumer(topic, SimpleStringSchema(), {})).uid("in").print().uid("out")
env.execute()
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('config.get("topic")', 'config.get("topic") + "_saved"', UNCHANGED),
        ('config.get("topic")', 'config.get("other")', UNCHANGED),
        ("topic = ", "name = topic = ", UNCHANGED),
        ("FlinkKafkaConsumer(topic", "FlinkKafkaConsumer([topic, 'more']", UNCHANGED),
    ],
)
def test_a_source_of_other_data_goes_on_at_its_positions_and_is_a_warning_at_most(
    before: str, after: str, expected: str
) -> None:
    assert before in TOPIC
    assert compared({"job.py": TOPIC}, {"job.py": TOPIC.replace(before, after)}, None) == expected


ROWS = """\
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer
from pyflink.datastream.formats.json import JsonRowDeserializationSchema
from pyflink.datastream.window import CountWindow, ProcessWindowFunction
JAR = "kafka.jar"
FIELDS = {"node": Types.STRING(), "status": Types.STRING()}
def source(fields):
    names = list(fields)
    rows = Types.ROW_NAMED(names, [fields[name] for name in names])
    return FlinkKafkaConsumer("topic", JsonRowDeserializationSchema.builder().type_info(rows).build(), {})
class Alarm(ProcessWindowFunction[str, str, str, CountWindow]):
    def process(self, key, context, elements):
        yield key
env = StreamExecutionEnvironment.get_execution_environment()
env.add_jars(JAR)
env.add_source(source(FIELDS)).filter(bool).key_by(lambda x: x["node"]).count_window(3).process(Alarm()).print()
env.execute()
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("env.add_jars(JAR)\n", "", UNCHANGED),
        ('"status": Types.STRING()', '"status": Types.LONG()', LOST),
    ],
)
def test_windows_keep_rows_of_the_type_that_the_schema_is_given(before: str, after: str, expected: str) -> None:
    assert before in ROWS
    assert compared({"job.py": ROWS}, {"job.py": ROWS.replace(before, after)}, None) == expected
