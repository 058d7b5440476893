"""What windows of a PyFlink job reduce, and triggers that fire and purge them."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """import operator

from pyflink.common import Types
from pyflink.datastream import AggregateFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ReducingStateDescriptor
from pyflink.datastream.window import Time, Trigger, TriggerResult, TumblingEventTimeWindows

class Sums(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value[1]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a + b

class Every(Trigger):
    def __init__(self, every):
        self.every = every
        self.count = ReducingStateDescriptor("every", lambda a, b: a + b, Types.LONG())

    def on_element(self, element, timestamp, window, ctx):
        count = ctx.get_partitioned_state(self.count)
        count.add(1)
        if count.get() >= self.every:
            count.clear()
            return TriggerResult.FIRE
        return TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.FIRE if time == window.max_timestamp() else TriggerResult.CONTINUE

    def on_merge(self, window, ctx):
        ctx.merge_partitioned_state(self.count)

    def clear(self, window, ctx):
        ctx.get_partitioned_state(self.count).clear()

env = StreamExecutionEnvironment.get_execution_environment()
sale = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
sales = env.from_collection([("a", 1, 2)], type_info=sale).uid("sales")
hours = sales.key_by(lambda s: s[0], key_type=Types.STRING()).window(TumblingEventTimeWindows.of(Time.hours(1)))
totals = hours.trigger(Every(9)).reduce(lambda a, b: (a[0], a[1] + b[1], max(a[2], b[2]))).uid("totals")
totals.print().uid("out")
hours.aggregate(Sums(), accumulator_type=Types.LONG(), output_type=Types.LONG()).uid("sums").print().uid("sums-out")
env.execute()
"""
REDUCED = "lambda a, b: (a[0], a[1] + b[1], max(a[2], b[2]))"
AT_END = "return TriggerResult.FIRE if time == window.max_timestamp() else TriggerResult.CONTINUE"
COUNTED = """        count = ctx.get_partitioned_state(self.count)
        count.add(1)
        if count.get() >= self.every:
            count.clear()
            return TriggerResult.FIRE
        return TriggerResult.CONTINUE
"""
LOST = {
    "parts that trade places": (REDUCED, "lambda a, b: (a[0], max(a[2], b[2]), a[1] + b[1])"),
    "a part of the last element": (REDUCED, "lambda a, b: (a[0], a[1] + b[1], b[2])"),
    "windows that do not fire at their end": (AT_END, "return TriggerResult.CONTINUE"),
    "windows that are purged at their end": (AT_END, AT_END.replace("FIRE", "PURGE")),
    "windows that are purged when they fire": (AT_END, AT_END.replace("FIRE", "FIRE_AND_PURGE")),
}
KEPT = {
    "a function in the place of a lambda": (
        f"totals = hours.trigger(Every(9)).reduce({REDUCED})",
        "def summed(left, right):\n    shop, count, most = left\n"
        "    return shop, count + right[1], max(most, right[2])\n\n"
        "totals = hours.trigger(Every(9)).reduce(summed)",
    ),
    "the key of the last element": (REDUCED, "lambda a, b: (b[0], a[1] + b[1], max(a[2], b[2]))"),
    "a function of Python": ("lambda a, b: a + b, Types", "operator.add, Types"),
    "a condition in a statement": (
        AT_END,
        "if time != window.max_timestamp():\n            return TriggerResult.CONTINUE\n"
        "        return TriggerResult.FIRE",
    ),
    "a method that counts": (
        COUNTED,
        "        return self._counted(ctx.get_partitioned_state(self.count))\n\n    def _counted(self, count):\n"
        + COUNTED.partition("\n")[2],
    ),
}


def rules(before: str, after: str) -> set[str]:
    """The rules of what is said of an edit."""
    assert before in JOB
    return {finding["rule"] for finding in findings({"job.py": JOB}, {"job.py": JOB.replace(before, after)})}


@pytest.mark.parametrize("case", LOST)
def test_what_is_lost_is_not_understood(case: str) -> None:
    assert rules(*LOST[case]) == {"edit-not-understood"}


@pytest.mark.parametrize("case", KEPT)
def test_what_is_kept_is_silent(case: str) -> None:
    assert not rules(*KEPT[case])
