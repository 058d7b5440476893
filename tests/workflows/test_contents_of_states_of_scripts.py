"""What functions of a PyFlink job make of the values in their states: read, kept, replaced, dropped."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """from pyflink.common import Types
from pyflink.datastream import AggregateFunction, KeyedProcessFunction, ReduceFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows, Time

from kept import Base, Log, Merge, best, merged, migrate

class Totals(Base):
    def process_element(self, value, ctx):
        old = self.total.value()
        new = migrate(old, value[1])
        self.total.update(new)
        if self.first.value() is None:
            self.first.update(value[1])
        self.log.add(ctx, value[1])
        self.largest.update(best(self.largest.value(), value[1]))
        recent = [x for x in self.recent.get() if x > 0]
        recent.append(value[1])
        self.recent.update(recent)
        self.count(value[0])
        self.grow(value[0])
        yield value[0], self.total.value(), self.first.value(), self.largest.value(), len(recent)
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 60)

    def on_timer(self, timestamp, ctx):
        yield from self.log.drained()
        yield self.counts.get("all")

class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[1], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]

env = StreamExecutionEnvironment.get_execution_environment()
pair, text = Types.TUPLE([Types.STRING(), Types.LONG()]), Types.STRING()
lines = env.from_collection([("a", 1)], type_info=pair).uid("lines")
keyed = lines.key_by(lambda v: v[0], key_type=text)
keyed.process(Totals()).uid("totals").print().uid("out")
hours = TumblingEventTimeWindows.of(Time.hours(1))
means = keyed.window(hours).aggregate(Mean(), accumulator_type=pair, output_type=Types.DOUBLE()).uid("mean")
means.print().uid("means")
keyed.window(hours).reduce(Merge()).uid("merge").print().uid("merges")
keyed.count_window(5).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("sum").print().uid("sums")
keyed.window(hours).reduce(merged).uid("hours").print().uid("hourly")
env.execute()
"""
KEPT_BY = """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, ReduceFunction
from pyflink.datastream.state import (
    ListStateDescriptor, MapStateDescriptor, ReducingStateDescriptor, ValueStateDescriptor,
)

class Profile:
    def __init__(self):
        self.seen = 0

    def grown(self, number):
        self.seen += number
        return self

class Log:
    def __init__(self, state):
        self._lines = state

    def add(self, ctx, line):
        self._lines.add(line)

    def drained(self):
        lines = list(self._lines.get())
        self._lines.clear()
        for line in lines:
            yield line

class Base(KeyedProcessFunction):
    def open(self, context):
        self.total = context.get_state(ValueStateDescriptor("total", Types.LONG()))
        self.first = context.get_state(ValueStateDescriptor("first", Types.LONG()))
        self.largest = context.get_state(ValueStateDescriptor("largest", Types.LONG()))
        self.recent = context.get_list_state(ListStateDescriptor("recent", Types.LONG()))
        self.counts = context.get_map_state(MapStateDescriptor("counts", Types.STRING(), Types.LONG()))
        self.high = context.get_reducing_state(ReducingStateDescriptor("high", max, Types.LONG()))
        self.profile = context.get_state(ValueStateDescriptor("profile", Types.PICKLED_BYTE_ARRAY()))
        self.log = Log(context.get_list_state(ListStateDescriptor("log", Types.LONG())))

    def grow(self, name):
        self.high.add(len(name))
        profile = self.profile.value() or Profile()
        self.profile.update(profile.grown(self.high.get()))

    def count(self, name):
        self.counts.put("all", (self.counts.get("all") or 0) + 1)

class Merge(ReduceFunction):
    def reduce(self, value1, value2):
        total = value1[1] + value2[1]
        return value1[0], total

def migrate(old, new):
    if old is None:
        return new
    return old + new

def best(old, new):
    return new if old is None else max(old, new)

def merged(left, right):
    return left[0], left[1] + right[1]
"""
LOST = {
    "what is merged": ("a[0] + b[0], a[1] + b[1]", "b[0], b[1]"),
    "one part of what is merged": ("a[0] + b[0], a[1] + b[1]", "a"),
    "an object is made anew": ("self.profile.value() or Profile()", "Profile()"),
    "a function of Python's own is replaced": ('"high", max', '"high", lambda a, b: b'),
    "the size of count windows": ("count_window(5)", "count_window(6)"),
    "a helper gives the new value": (
        "    if old is None:\n        return new\n    return old + new\n",
        "    return new\n",
    ),
    "a helper returns early": ("    if old is None:\n        return new\n", "    return new\n"),
    "a helper starts anew": ("    if old is None:\n", "    old = None\n    if old is None:\n"),
    "a value is read and not used": ("new = migrate(old, value[1])", "new = value[1]"),
    "a state is cleared first": (
        "        old = self.total.value()\n",
        "        self.total.clear()\n        old = self.total.value()\n",
    ),
    "what is there is cleared": (
        "        old = self.total.value()\n",
        "        if self.total.value():\n            self.total.clear()\n        old = self.total.value()\n",
    ),
    "a method returns early": (
        "        old = self.total.value()\n",
        "        yield value[0]\n        return\n        old = self.total.value()\n",
    ),
    "a write that can't run": (
        "        self.total.update(new)\n",
        "        if False:\n            self.total.update(new)\n",
    ),
    "the first value is replaced": (
        "        if self.first.value() is None:\n            self.first.update",
        "        if value[1]:\n            self.first.update",
    ),
    "a list is not taken over": ("recent = [x for x in self.recent.get() if x > 0]", "recent = []"),
    "a map is cleared with each record": (
        "        self.counts.put(",
        "        self.counts.clear()\n        self.counts.put(",
    ),
    "a holder drops what it holds": ("        self._lines.add(line)", "        self._lines.update([line])"),
    "a holder drops what it reads": ("        for line in lines:\n            yield line", "        yield len('')"),
    "an accumulator is ignored": ("accumulator[0] + value[1], accumulator[1] + 1", "value[1], 1"),
    "a result without the accumulator": ("return accumulator[0] / accumulator[1]", "return 1.0"),
    "a reduced value is ignored": ("total = value1[1] + value2[1]\n        return value1[0], total", "return value2"),
    "one by a lambda": ("lambda a, b: (a[0], a[1] + b[1])", "lambda a, b: b"),
    "one by a function": ("return left[0], left[1] + right[1]", "return right"),
}  # fmt: skip
KEPT = {
    "how accumulators are merged": ("a[0] + b[0], a[1] + b[1]", "tuple(x + y for x, y in zip(a, b))"),
    "an object is changed first": (
        "self.profile.update(profile.grown(self.high.get()))",
        "profile.grown(self.high.get())\n        self.profile.update(profile)",
    ),
    "a function of Python's own as a lambda": ('"high", max', '"high", lambda a, b: a if a > b else b'),
    "a helper is written otherwise": (
        "    if old is None:\n        return new\n    return old + new\n",
        "    return new + (old or 0)\n",
    ),
    "a helper in its place": ("migrate(old, value[1])", "value[1] if old is None else old + value[1]"),
    "a helper around a helper": ("new = migrate(old, value[1])", "new = best(old, migrate(old, value[1]))"),
    "the order of operands": ("return old + new", "return new + old"),
    "a guard": (
        "        old = self.total.value()\n",
        "        if value[1] < 0:\n            return\n        old = self.total.value()\n",
    ),
    "the old value is checked": (
        "        old = self.total.value()\n",
        "        old = self.total.value()\n"
        "        if old == 100:\n"
        "            self.total.clear()\n"
        "            return\n",
    ),
    "a condition turned": ("if self.first.value() is None:", "if not self.first.value():"),
    "a condition in a variable": (
        "        if self.first.value() is None:",
        "        first = self.first.value()\n        if first is None:",
    ),
    "max as a condition": (
        "self.largest.update(best(self.largest.value(), value[1]))",
        "largest = self.largest.value()\n"
        "        if largest is None or value[1] > largest:\n"
        "            self.largest.update(value[1])",
    ),
    "a list by a loop": (
        "recent = [x for x in self.recent.get() if x > 0]",
        "recent = []\n"
        "        for x in self.recent.get():\n"
        "            if x > 0:\n"
        "                recent.append(x)",
    ),
    "a list that is cleared and added to": (
        "        self.recent.update(recent)",
        "        self.recent.clear()\n        self.recent.add_all(recent)",
    ),
    "a method inlined": (
        "self.count(value[0])",
        "seen = self.counts.get(\"all\")\n"
        "        self.counts.put(\"all\", 1 if seen is None else seen + 1)",
    ),
    "a holder's loop": ("        for line in lines:\n            yield line", "        yield from lines"),
    "an accumulator unpacked": (
        "return accumulator[0] + value[1], accumulator[1] + 1",
        "total, count = accumulator\n        return total + value[1], count + 1",
    ),
    "a result by a function": (
        "return accumulator[0] / accumulator[1]",
        "total, count = accumulator\n        return total / max(count, 1)",
    ),
    "another reduction": ("total = value1[1] + value2[1]", "total = max(value1[1], value2[1])"),
    "another one by a lambda": ("a[1] + b[1])", "max(a[1], b[1]))"),
    "a lambda as a function": ("lambda a, b: (a[0], a[1] + b[1])", "merged"),
    "another one by a function": ("return left[0], left[1] + right[1]", "return right if right[1] > left[1] else left"),
}  # fmt: skip


def errors(before: str, after: str) -> set[str]:
    """The rules of what is said of an edit."""
    files = {"job.py": JOB, "kept.py": KEPT_BY, "requirements.txt": "apache-flink==1.20.1\n"}
    assert sum(text.count(before) for text in files.values()) == 1
    edited = {path: text.replace(before, after) for path, text in files.items()}
    return {finding["rule"] for finding in findings(files, edited)}


@pytest.mark.parametrize("case", LOST)
def test_values_that_are_lost_are_no_silent_edit(case: str) -> None:
    assert errors(*LOST[case])


@pytest.mark.parametrize("case", KEPT)
def test_values_that_are_kept_are_silent(case: str) -> None:
    assert not errors(*KEPT[case])


MANY = "def stage0(total):\n    return total + 1\n\n" + "".join(
    f"def stage{n}(total):\n    return {' + '.join([f'stage{n - 1}(total)'] * 6)}\n\n" for n in range(1, 8)
)
"""Helpers that call each other in more ways than can be followed."""
TOO_LARGE = JOB.replace("import Base,", "import Base, stage7,").replace("migrate(old, value[1])", "stage7(old)")


@pytest.mark.parametrize(
    ("before", "after", "silent"),
    [
        ("new = stage7(old)", "new = stage7(value[1])", False),
        ("self.total.update(new)", "self.total.update(value[1])", False),
        ('uid("sum")', 'uid("sum").name("sum")', True),
        ("return 0, 0", "return 0, 0  # both", True),
    ],
)
def test_functions_that_are_too_large_to_follow_are_undecided(before: str, after: str, silent: bool) -> None:
    assert TOO_LARGE.count(before) == 1
    files = {"job.py": TOO_LARGE, "kept.py": KEPT_BY + MANY, "requirements.txt": "apache-flink==1.20.1\n"}
    found = findings(files, files | {"job.py": TOO_LARGE.replace(before, after)})
    assert {finding["rule"] for finding in found} == (set() if silent else {"edit-not-understood"})
    assert silent or "too large" in found[0]["message"]
