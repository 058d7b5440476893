"""Members and entries of objects that functions of a PyFlink job keep: read, folded, overwritten, taken for another."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """from dataclasses import dataclass, field
from typing import NamedTuple

from pyflink.common import Row, Types
from pyflink.datastream import AggregateFunction, KeyedProcessFunction, ReduceFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import Time, TumblingEventTimeWindows

class Span(NamedTuple):
    first: int
    count: int

@dataclass
class Register:
    last: float = 0.0
    gaps: int = 0

@dataclass
class Connection:
    registers: dict = field(default_factory=dict)
    tariffs: dict = field(default_factory=dict)
    alarms: int = 0
    resets: list = field(default_factory=list)

    def register_of(self, name):
        found = self.registers.get(name)
        if found is None:
            found = Register()
            self.registers[name] = found
        return found

    def used(self, tariff, kwh):
        old = self.tariffs.get(tariff)
        self.tariffs[tariff] = kwh if old is None else old + kwh

class Consumption(KeyedProcessFunction):
    def open(self, ctx):
        self.connection = ctx.get_state(ValueStateDescriptor("connection", Types.PICKLED_BYTE_ARRAY()))
        self.span = ctx.get_state(ValueStateDescriptor("span", Types.PICKLED_BYTE_ARRAY()))
        self.pending = ctx.get_list_state(
            ListStateDescriptor("pending", Types.TUPLE([Types.STRING(), Types.DOUBLE(), Types.DOUBLE()]))
        )

    def process_element(self, value, ctx):
        ean, name, tariff, kwh = value
        connection = self.connection.value() or Connection()
        register = connection.register_of(name)
        step = kwh - register.last
        if step < 0:
            connection.alarms += 1
            connection.resets.append(ctx.timestamp())
        if step > 100:
            register.gaps += 1
        register.last = kwh
        if tariff == "feed-in":
            connection.tariffs["feed-in"] = connection.tariffs.get("feed-in", 0.0) + step
        else:
            connection.used(tariff, step)
        self.connection.update(connection)
        self.pending.add((tariff, step, kwh))
        old = self.span.value()
        if old is None:
            old = Span(ctx.timestamp(), 0)
        self.span.update(Span(old.first, old.count + 1))
        yield ean, old.count, connection.alarms, register.gaps, len(connection.resets)
        for kind, low, high in self.pending.get():
            yield kind, low, high, connection.tariffs[kind]

class Daily(AggregateFunction):
    def create_accumulator(self):
        return [0.0, 0.0, 0]

    def add(self, value, accumulator):
        if value[2] == "feed-in":
            accumulator[1] += value[3]
        else:
            accumulator[0] += value[3]
        accumulator[2] += 1
        return accumulator

    def get_result(self, accumulator):
        return tuple(accumulator)

    def merge(self, a, b):
        return [x + y for x, y in zip(a, b)]

class Sums(ReduceFunction):
    def reduce(self, a, b):
        return Row(a[0], a[1], a[2], a[3] + b[3])

row = Types.TUPLE([Types.STRING(), Types.STRING(), Types.STRING(), Types.DOUBLE()])
env = StreamExecutionEnvironment.get_execution_environment()
rows = env.from_collection([("a", "T1", "low", 1.0)], row).uid("rows")
keyed = rows.key_by(lambda r: r[0], key_type=Types.STRING())
keyed.process(Consumption(), output_type=Types.PICKLED_BYTE_ARRAY()).uid("used").print().uid("used-out")
days = keyed.window(TumblingEventTimeWindows.of(Time.days(1)))
days.aggregate(Daily(), accumulator_type=Types.PICKLED_BYTE_ARRAY()).uid("days").print().uid("days-out")
days.reduce(Sums()).uid("sums").print().uid("sums-out")
env.execute()
"""
REDUCED = "return Row(a[0], a[1], a[2], a[3] + b[3])"
SUM = "kwh if old is None else old + kwh"
USED = "            connection.used(tariff, step)\n"
FEED_IN = 'connection.tariffs["feed-in"] = connection.tariffs.get("feed-in", 0.0) + step'
APPEND = "connection.resets.append(ctx.timestamp())"
FOUND = """        found = self.registers.get(name)
        if found is None:
            found = Register()
            self.registers[name] = found
        return found
"""
SPAN = "        self.span.update(Span(old.first, old.count + 1))\n"
SLOTS = """        if value[2] == "feed-in":
            accumulator[1] += value[3]
        else:
            accumulator[0] += value[3]
        accumulator[2] += 1
        return accumulator
"""
EACH = "for kind, low, high in self.pending.get():\n            yield kind, low, high, connection.tariffs[kind]"
ADDED = "self.pending.add((tariff, step, kwh))"
LOST = {
    "an entry is overwritten": (SUM, "kwh"),
    "an entry is overwritten, and another one is not": (FEED_IN, 'connection.tariffs["feed-in"] = step'),
    "a member below a condition of another one": ("connection.alarms += 1", "connection.alarms = 1"),
    "a member of an entry": ("register.gaps += 1", "register.gaps = 1"),
    "a call that folds, beside others": (USED, "            pass\n"),
    "a list that begins anew": (APPEND, "connection.resets = [ctx.timestamp()]"),
    "a list that is emptied": (APPEND, "connection.resets.clear()"),
    "a member that is not read": ("step = kwh - register.last", "step = kwh"),
    "parts of elements that trade places": (EACH, EACH.replace("low, high in", "high, low in")),
    "parts that are written in another order": (ADDED, "self.pending.add((tariff, kwh, step))"),
    "a part of a named tuple that begins anew": (SPAN, SPAN.replace("old.count + 1", "1")),
    "parts of a named tuple in another order": (
        SPAN,
        SPAN.replace("old.first, old.count + 1", "old.count + 1, old.first"),
    ),
    "a part of a row that a class reduces": (REDUCED, REDUCED.replace("a[3] + b[3]", "b[3]")),
    "slots that trade places": (SLOTS, SLOTS.replace("[1]", "[x]").replace("[0]", "[1]").replace("[x]", "[0]")),
}
KEPT = {
    "an entry in two branches": (
        f"        self.tariffs[tariff] = {SUM}\n",
        "        if tariff in self.tariffs:\n            self.tariffs[tariff] += kwh\n        else:\n"
        "            self.tariffs[tariff] = kwh\n",
    ),
    "an entry with a default": (SUM, "(old or 0.0) + kwh"),
    "an entry by a method": (FEED_IN, 'connection.used("feed-in", step)'),
    "a method written out": (
        USED, "            sums = connection.tariffs\n            sums[tariff] = sums.get(tariff, 0.0) + step\n"
    ),
    "another amount": (USED, "            connection.used(tariff, max(step, 0.0))\n"),
    "a list with an end": (APPEND, "connection.resets = [*connection.resets, ctx.timestamp()][-10:]"),
    "an object by its default": (FOUND, "        return self.registers.setdefault(name, Register())\n"),
    "an object by a test": (
        FOUND,
        "        if name not in self.registers:\n            self.registers[name] = Register()\n"
        "        return self.registers[name]\n",
    ),
    "parts by their numbers": (
        EACH, "for e in self.pending.get():\n            yield e[0], e[1], e[2], connection.tariffs[e[0]]"
    ),
    "parts with other names": (EACH, EACH.replace("low", "step").replace("high", "total")),
    "a slot by a variable": (
        SLOTS[: SLOTS.index("        accumulator[2]")],
        '        slot = 1 if value[2] == "feed-in" else 0\n        accumulator[slot] += value[3]\n',
    ),
    "slots in variables": (
        SLOTS,
        '        used, fed, count = accumulator\n        if value[2] == "feed-in":\n            fed += value[3]\n'
        "        else:\n            used += value[3]\n        return [used, fed, count + 1]\n",
    ),
    "branches the other way round": (
        SLOTS,
        '        if value[2] != "feed-in":\n            accumulator[0] += value[3]\n        else:\n'
        "            accumulator[1] += value[3]\n        accumulator[2] += 1\n        return accumulator\n",
    ),
    "merged one by one": ("[x + y for x, y in zip(a, b)]", "[a[0] + b[0], a[1] + b[1], a[2] + b[2]]"),
    "a named tuple with another part": (SPAN, "        self.span.update(old._replace(count=old.count + 1))\n"),
    "parts of a named tuple": (
        f"{SPAN}        yield ean, old.count,",
        "        first, count = old\n        self.span.update(Span(first=first, count=count + 1))\n"
        "        yield ean, count,",
    ),
    "parts of a row in variables": (
        REDUCED, "ean, name, tariff, kwh = a\n        return Row(ean, name, tariff, kwh + b[3])"
    ),
    "an object given to a library": (USED, USED + "        metrics.report(connection)\n"),
}  # fmt: skip


def lost(before: str, after: str) -> bool:
    """Whether anything is said of an edit."""
    assert before in JOB
    return bool(findings({"job.py": JOB}, {"job.py": JOB.replace(before, after)}))


@pytest.mark.parametrize("case", LOST)
def test_members_that_are_lost(case: str) -> None:
    assert lost(*LOST[case])


@pytest.mark.parametrize("case", KEPT)
def test_members_that_are_kept(case: str) -> None:
    assert not lost(*KEPT[case])
