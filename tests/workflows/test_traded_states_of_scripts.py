"""PyFlink: two states of one function that trade the attributes they are kept in are read as each other."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

SCRIPT = """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

class Account(KeyedProcessFunction):
    def open(self, context):
        self.paid = self.counter(context, "paid")
        self.owed = self.counter(context, "owed")
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))
        self.days = {d: context.get_state(ValueStateDescriptor(d, Types.LONG())) for d in ("today", "before")}

    def counter(self, context, name):
        return context.get_state(ValueStateDescriptor(name, Types.LONG()))

    def process_element(self, value, ctx):
        self.paid.update((self.paid.value() or 0) + 1)
        yield f"{self.paid.value()} {self.owed.value()} {self.last.value()} {self.days}"

def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    text = Types.STRING()
    env.from_collection(["a"], type_info=text).uid("lines").key_by(lambda x: x, key_type=text).process(
        Account(), text).uid("account").print().uid("out")
    env.execute()

main()
"""


def rules(*edits: tuple[str, str]) -> set[str]:
    """What is said of some edits, one after the other."""
    head = SCRIPT
    for before, after in edits:
        assert before in head
        head = head.replace(before, after)
    return {finding["rule"] for finding in findings({"job.py": SCRIPT}, {"job.py": head})}


@pytest.mark.parametrize(
    "edits",
    [
        (('"paid")', '"?")'), ('"owed")', '"paid")'), ('"?")', '"owed")')),
        (("self.paid = ", "self.new = "), ("self.owed = ", "self.paid = "), ("self.new = ", "self.owed = ")),
        (("for d in (", "for d, n in (("), ('"today", "before")', '"today", "before"), ("before", "today"))'),
         ("ValueStateDescriptor(d,", "ValueStateDescriptor(n,")),
    ],
)  # fmt: skip
def test_states_that_trade_attributes_are_read_as_each_other(edits: tuple[tuple[str, str], ...]) -> None:
    assert rules(*edits) == {"states-traded"}


@pytest.mark.parametrize(
    "edits",
    [
        (("self.paid", "self.settled"),),
        (("self.paid", "self.settled"), ("self.owed", "self.paid")),
        (('self.paid = self.counter(context, "paid")\n        ', ""),
         ("self.last = ", 'self.paid = self.counter(context, "paid")\n        self.last = ')),
        (("self.last", "self.latest"),),
    ],
)  # fmt: skip
def test_other_names_of_attributes_are_silent(edits: tuple[tuple[str, str], ...]) -> None:
    assert not rules(*edits)
