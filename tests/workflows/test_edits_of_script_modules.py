"""Edits of a PyFlink job of several modules: what its keys and states depend on by way of Python's own means."""

from __future__ import annotations

from typing import Any

from tests.judging import judged


def findings(before: dict[str, str], after: dict[str, str]) -> list[dict[str, Any]]:
    """Errors and warnings of an edit of files."""
    (pipeline,) = judged(before, after)
    return [f for f in pipeline["findings"] if f["severity"] in ("error", "warning")]


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
    assert [finding["location"]["line"] for finding in found] == [
        SINKS["job.py"][: SINKS["job.py"].index('"out-"')].count("\n") + 1
    ]
    assert not any("CustomSinkOperatorUidHashes" in finding["repair"] for finding in found)
