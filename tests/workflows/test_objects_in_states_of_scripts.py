"""States of windows of a PyFlink job, enumerations that its keys are made of, and the name of its project."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """from pyflink.common import Types
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import Time, TumblingEventTimeWindows

class Visits(ProcessWindowFunction):
    def open(self, ctx):
        self.visits = ValueStateDescriptor("visits", Types.LONG())

    def process(self, key, context, elements):
        visits = context.global_state().get_state(self.visits)
        visits.update((visits.value() or 0) + 1)
        yield f"{key} {visits.value()}"

env = StreamExecutionEnvironment.get_execution_environment()
items = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
keyed = items.key_by(lambda item: item, key_type=Types.STRING())
hours = keyed.window(TumblingEventTimeWindows.of(Time.hours(1)))
hours.process(Visits(), output_type=Types.STRING()).uid("visits").print().uid("visited")
env.execute()
"""
STORE = "context.global_state().get_state(self.visits)"
PER_WINDOW = {
    "a state of each window": "context.window_state().get_state(self.visits)",
    "its descriptor in the call": 'context.window_state().get_state(ValueStateDescriptor("visits", Types.LONG()))',
}


def rules(before: str, after: str) -> set[str]:
    """The rules of what is said of an edit."""
    assert before in JOB
    return {finding["rule"] for finding in findings({"job.py": JOB}, {"job.py": JOB.replace(before, after)})}


@pytest.mark.parametrize("case", PER_WINDOW)
def test_a_state_of_all_windows_is_none_of_each(case: str) -> None:
    """PyFlink 1.20.5 ends with Flink's ``StateMigrationException``: it names both namespace serializers."""
    assert rules(STORE, PER_WINDOW[case]) == {"value-type-changed"}


COUNTS = """from dataclasses import dataclass
from enum import Enum

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

class Kind(Enum):
    FOOD = "food"
    TOOL = "tool"

class Shelf(Enum):
    LOW = 1
    HIGH = 2

@dataclass
class Item:
    shop: str
    kind: Kind
    shelf: Shelf

class Counts(KeyedProcessFunction):
    def open(self, ctx):
        self.counts = ctx.get_map_state(MapStateDescriptor("counts", Types.STRING(), Types.LONG()))

    def process_element(self, value, ctx):
        yield f"{value.kind.value} {value.shelf.value}"

rows = Types.TUPLE([Types.STRING(), Types.STRING(), Types.INT()])
env = StreamExecutionEnvironment.get_execution_environment()
items = env.from_collection([("a", "food", 1)], rows).uid("rows").map(lambda r: Item(r[0], Kind(r[1]), Shelf(r[2])))
keyed = items.uid("items").key_by(lambda item: item.shop, key_type=Types.STRING())
keyed.process(Counts(), output_type=Types.STRING()).uid("counts").print().uid("out")
env.execute()
"""
SELECTED = ("lambda item: item.shop", "lambda item: item.shelf.value")


@pytest.mark.parametrize(
    ("job", "before", "after", "lost"),
    [
        (COUNTS, "HIGH = 2", "HIGH = 3", False),
        (COUNTS.replace(*SELECTED), "HIGH = 2", "HIGH = 3", True),
        (COUNTS.replace(*SELECTED), "HIGH = 2", "HIGH = 2\n    TOP = 3", False),
    ],
)
def test_values_of_enumerations_that_keys_are_made_of(job: str, before: str, after: str, lost: bool) -> None:
    assert before in job
    assert bool(findings({"job.py": job}, {"job.py": job.replace(before, after)})) == lost


PROJECT = """[tool.poetry]
name = "flink-orders"
description = "A job of Flink"

[tool.poetry.dependencies]
apache-flink = "^1.20"

[tool.poetry.scripts]
orders-flink = "job:main"
"""


@pytest.mark.parametrize(
    ("before", "after", "undecided"),
    [
        ('"flink-orders"', '"flink-order-jobs"', False),
        ("A job of Flink", "Jobs of Flink", False),
        ("orders-flink =", "flink-orders =", False),
        ('"^1.20"', '"^1.18"', True),
    ],
)
def test_the_name_of_a_project_is_no_version(before: str, after: str, undecided: bool) -> None:
    files = {"job.py": JOB, "pyproject.toml": PROJECT}
    found = findings(files, {**files, "pyproject.toml": PROJECT.replace(before, after)})
    assert bool(found) == undecided
