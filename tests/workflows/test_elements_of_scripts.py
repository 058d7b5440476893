"""Which members of a script's elements keys are made of: others may be made in another way."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

FILES = {
    "job.py": """import json
from dataclasses import dataclass, replace

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

@dataclass(frozen=True)
class Reading:
    device: str
    zone: str
    value: float

    @classmethod
    def from_json(cls, line):
        raw = json.loads(line)
        return cls(raw["device"], raw["zone"].strip(), float(raw["value"]))

    @property
    def key(self):
        return f"{self.zone}:{self.device}"

    def in_kelvin(self):
        return replace(self, value=self.value + 273.15)

class Dedup(KeyedProcessFunction):
    def __init__(self, width=10):
        self.width = width

    def open(self, context):
        self.seen = context.get_map_state(MapStateDescriptor("seen", Types.LONG(), Types.BOOLEAN()))

    def process_element(self, value, ctx):
        bucket = len(value.device) // self.width
        if self.seen.contains(bucket):
            return
        self.seen.put(bucket, True)
        yield value

env = StreamExecutionEnvironment.get_execution_environment()
text = Types.STRING()
readings = env.from_collection(["{}"], text).uid("lines").map(Reading.from_json).uid("parsed")
unique = readings.key_by(lambda r: r.key, key_type=text).process(Dedup()).uid("dedup")
warm = unique.map(lambda r: r.in_kelvin()).uid("kelvin")
warm.key_by(lambda r: r.key, key_type=text).process(Dedup()).uid("warm").print().uid("out")
env.execute()
""",
    "requirements.txt": "apache-flink==1.20.1\n",
}
KEPT = {
    "a member that a copy sets": ("273.15", "273.16"),
    "a part of a function that emits": (
        "        if self.seen.contains(bucket):\n            return\n        self.seen.put(bucket, True)\n"
        "        yield value\n",
        "        if not self.seen.contains(bucket):\n            yield from self._first(value, bucket)\n\n"
        "    def _first(self, value, bucket):\n        self.seen.put(bucket, True)\n        yield value\n",
    ),
}
LOST = {
    "a member of the key that a copy sets": ("replace(self, value", "replace(self, zone='', value"),
    "a member of the key in a class method": ('raw["zone"].strip()', 'raw["zone"]'),
    "members that change places": ('cls(raw["device"], raw["zone"].strip()', 'cls(raw["zone"].strip(), raw["device"]'),
}


def _rules(before: str, after: str) -> set[str]:
    assert before in FILES["job.py"]
    return {f["rule"] for f in findings(FILES, {**FILES, "job.py": FILES["job.py"].replace(before, after)})}


@pytest.mark.parametrize("case", KEPT)
def test_other_members_are_no_part_of_keys(case: str) -> None:
    assert not _rules(*KEPT[case])


@pytest.mark.parametrize("case", LOST)
def test_members_of_keys_count(case: str) -> None:
    assert _rules(*LOST[case])
