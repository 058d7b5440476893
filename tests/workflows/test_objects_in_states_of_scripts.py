"""Objects that functions of a PyFlink job read from state and put back, and enumerations that keys are made of."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """import heapq
from dataclasses import dataclass
from enum import Enum

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import Time, TumblingEventTimeWindows

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
    price: float

class Stats:
    def __init__(self):
        self.n = 0
        self.sum = 0.0

    def push(self, price):
        self.n += 1
        self.sum += price

    def mean(self):
        return self.sum / self.n

class Watch(KeyedProcessFunction):
    def open(self, ctx):
        self.stats = ctx.get_state(ValueStateDescriptor("stats", Types.PICKLED_BYTE_ARRAY()))
        self.top = ctx.get_state(ValueStateDescriptor("top", Types.PICKLED_BYTE_ARRAY()))
        self.largest = ctx.get_state(ValueStateDescriptor("largest", Types.DOUBLE()))
        self.prices = ctx.get_map_state(MapStateDescriptor("prices", Types.STRING(), Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        stats = self.stats.value()
        if stats is None:
            stats = Stats()
        stats.push(value.price)
        self.stats.update(stats)
        top = self.top.value() or []
        heapq.heappush(top, value.price)
        self.top.update(top)
        largest = self.largest.value() or 0.0
        self.largest.update(max(largest, value.price))
        prices = self.prices.get(value.kind.value) or []
        prices.append(value.price)
        self.prices.put(value.kind.value, prices)
        yield f"{stats.mean()} {top} {largest} {prices} {value.shelf.value}"

class Visits(ProcessWindowFunction):
    def open(self, ctx):
        self.visits = ValueStateDescriptor("visits", Types.LONG())

    def process(self, key, context, elements):
        visits = context.global_state().get_state(self.visits)
        visits.update((visits.value() or 0) + 1)
        yield f"{key} {visits.value()}"

def parsed(line):
    shop, kind, shelf, price = line.split(";")
    return Item(shop, Kind(kind), Shelf(int(shelf)), float(price))

env = StreamExecutionEnvironment.get_execution_environment()
items = env.from_collection(["a;food;1;2"], type_info=Types.STRING()).uid("lines").map(parsed).uid("items")
keyed = items.key_by(lambda item: item.shop, key_type=Types.STRING())
keyed.process(Watch(), output_type=Types.STRING()).uid("watch").print().uid("watched")
hours = keyed.window(TumblingEventTimeWindows.of(Time.hours(1)))
hours.process(Visits(), output_type=Types.STRING()).uid("visits").print().uid("visited")
env.execute()
"""
PUSH = "        stats.push(value.price)\n"
HEAP = "        heapq.heappush(top, value.price)\n"
LARGEST = "self.largest.update(max(largest, value.price))"
APPEND = "        prices.append(value.price)\n"
STORE = "context.global_state().get_state(self.visits)"
LOST = {
    "an object takes nothing in": (PUSH, ""),
    "a list takes nothing in": (HEAP, ""),
    "an entry takes nothing in": (APPEND, ""),
    "a value is only put back": (LARGEST, "self.largest.update(largest)"),
}
KEPT = {
    "a condition in an expression": (
        LARGEST, "self.largest.update(largest if largest > value.price else value.price)"
    ),
    "a condition in a statement": (
        LARGEST, "if value.price > largest:\n            largest = value.price\n        self.largest.update(largest)"
    ),
    "an object that is changed in place": (PUSH, "        stats.n += 1\n        stats.sum += value.price\n"),
    "an object that a loop changes": (PUSH, "        for price in (value.price,):\n            stats.push(price)\n"),
    "an object that a library changes": (PUSH, "        stocklib.push(stats, value.price)\n"),
    "an object with another default": ("        if stats is None:\n            stats = Stats()\n",
                                       "        stats = stats or Stats()\n"),
    "an object that is changed on one way": (
        PUSH, "        if value.price >= 0:\n            stats.push(value.price)\n"
    ),
    "a list in another way": (HEAP, "        top.append(value.price)\n        heapq.heapify(top)\n"),
    "a new list": (HEAP, "        top = sorted([*top, value.price])\n"),
    "an entry in another way": (APPEND, "        prices += [value.price]\n"),
    "a state of all windows in a variable": (
        f"visits = {STORE}", "store = context.global_state()\n        visits = store.get_state(self.visits)"
    ),
}  # fmt: skip
PER_WINDOW = {
    "a state of each window": "context.window_state().get_state(self.visits)",
    "its descriptor in the call": 'context.window_state().get_state(ValueStateDescriptor("visits", Types.LONG()))',
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
        kind = value.kind.value
        self.counts.put(kind, (self.counts.get(kind) or 0) + 1)
        yield f"{kind} {value.shelf.value} {self.counts.get(kind)}"

rows = Types.TUPLE([Types.STRING(), Types.STRING(), Types.INT()])
env = StreamExecutionEnvironment.get_execution_environment()
items = env.from_collection([("a", "food", 1)], rows).uid("rows").map(lambda r: Item(r[0], Kind(r[1]), Shelf(r[2])))
keyed = items.uid("items").key_by(lambda item: item.shop, key_type=Types.STRING())
keyed.process(Counts(), output_type=Types.STRING()).uid("counts").print().uid("out")
env.execute()
"""
SELECTED = ("lambda item: item.shop", "lambda item: item.shelf.value")
MAPPED = ('.uid("items").key_by(', '.uid("items").map(lambda i: (i.shop, i.kind.value)).uid("pairs").key_by(')


@pytest.mark.parametrize(
    ("job", "before", "after", "lost"),
    [
        (COUNTS, 'TOOL = "tool"', 'TOOL = "tools"', True),
        (COUNTS, "kind.value", "kind.name", True),
        (COUNTS, 'TOOL = "tool"', 'TOOL = "tool"\n    TOY = "toy"', False),
        (COUNTS, '    FOOD = "food"\n    TOOL = "tool"', '    TOOL = "tool"\n    FOOD = "food"', False),
        (COUNTS, 'TOOL = "tool"', 'DEVICE = "tool"', False),
        (COUNTS, "HIGH = 2", "HIGH = 3", False),
        (COUNTS.replace("value.kind.value", "value.kind.name"), 'TOOL = "tool"', 'DEVICE = "tool"', True),
        (COUNTS.replace(*SELECTED), "HIGH = 2", "HIGH = 3", True),
        (COUNTS.replace(*SELECTED), "HIGH = 2", "HIGH = 2\n    TOP = 3", False),
        (COUNTS.replace(*MAPPED).replace("item.shop", "item[1]"), 'TOOL = "tool"', 'TOOL = "tools"', True),
    ],
)
def test_values_of_enumerations_that_keys_are_made_of(job: str, before: str, after: str, lost: bool) -> None:
    assert before in job
    assert bool(findings({"job.py": job}, {"job.py": job.replace(before, after)})) == lost


def test_a_function_that_is_too_large_is_undecided_though_a_helper_asks_for_its_state() -> None:
    lines = "".join(f"        x{n} = grown(x{n - 1}, lambda v: v + {n})\n" for n in range(1, 800))
    job = f"""from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

def grown(x, function):
    for a in range(3):
        for b in range(3):
            x = function(x) + a + b
    return function(x)

def total_of(ctx):
    return ctx.get_state(ValueStateDescriptor("total", Types.LONG()))

class Total(KeyedProcessFunction):
    def open(self, ctx):
        self.states = {{"total": total_of(ctx)}}

    def process_element(self, value, ctx):
        x0 = value[1]
{lines}        total = self.states["total"]
        total.update((total.value() or 0) + x799)
        yield total.value()

env = StreamExecutionEnvironment.get_execution_environment()
rows = env.from_collection([("a", 1)], Types.TUPLE([Types.STRING(), Types.LONG()])).uid("rows")
rows.key_by(lambda row: row[0], Types.STRING()).process(Total(), Types.LONG()).uid("total").print().uid("out")
env.execute()
"""
    assert findings({"job.py": job}, {"job.py": job.replace("(total.value() or 0) + x799", "x799")})


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


MEMBERS = JOB.replace(PUSH, "        stats.n += 1\n        stats.sum += value.price\n").replace(
    "        top = self.top.value() or []\n" + HEAP,
    "        top = self.top.value()\n        if top is None:\n            top = Counter()\n"
    "        top[value.shop] += value.price\n        best = [name for name, _ in top.most_common(3)]\n",
)


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("stats.sum += value.price", "stats.sum = value.price", True),
        ("top[value.shop] += value.price", "top[value.shop] = value.price", True),
        ("        top[value.shop] += value.price\n", "", True),
        ("stats.sum += value.price", "stats.sum = stats.sum + value.price * 2", False),
        ("top[value.shop] += value.price", "top[value.shop] = top.get(value.shop, 0) + value.price", False),
        ("top[value.shop] += value.price", "top.update({value.shop: value.price})", False),
        ("            top = Counter()\n", "            top = Counter()\n            top[value.shop] = 0\n", False),
    ],
)
def test_members_of_objects_that_are_set(before: str, after: str, lost: bool) -> None:
    assert before in MEMBERS
    assert bool(findings({"job.py": MEMBERS}, {"job.py": MEMBERS.replace(before, after)})) == lost
