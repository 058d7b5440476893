"""Edits of window functions with states of their own."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

from checker.cli import run
from tests.scratch import Scratch

JOB = """from pyflink.common import Row, Time, Types
from pyflink.datastream import AggregateFunction, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import TimeWindow, TumblingEventTimeWindows

class Visit(AggregateFunction):
    def create_accumulator(self):
        return 0, 0.0

    def add(self, value, accumulator):
        return accumulator[0] + 1, accumulator[1] + value.seconds

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]

class Named(ProcessWindowFunction[tuple, str, str, TimeWindow]):
    def open(self, ctx):
        self.visits = ValueStateDescriptor("visits", Types.INT())

    def process(self, key, context, elements):
        visits = context.global_state().get_state(self.visits)
        number = (visits.value() or 0) + 1
        visits.update(number)
        for count, seconds in elements:
            yield f"{key} {number} {count} {seconds}"

env = StreamExecutionEnvironment.get_execution_environment()
lines = env.from_collection(["a,b,1.5,7"], Types.STRING()).uid("lines")

def click(line):
    user, page, seconds, at = line.split(",")
    return Row(user=user, page=page, seconds=float(seconds), at=int(at))

clicks = lines.map(click).uid("clicks")
keyed = clicks.key_by(lambda c: c.user, Types.STRING())
keyed.window(TumblingEventTimeWindows.of(Time.hours(1))).aggregate(
    Visit(), window_function=Named(), accumulator_type=Types.TUPLE([Types.INT(), Types.DOUBLE()]),
    output_type=Types.STRING()).uid("visits").print().uid("visits-out")
env.execute()
"""


def test_a_state_that_pyflink_names_anew_is_said_and_blocks_nothing(tmp_path: Path) -> None:
    job = (
        JOB[: JOB.index("keyed.window(")]
        + "keyed.reduce(lambda a, b: b).uid('sum').print().uid('out')\nenv.execute()\n"
    )
    scratch = Scratch(tmp_path / "repo")
    for text in (job, job.replace("uid('out')", "uid('out').name('sums')")):
        scratch.commit(**{"requirements.txt": "apache-flink==1.20.1\n", "job.py": text})
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"]) == 0
    found = [f for p in json.loads(out.getvalue())["pipelines"] for f in p["findings"]]
    assert [(f["rule"], f["severity"]) for f in found] == [("uid-not-deterministic", "info")]
