"""Edits of functions whose operators could not be read: what they lose is not passed for want of an operator."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """from pathlib import Path

from mystery import build
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

class Largest(KeyedProcessFunction):
    def open(self, ctx):
        self.largest = ctx.get_state(ValueStateDescriptor("largest", Types.LONG()))

    def process_element(self, value, ctx):
        if value[1] > (self.largest.value() or 0):
            self.largest.update(value[1])
            yield value

env = StreamExecutionEnvironment.get_execution_environment()
for name in Path(__file__).with_name("names.txt").read_text().split():
    pairs = env.from_collection([("a", 1)], Types.TUPLE([Types.STRING(), Types.LONG()])).uid(f"{name}-pairs")
    largest = pairs.key_by(lambda v: v[0], Types.STRING()).process(Largest()).uid(name)
    largest.print().uid(f"{name}-out")
env.execute()
"""
FILES = {"job.py": JOB, "names.txt": "largest\n", "requirements.txt": "apache-flink==1.20.1\n"}
OPEN = {**FILES, "job.py": JOB.replace('Path(__file__).with_name("names.txt").read_text().split()', "build()")}


@pytest.mark.parametrize("files", [FILES, OPEN], ids=["read", "open"])
def test_the_same_in_other_words(files: dict[str, str]) -> None:
    edited = files["job.py"].replace("(self.largest.value() or 0):", "(self.largest.value() or 1):")
    assert "edit-not-understood" not in {finding["rule"] for finding in findings(files, {**files, "job.py": edited})}


def test_files_beside_a_script_are_read() -> None:
    renamed = findings(FILES, {**FILES, "names.txt": "smallest\n"})
    assert {finding["rule"] for finding in renamed} & {"uid-removed", "uid-renamed", "state-not-restored"}
