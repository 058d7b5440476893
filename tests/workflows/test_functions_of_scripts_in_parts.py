"""Functions of PyFlink whose code is spread: base classes, mixins, helpers that open states."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

FILES = {
    "job.py": """from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from parts.alerts import Alerts

def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    pair, text = Types.TUPLE([Types.STRING(), Types.LONG()]), Types.STRING()
    lines = env.from_collection([("a", 1)], type_info=pair).uid("lines")
    lines.key_by(lambda v: v[0], key_type=text).process(Alerts(), text).uid("alerts").print().uid("out")
    env.execute()

main()
""",
    "parts/__init__.py": "",
    "parts/base.py": """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

class Timing:
    DELAY = 60

    def schedule(self, ctx):
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + self.DELAY)

class Root(KeyedProcessFunction):
    STATE = "total"

    def open(self, context):
        self.total = context.get_state(ValueStateDescriptor(self.STATE, Types.LONG()))

class Base(Root):
    def open(self, context):
        super().open(context)
        self.places = context.get_map_state(MapStateDescriptor("places", Types.STRING(), Types.LONG()))

    def sum_up(self, value):
        total = (self.total.value() or 0) + value[1]
        self.total.update(total)
        return total
""",
    "parts/alerts.py": """from pyflink.common import Types
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor
from parts.base import Base, Timing

class Alerts(Timing, Base):
    EXTRA = True

    def open(self, context):
        super().open(context)
        self._open_waiting(context)
        if self.EXTRA:
            self.last = context.get_state(ValueStateDescriptor("last", Types.LONG()))

    def _open_waiting(self, context):
        self.waiting = context.get_list_state(ListStateDescriptor("waiting", Types.LONG()))

    def process_element(self, value, ctx):
        self.places.put(value[0], value[1])
        self.waiting.add(value[1])
        self.last.update(value[1])
        yield f"{value[0]} {self.sum_up(value)}"
        self.schedule(ctx)
""",
    "requirements.txt": "apache-flink==1.20.1\n",
}
ALERTS, BASE = "parts/alerts.py", "parts/base.py"
LOST = {
    "super classes no longer open their states": (ALERTS, "        super().open(context)\n", ""),
    "nor those above them": (BASE, "        super().open(context)\n", ""),
    "a helper that opens a state is not called": (ALERTS, "        self._open_waiting(context)\n", ""),
    "under another condition": (ALERTS, "if self.EXTRA:", "if self.EXTRA and self.DELAY > 60:"),
    "under the opposite": (ALERTS, "if self.EXTRA:", "if not self.EXTRA:"),
    "a name in the root": (BASE, 'STATE = "total"', 'STATE = "sum"'),
}  # fmt: skip
KEPT = {
    "super with names": (ALERTS, "super().open(context)", "super(Alerts, self).open(context)"),
    "a helper's states by the method itself": (ALERTS, "self._open_waiting(context)",
        'self.waiting = context.get_list_state(ListStateDescriptor("waiting", Types.LONG()))'),
    "a condition's other spelling": (ALERTS, "if self.EXTRA:", "if not not self.EXTRA:"),
    "behind a guard that lets it pass": (ALERTS, "        self._open_w",
        "        if self.DELAY < 1:\n            return\n        self._open_w"),
    "a state of a helper's name": (ALERTS, "_open_waiting", "_waiting_state"),
}  # fmt: skip


def _rules(file: str, before: str, after: str) -> set[str]:
    assert before in FILES[file]
    return {f["rule"] for f in findings(FILES, {**FILES, file: FILES[file].replace(before, after)})}


@pytest.mark.parametrize("case", LOST)
def test_a_loss_in_any_part_is_no_silent_edit(case: str) -> None:
    assert _rules(*LOST[case])


@pytest.mark.parametrize("case", KEPT)
def test_edits_that_lose_nothing_are_silent(case: str) -> None:
    assert _rules(*KEPT[case]) == set()
