"""Edits of a PyFlink job of several modules: what its keys and states depend on by way of Python's own means."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judging import judged

FILES = {
    "job.py": """import argparse

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

from farm import states
from farm.readings import Reading

parser = argparse.ArgumentParser()
parser.add_argument("--title", default="farm")
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
lines = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
readings = lines.map(lambda line: Reading(*line.split(","))).uid("parsed")
readings.key_by(lambda r: r.lane, key_type=Types.STRING()).process(states.Curve()).uid("curve").print().uid("out")
env.execute(parser.parse_args().title)
""",
    "farm/__init__.py": "",
    "farm/readings.py": """class Reading:
    def __init__(self, number, site):
        self.number = number
        self.site = site

    @property
    def lane(self):
        return self.site + "/" + self.number

    def describe(self):
        return f"{self.site}: {self.number}"
""",
    "farm/states.py": """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

class Curve(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def process_element(self, value, ctx):
        before = self.last.value()
        self.last.update(value.describe())
        yield before
""",
    "requirements.txt": "apache-flink==1.20.1\n",
}
NEW = 'context.get_state(ValueStateDescriptor("new", Types.STRING()))'
BODY = FILES["farm/states.py"].partition("context):\n")[2]
LOST = {
    "a property": ('self.site + "/" + self.number', 'self.number + "/" + self.site'),
    "a handle of another state": ('self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))',
                                  'self.old = context.get_state(ValueStateDescriptor("last", Types.STRING()))\n'
                                  f"        self.last = {NEW}"),
}  # fmt: skip
KEPT = {
    "a method that no key reads": ('f"{self.site}: {self.number}"', 'f"{self.site} {self.number}"'),
    "an option that is no part of a key": ('default="farm"', 'default="wind farm"'),
    "a handle's name": ("self.last", "self.latest"),
    "a handle's name, which a new state takes": (BODY, BODY.replace("self.last", "self.old").replace(
        "    def proc", f"        self.last = {NEW}\n\n    def proc").replace("yield", "self.last\n        yield")),
}  # fmt: skip


def findings(before: dict[str, str], after: dict[str, str]) -> list[dict[str, Any]]:
    """Errors and warnings of an edit of files."""
    (pipeline,) = judged(before, after)
    return [f for f in pipeline["findings"] if f["severity"] in ("error", "warning")]


def _errors(before: str, after: str) -> set[str]:
    """The rules of the errors after an edit."""
    assert any(before in text for text in FILES.values())
    edited = {path: text.replace(before, after) for path, text in FILES.items()}
    return {finding["rule"] for finding in findings(FILES, edited)}


@pytest.mark.parametrize("case", LOST)
def test_what_keys_and_states_depend_on_is_no_silent_edit(case: str) -> None:
    assert _errors(*LOST[case])


@pytest.mark.parametrize("case", KEPT)
def test_what_they_do_not_depend_on_is_silent(case: str) -> None:
    assert _errors(*KEPT[case]) == set()


SINKS = {
    "job.py": """import pickle

from pyflink.common import Types
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaSink

PREFIX = "out-"

def sink(topic):
    schema = KafkaRecordSerializationSchema.builder().set_topic(topic).set_value_serialization_schema(
        SimpleStringSchema()).build()
    return KafkaSink.builder().set_bootstrap_servers("kafka:9092").set_record_serializer(schema).build()

with open("model.pickle", "rb") as file:
    model = pickle.load(file)
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
lines = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
lines.map(str.lower, output_type=Types.STRING()).name("lower").uid("lower").sink_to(sink("a")).uid(PREFIX + "a")
lines.map(model.predict, output_type=Types.STRING()).name("score").uid("score").sink_to(sink("b")).uid(PREFIX + "b")
env.execute("sinks")
""",
    "training.py": "RATE = 1\n",
    "requirements.txt": "apache-flink==1.20.1\n",
}


def test_sinks_without_names_whose_uids_are_renamed_are_not_removed() -> None:
    edited = {**SINKS, "job.py": SINKS["job.py"].replace('"out-"', '"sink-"')}
    found = findings(SINKS, edited)
    assert {finding["rule"] for finding in found} == {"uid-renamed"}
    assert len(found) == 2
    assert not any("CustomSinkOperatorUidHashes" in finding["repair"] for finding in found)


def test_a_pickle_makes_no_module_a_part_of_the_pipeline() -> None:
    assert not findings(SINKS, {**SINKS, "training.py": "RATE = 2\n"})
