"""Python's own selectors of keys, and what the classes of pickled objects of a PyFlink job are made with."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """from dataclasses import dataclass
from operator import attrgetter, itemgetter

from pyflink.common import Types
from pyflink.datastream import KeyedCoProcessFunction, KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

@dataclass(frozen=True)
class Ride:
    car: str
    zone: str

class Day(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, ride, ctx):
        self.last.update(Ride(ride.car, ride.zone))
        yield ride.car, 1, ride.zone

class Pricing(KeyedCoProcessFunction):
    def open(self, context):
        self.base = context.get_state(ValueStateDescriptor("base", Types.LONG()))

    def process_element1(self, day, ctx):
        yield f"{day[0]} {self.base.value()}"

    def process_element2(self, price, ctx):
        self.base.update(price[1])

env = StreamExecutionEnvironment.get_execution_environment()
text = Types.STRING()
rides = env.from_collection(["a;z"], type_info=text).uid("lines").map(lambda line: Ride(*line.split(";"))).uid("rides")
days = rides.key_by(lambda ride: ride.car, key_type=text).process(Day()).uid("day")
prices = env.from_collection([("z", 1)], type_info=Types.TUPLE([text, Types.LONG()])).uid("prices")
both = days.connect(prices).key_by(lambda s: s[0], lambda p: p[0], key_type=text)
both.process(Pricing(), output_type=text).uid("pricing").print().uid("out")
env.execute()
"""
LOST = {
    "places for members only": ("@dataclass(frozen=True)", "@dataclass(frozen=True, slots=True)"),
    "another attribute as the key": ("lambda ride: ride.car", 'attrgetter("zone")'),
    "another part as the key": ("lambda s: s[0]", "itemgetter(2)"),
}
KEPT = {
    "how objects are compared": ("@dataclass(frozen=True)", "@dataclass(frozen=True, order=True)"),
    "an attribute by its name": ("lambda ride: ride.car", 'attrgetter("car")'),
    "a part by its place": ("lambda s: s[0]", "itemgetter(0)"),
}  # fmt: skip


def rules(before: str, after: str) -> set[str]:
    """The rules of what is said of an edit."""
    assert before in JOB
    return {finding["rule"] for finding in findings({"job.py": JOB}, {"job.py": JOB.replace(before, after)})}


@pytest.mark.parametrize("case", LOST)
def test_what_is_lost_is_said(case: str) -> None:
    assert rules(*LOST[case]) & {"edit-not-understood", "type-change-to-check"}


@pytest.mark.parametrize("case", KEPT)
def test_what_is_kept_is_silent(case: str) -> None:
    assert not rules(*KEPT[case])
