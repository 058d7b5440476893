"""Edits of windows, times-to-live, keys and pickled objects of a PyFlink job."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

FILES = {
    "job.py": """import argparse
from functools import partial

from pyflink.common import Time, Types
from pyflink.datastream import FlatMapFunction, KeySelector, MapFunction, ProcessWindowFunction
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows

from states import Keep
from steps import EveryN, KeyOf, cut, normal

class Size(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key

class Same(MapFunction):
    def map(self, value):
        return value

class Parts(FlatMapFunction):
    def flat_map(self, value):
        yield value

class ByName(KeySelector):
    def __init__(self, width):
        self.width = width
        self.color = "red"

    def get_key(self, value):
        return self.name(value)[:self.width]

    def name(self, value):
        return value.strip()

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=7)
    args = parser.parse_args()
    env = StreamExecutionEnvironment.get_execution_environment()
    text = Types.STRING()
    lines = env.from_collection(["a"], type_info=text).uid("lines")
    same = lines.map(Same(), text).uid("same").flat_map(Parts(), text).uid("parts")
    gap = EventTimeSessionWindows.with_gap(Time.minutes(5))
    same.key_by(normal, key_type=text).window(gap).process(Size(), text).uid("sessions").print()
    hours = TumblingEventTimeWindows.of(Time.hours(1))
    same.key_by(lambda v: cut(v, 7), key_type=text).window(hours).trigger(EveryN(3)).process(Size(), text).uid(
        "hours").print()
    lines.key_by(partial(cut, length=1), key_type=text).process(Keep(args.days), text).uid("cuts").print()
    lines.key_by(lambda v: KeyOf(v)).process(Keep(args.days), text).uid("objects").print()
    lines.key_by(ByName(3), key_type=text).process(Keep(args.days), text).uid("names").print()
    env.execute()

main()
""",
    "states.py": """from pyflink.common import Duration, Time, Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import MapStateDescriptor, StateTtlConfig, ValueStateDescriptor

from steps import Part, Seen

RETENTION = Time.days(30)

def expiring(descriptor, length):
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(length).build())
    return descriptor

class Keep(KeyedProcessFunction):
    def __init__(self, days):
        self.days = days
        self.first = ValueStateDescriptor("first", Types.STRING())

    def open(self, context):
        long = Types.LONG()
        self.a = context.get_state(expiring(ValueStateDescriptor("a", long), Time.days(self.days)))
        self.b = context.get_state(expiring(ValueStateDescriptor("b", long), Time.days(days=3)))
        self.c = context.get_state(expiring(ValueStateDescriptor("c", long), RETENTION))
        builder = StateTtlConfig.new_builder(Duration.of_hours(4))
        builder.set_ttl(Duration.of_hours(6))
        built = ValueStateDescriptor("d", long)
        built.enable_time_to_live(builder.build())
        self.d = context.get_state(built)
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY()))
        self.by_part = context.get_map_state(MapStateDescriptor("parts", Types.PICKLED_BYTE_ARRAY(), long))

    def process_element(self, value, ctx):
        self.seen.update(Seen(value))
        self.by_part.put(Part(value), 1)
        yield value
""",
    "steps.py": """from pyflink.common import Types
from pyflink.datastream.state import ReducingStateDescriptor
from pyflink.datastream.window import Trigger, TriggerResult

def normal(text):
    return text.strip().lower()

def cut(text, length):
    return text[:length]

class EveryN(Trigger):
    def __init__(self, n):
        self.n = n
        self.count = ReducingStateDescriptor("seen", lambda a, b: a + b, Types.LONG())

    def on_element(self, element, timestamp, window, ctx):
        count = ctx.get_partitioned_state(self.count)
        count.add(1)
        return TriggerResult.FIRE if count.get() % self.n == 0 else TriggerResult.CONTINUE

    def clear(self, window, ctx):
        ctx.get_partitioned_state(self.count).clear()

class Base:
    pass

class Seen(Base):
    def __init__(self, at):
        self.at = at

class Part:
    __slots__ = ("name", "size")

    def __init__(self, name):
        self.name = name
        self.size = len(name)

class KeyOf:
    '''A key.'''

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)
""",
    "requirements.txt": "apache-flink==1.20.1\n",
}
LOST = {
    "windows that merge": (
        "EventTimeSessionWindows.with_gap(Time.minutes(5))",
        "TumblingEventTimeWindows.of(Time.minutes(5))",
    ),
    "a trigger with state": (".trigger(EveryN(3))", ""),
    "the name of a trigger's state": ('"seen", lambda', '"every", lambda'),
    "slots where old pickles have a dictionary": ("class Seen(Base):", "class Seen(Base):\n    __slots__ = ('at',)\n"),
    "a slot less": ('__slots__ = ("name", "size")', '__slots__ = ("name",)'),
    "what a key holds": (
        "'''\n\n    def __init__(self, name):\n        self.name = name\n",
        "'''\n\n    def __init__(self, name):\n        self.name = name.lower()\n",
    ),
    "another selector than partial gave": ("partial(cut, length=1)", "lambda v: cut(v, 2)"),
    "a slice in a selector": ("lambda v: cut(v, 7)", "lambda v: v[:8]"),
    "a method that a selector calls": ("return value.strip()", "return value.lower()"),
    "what a selector is made with": ("ByName(3)", "ByName(4)"),
    "a function of another class": (".map(Same(), text)", ".map(Parts(), text)"),
    "a function of a class that maps": ("flat_map(Parts(), text)", "flat_map(Same(), text)"),
}  # fmt: skip
EARLIER = {
    "the default of an argument": ("default=7", "default=3"),
    "a length by its name": ("days=3", "days=2"),
    "a length in a constant": ("Time.days(30)", "Time.days(20)"),
    "a builder in several statements": (
        "builder.set_ttl(Duration.of_hours(6))",
        "builder.set_ttl(Duration.of_hours(5))",
    ),
    "a length that a function computes": ("Time.days(self.days)", "Time.hours(self.days)"),
}  # fmt: skip
KEPT = {
    "a longer time": ("Time.days(30)", "Time.days(31)"),
    "the gap of sessions": ("minutes(5)", "minutes(6)"),
    "a trigger's number": ("EveryN(3)", "EveryN(4)"),
    "slots as a list, in another order": ('("name", "size")', '["size", "name"]'),
    "slots that are gone": ('    __slots__ = ("name", "size")\n', ""),
    "a selector by partial as a lambda": ("partial(cut, length=1)", "lambda v: cut(v, 1)"),
    "a lambda as partial": ("lambda v: cut(v, 7)", "partial(cut, length=7)"),
    "a selector without its helper": ("lambda v: cut(v, 7)", "lambda v: v[:7]"),
    "a selector's local variable": ("return text.strip().lower()", "plain = text.strip()\n    return plain.lower()"),
    "a function as a lambda": ("key_by(normal,", "key_by(lambda text: text.strip().lower(),"),
    "how keys are compared": ("return self.name == other.name", "return other.name == self.name"),
    "a docstring of a key": ("A key.", "The key."),
    "what no selector reads": ('"red"', '"blue"'),
}  # fmt: skip


def rules(before: str, after: str, severity: str) -> set[str]:
    """The rules of the findings of one severity after an edit."""
    assert any(before in text for text in FILES.values())
    edited = {path: text.replace(before, after) for path, text in FILES.items()}
    return {finding["rule"] for finding in findings(FILES, edited) if finding["severity"] == severity}


@pytest.mark.parametrize("case", LOST)
def test_a_loss_is_an_error(case: str) -> None:
    assert rules(*LOST[case], "error")


@pytest.mark.parametrize("case", EARLIER)
def test_values_that_expire_earlier_are_named(case: str) -> None:
    assert rules(*EARLIER[case], "warning") == {"state-expires-earlier"}
    assert not rules(*EARLIER[case], "error")


@pytest.mark.parametrize("case", KEPT)
def test_code_that_means_the_same_is_silent(case: str) -> None:
    assert not rules(*KEPT[case], "error")
    assert not rules(*KEPT[case], "warning")
