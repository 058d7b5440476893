"""Edits of what a PyFlink key selector calls, methods and properties of elements included."""

import pytest

from checker.extract import python
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles

SELECTORS = ("lambda o: o.key()", "lambda o: f'{o}'", "lambda o: '%s' % o", "Labels('x').of", "keys.normal",
             "str", "lambda o: o.name.code()", "keys.shown")  # fmt: skip
SHOWN = {"1", "2", "5", "7"}
"""Those that write a whole element as a text: any class may be its class."""
FILES = {
    "job.py": """from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
import keys
from keys import Labels, Order
env = StreamExecutionEnvironment.get_execution_environment()
orders = env.from_collection(["a"], type_info=Types.STRING()).map(lambda line: Order(line))
"""
    + "".join(
        f"orders.key_by({s}, key_type=Types.STRING()).reduce(lambda a, b: b).uid('{n}')\n"
        for n, s in enumerate(SELECTORS)
    )
    + "env.execute()\n",
    "keys.py": """import re
DIGITS = re.compile("[0-9]")
class Base:
    def prefix(self):
        return "p"
    def __len__(self):
        return 1
class Order(Base):
    def __init__(self, name):
        self.name = name
    def key(self):
        return self.prefix() + self.name
    def __str__(self):
        return "s" + self.name
    def __repr__(self):
        return "r" + self.name
class Labels(Base):
    def __init__(self, label):
        self.label = label
        self.calls = 0
    def of(self, order):
        return self.label + order.name
class Given:
    def code(self):
        return "g"
class Shown:
    size: int
def shown(order: Shown):
    return f"{order}"
def normal(order):
    print("normal")
    for part in order.name:
        print(part)
    return DIGITS.sub("#", order.name)
""",
}


def _keys(files: dict[str, str]) -> dict[str, object]:
    entry = PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py", flink="1.20.1")
    read = python.extract(MemoryFiles({path: text.encode() for path, text in files.items()}), entry)
    return {str(t.uid): t.key for t in read.transformations if t.key is not None}


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ('return "p"', 'return "q"', {"0"}),
        ('"s" + self.name', 'self.name + "s"', {"1", "2", "5", "7"}),
        ('return "g"', 'return "h"', {"6"}),
        ("size: int", "width: int", SHOWN),
        ("self.label + order.name", "order.name + self.label", {"3"}),
        ("[0-9]", "[1-9]", {"4"}),
        ('"r" + self.name', 'self.name + "r"', set()),
        ("self.calls = 0", "self.calls = 1", SHOWN),
        ("self.label", "self.text", SHOWN),
        ("print(part)", "print(part, order)", set()),
        ("        return 1", "        return 2", SHOWN),
    ],
)
def test_what_a_key_depends_on(before: str, after: str, changed: set[str]) -> None:
    assert before in FILES["keys.py"]
    old, new = _keys(FILES), _keys({**FILES, "keys.py": FILES["keys.py"].replace(before, after)})
    assert len(old) == len(SELECTORS)
    assert all(isinstance(key, str) for key in old.values())
    assert {uid for uid in old if old[uid] != new[uid]} == changed
