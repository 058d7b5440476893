"""Tuples in state part by part, Python's own selectors of keys, and what windows make before a stream is keyed."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import NamedTuple

from pyflink.common import Types
from pyflink.datastream import AggregateFunction, KeyedCoProcessFunction, KeyedProcessFunction
from pyflink.datastream import OutputTag, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import EventTimeSessionWindows, Time

HOUR = 3_600_000
HIGH = OutputTag("high", Types.STRING())

@dataclass(frozen=True)
class Ride:
    car: str
    zone: str
    fare: int
    meters: float

class Totals(NamedTuple):
    rides: int
    fares: int
    meters: float

class Day(KeyedProcessFunction):
    def open(self, context):
        long_, double = Types.LONG(), Types.DOUBLE()
        self.total = context.get_state(ValueStateDescriptor("total", Types.TUPLE([long_, long_, double])))
        self.recent = context.get_state(ValueStateDescriptor("recent", Types.PICKLED_BYTE_ARRAY()))
        self.earned = context.get_map_state(MapStateDescriptor("earned", Types.INT(), long_))

    def process_element(self, ride, ctx):
        hour = self._hour(ctx.timestamp())
        self.earned.put(hour, (self.earned.get(hour) or 0) + ride.fare)
        rides, fares, meters = self.total.value() or (0, 0, 0.0)
        rides += 1
        fares += ride.fare
        meters += ride.meters
        self.total.update((rides, fares, meters))
        recent = list(self.recent.value() or [])
        recent.append(ride.fare)
        if len(recent) > 9:
            recent = recent[-9:]
        self.recent.update(recent)
        yield f"{ride.car} {rides} {fares} {meters} {recent} {hour}"

    @staticmethod
    def _hour(millis):
        return (millis // HOUR) % 24

class Demand(AggregateFunction):
    def create_accumulator(self):
        return 0, 0.0

    def add(self, ride, accumulator):
        rides, meters = accumulator
        rides += 1
        meters += ride.meters
        return rides, meters

    def get_result(self, accumulator):
        return accumulator[0], accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]

class Surge(ProcessWindowFunction):
    def open(self, context):
        self.level = ValueStateDescriptor("level", Types.DOUBLE())

    def process(self, key, context, elements):
        rides, meters = next(iter(elements))
        state = context.global_state().get_state(self.level)
        level = 0.7 * (state.value() or 1.0) + 0.3 * meters
        state.update(level)
        if level > 9:
            yield HIGH, f"{key} {level}"
        yield key, level, rides

class Pricing(KeyedCoProcessFunction):
    def open(self, context):
        self.base = context.get_state(ValueStateDescriptor("base", Types.LONG()))

    def process_element1(self, surge, ctx):
        yield f"{surge[0]} {surge[1] * (self.base.value() or 1)}"

    def process_element2(self, price, ctx):
        self.base.update(price[1])

def parsed(line):
    car, zone, fare, meters = line.split(";")
    return Ride(car, zone, int(fare), float(meters))

def price_of(line):
    parts = line.split(",")
    return parts[0], int(parts[1])

env = StreamExecutionEnvironment.get_execution_environment()
text = Types.STRING()
rides = env.from_collection(["a;z;1;2"], type_info=text).uid("lines").map(parsed).uid("rides")
rides.key_by(lambda ride: ride.car, key_type=text).process(Day(), output_type=text).uid("day").print().uid("days")
windows = rides.key_by(lambda ride: ride.zone, key_type=text).window(EventTimeSessionWindows.with_gap(Time.hours(1)))
accumulated = Types.PICKLED_BYTE_ARRAY()
surge = windows.aggregate(
    Demand(), window_function=Surge(), accumulator_type=accumulated, output_type=accumulated
).uid("surge")
pair = Types.TUPLE([text, Types.LONG()])
prices = env.from_collection(["z,1"], type_info=text).uid("prices").map(price_of, output_type=pair).uid("priced")
both = surge.connect(prices).key_by(lambda s: s[0], lambda p: p[0], key_type=text)
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
    head = JOB.replace(before, after)
    if "def hour_of" in after:
        head = head.replace("self._hour(", "hour_of(")
    return {finding["rule"] for finding in findings({"job.py": JOB}, {"job.py": head})}


@pytest.mark.parametrize("case", LOST)
def test_what_is_lost_is_said(case: str) -> None:
    assert rules(*LOST[case]) & {"edit-not-understood", "type-change-to-check"}


@pytest.mark.parametrize("case", KEPT)
def test_what_is_kept_is_silent(case: str) -> None:
    assert not rules(*KEPT[case])
