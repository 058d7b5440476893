"""Edits of what a PyFlink job works with beside its functions: files of values, classes that hold states, pickles."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

FILES = {
    "job.py": """import json
import os
import pickle

import yaml
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment

import settings
from helpers import Store

HERE = os.path.dirname(os.path.abspath(__file__))
with open("conf.json") as file:
    CONF = json.load(file)
RULES = yaml.safe_load(open(os.path.join(HERE, "rules.yaml")))
with open("scorer.pickle", "rb") as file:
    scorer = pickle.load(file)

def parse(line):
    raw = json.loads(line)
    return raw[CONF["key"]], raw["value"] * CONF["factor"]

class Parser:
    def __init__(self, path):
        with open(path) as handle:
            self.conf = json.load(handle)

    def pair(self, line):
        raw = json.loads(line)
        return raw[self.conf["id"]], raw["value"]

class Uses(KeyedProcessFunction):
    def open(self, context):
        self.store = Store()
        self.store.open(context)

    def process_element(self, value, ctx):
        self.store.save(value)
        yield value

env = StreamExecutionEnvironment.get_execution_environment()
pair, text = Types.TUPLE([Types.STRING(), Types.INT()]), Types.STRING()
lines = env.from_collection(["a"], type_info=text).uid("lines")
lines.map(parse, pair).uid("p").key_by(lambda r: r[0], key_type=text).process(Uses(), text).uid("a").print()
raw = lines.map(json.loads).uid("raw")
raw.key_by(lambda r: r[RULES["keys"]["main"]], key_type=text).process(Uses(), text).uid("b").print()
lines.map(Parser("parser.json").pair, pair).uid("q").key_by(lambda r: r[0], key_type=text).process(Uses(), text).uid(
    "c").print()
lines.map(lambda line: json.loads(line)[settings.read()["site"]], text).uid("s").key_by(
    lambda r: r, key_type=text).process(Uses(), text).uid("d").print()
lines.key_by(lambda r: r, key_type=text).process(scorer.function, text).uid("e").print()
env.execute(CONF["title"])
""",
    "helpers.py": """from pyflink.common import Types
from pyflink.datastream.state import ValueStateDescriptor

class Store:
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def save(self, value):
        self.last.update(value)
""",
    "scoring.py": """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

class Scored(KeyedProcessFunction):
    def open(self, context):
        self.score = context.get_state(ValueStateDescriptor("score", Types.LONG()))

    def process_element(self, value, ctx):
        self.score.update((self.score.value() or 0) + 1)
        yield value
""",
    "settings.py": """import json
from pathlib import Path

def read():
    return json.loads((Path(__file__).parent / "site.json").read_text())
""",
    "training.py": "RATE = 1\n",
    "conf.json": '{"key": "sensor", "factor": 2, "title": "job"}\n',
    "rules.yaml": "keys:\n  main: lane\n  side: road\nlimit: 3\n",
    "parser.json": '{"id": "number", "color": "red"}\n',
    "site.json": '{"site": "place", "log": "a"}\n',
    "scorer.pickle": "bytes\n",
    "requirements.txt": "apache-flink==1.20.1\n",
}
LOST = {
    "one that a selector takes": ("main: lane", "main: alley"),
    "a state of an object that was pickled": ('"score"', '"scores"'),
}  # fmt: skip
KEPT = {
    "a value of a file that is no key": ('"factor": 2', '"factor": 3'),
    "a title": ('"job"', '"another job"'),
    "a value of rules that is no key": ("limit: 3", "limit: 4"),
    "another value of an object's file": ('"red"', '"blue"'),
    "another value of a module's file": ('"log": "a"', '"log": "b"'),
    "a module that no pickle needs": ("RATE = 1", "RATE = 2"),
}  # fmt: skip


def errors(before: str, after: str) -> set[str]:
    """The rules of what is said of an edit."""
    assert any(before in text for text in FILES.values())
    edited = {path: text.replace(before, after) for path, text in FILES.items()}
    return {finding["rule"] for finding in findings(FILES, edited)}


@pytest.mark.parametrize("case", LOST)
def test_a_loss_is_no_silent_edit(case: str) -> None:
    assert errors(*LOST[case])


@pytest.mark.parametrize("case", KEPT)
def test_what_loses_nothing_is_silent(case: str) -> None:
    assert not errors(*KEPT[case])


def test_a_type_that_changes_is_said_to_be_read_by_pyflink() -> None:
    edited = {path: text.replace('"last", Types.STRING()', '"last", Types.LONG()') for path, text in FILES.items()}
    messages = [finding["message"] for finding in findings(FILES, edited) if finding["rule"] == "value-type-changed"]
    assert messages
    assert all("PyFlink reads what lies there as the new type" in message for message in messages)


CONFIGURED = {
    "job.py": """import json
import sys

import yaml
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

class Days(KeyedProcessFunction):
    def open(self, context):
        self.days = context.get_map_state(MapStateDescriptor("days", Types.STRING(), Types.LONG()))

    def process_element(self, value, ctx):
        day = self._day(ctx.timestamp())
        self.days.put(day, (self.days.get(day) or 0) + 1)
        yield value[0]

    def _day(self, timestamp):
        return str(timestamp // 86400000)

def customer(line):
    raw = json.loads(line)
    return raw["customer"], raw["amount"]

class Job:
    def __init__(self, path):
        with open(path) as file:
            self.config = yaml.safe_load(file)
        self.env = StreamExecutionEnvironment.get_execution_environment()

    def uid(self, name):
        return f"{self.config['uids']['prefix']}-{name}"

    def stage(self, stream, function, name, output_type):
        return stream.map(function, output_type).uid(self.uid(name))

    def run(self):
        pair, text = Types.TUPLE([Types.STRING(), Types.INT()]), Types.STRING()
        lines = self.env.from_collection(["a"], type_info=text).uid(self.uid("lines"))
        pairs = self.stage(lines, customer, "pairs", pair)
        pairs.key_by(lambda p: p[0], key_type=text).process(Days(), text).uid(self.uid("days")).print()
        self.env.execute("days")

Job(sys.argv[1] if len(sys.argv) > 1 else "config.yaml").run()
""",
    "config.yaml": "uids:\n  prefix: orders\n",
    "requirements.txt": "apache-flink==1.20.1\n",
}


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("prefix: orders", "prefix: sales", True),
        ("['prefix']", "['name']", True),
        ('raw["amount"]', 'raw["amount"] * 2', False),
        ('execute("days")', 'execute("all days")', False),
    ],
)
def test_a_file_that_an_argument_names_leaves_open_only_what_comes_of_it(before: str, after: str, lost: bool) -> None:
    assert any(before in text for text in CONFIGURED.values())
    edited = {path: text.replace(before, after) for path, text in CONFIGURED.items()}
    assert bool(findings(CONFIGURED, edited)) == lost


ENTRY = """from training import score

def build_parser():
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--to", default="out")
    return parser

from pyflink.datastream import StreamExecutionEnvironment

def main():
    args = CALL
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_collection([1]).key_by(lambda x: x).reduce(lambda a, b: a + b).uid(args.to)
    stream.map(score).print()
    env.execute()

main()
"""
TRAINING = """import argparse

NAMES = [name for name in ("a", "b")]

def build_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", default=1)
    return parser

def score(value):
    return value
"""


@pytest.mark.parametrize(
    ("call", "counts"), [("build_parser().parse_args()", "job.py"), ("tools.build_parser().parse_args()", "tools.py")]
)
def test_of_functions_with_one_name_only_the_called_one_counts(call: str, counts: str) -> None:
    job = "import tools\n" + ENTRY.replace("CALL", call)
    files = {"job.py": job, "training.py": TRAINING, "tools.py": TRAINING.replace("--users", "--to")}
    edits = {"job.py": ('"out"', '"others"'), "training.py": ("--users", "--clients"), "tools.py": ("=1", "=2")}
    for path, (before, after) in edits.items():
        found = findings(files, {**files, path: files[path].replace(before, after)})
        assert any(f["severity"] == "error" for f in found) == (path == counts), path
