"""Objects of a script's classes lie in state as Python pickles them: by module, class and attributes."""

from __future__ import annotations

import pytest

from tests.judging import judged

FILES = {
    "job.py": """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from values import Level, Mark, Options, Pair, Seen, Session


class Keep(KeyedProcessFunction):
    def open(self, ctx):
        self.state = ctx.get_state(ValueStateDescriptor("last", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        for one in (Seen(1), Mark(1, "x"), Pair(1, 2), Level.LOW, Session()):
            self.state.update(one)
        yield value


options = Options("events")
env = StreamExecutionEnvironment.get_execution_environment()
source = env.from_collection(["a"], type_info=Types.STRING()).uid("source")
source.key_by(lambda x: x, key_type=Types.STRING()).process(Keep(), output_type=Types.STRING()).uid("keep").print()
env.execute(options.topic)
""",
    "values.py": """from collections import namedtuple
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


@dataclass
class Inner:
    at: int = 0


@dataclass
class Seen:
    at: int
    inner: Inner = None

    def age(self):
        return self.at


class Mark(NamedTuple):
    at: int
    by: str


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Session:
    def __init__(self):
        self.count = 0


@dataclass
class Options:
    topic: str
    size: int = 1


Pair = namedtuple("Pair", ["a", "b"])
""",
}


def errors(*edits: tuple[str, str]) -> set[str]:
    """The rules of what is said of edits in both files."""
    edited = dict(FILES)
    for before, after in edits:
        assert any(before in text for text in FILES.values())
        edited = {path: text.replace(before, after) for path, text in edited.items()}
    (pipeline,) = judged(FILES, edited)
    return {f["rule"] for f in pipeline["findings"] if f["severity"] == "error"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Seen", "Visit"),
        ("Inner", "Detail"),
        ("    at: int\n    inner", "    since: int\n    inner"),
        ("    at: int\n    by: str", "    by: str\n    at: int"),
        ("Mark", "Marker"),
        ("LOW = 1", "LOW = 3"),
        ("Level", "Grade"),
        ('["a", "b"]', '["a", "c"]'),
        ('["a", "b"]', '"b a"'),
        ("Pair", "Duo"),
        ("self.count = 0", "self.total = 0"),
        ("@dataclass\nclass Seen", "@dataclass(slots=True)\nclass Seen"),
    ],
)
def test_what_no_old_pickle_fits_is_no_silent_edit(before: str, after: str) -> None:
    assert errors((before, after)) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return self.at", "return self.at + 1"),
        ("    HIGH = 2", "    HIGH = 2\n    TOP = 3"),
        ("inner: Inner = None", "inner: Inner = None\n    times: int = 0"),
        ("self.count = 0", "self.count = 0\n        self.total = 0"),
        ("size: int = 1", "size: int = 2"),
        ("size", "length"),
        ('["a", "b"]', '"a b"'),
        ('["a", "b"]', '("a", "b")'),
    ],
)
def test_what_old_pickles_fit_is_silent(before: str, after: str) -> None:
    assert errors((before, after)) == set()
