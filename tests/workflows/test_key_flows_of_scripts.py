"""Edits of a script's functions before ``key_by`` that compute what keys are made of, and edits that don't."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

PARSING = """import json

from pyflink.common import Row
from pyflink.datastream import FlatMapFunction


def normal(text):
    return text.strip()


def parse(line):
    raw = json.loads(line)
    sensor = raw["sensor"]
    return Row(normal(sensor), raw["site"], float(raw["value"]))


class Split(FlatMapFunction):
    def flat_map(self, value):
        for word in value.split(","):
            yield word.lower(), len(word)
"""
JOB = """from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

from parsing import Split, parse

READING = Types.ROW_NAMED(["sensor", "site", "value"], [Types.STRING(), Types.STRING(), Types.DOUBLE()])


class Last(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.DOUBLE()))

    def process_element(self, value, ctx):
        self.last.update(value[2])
        yield f"{value[0]}: {value[2]}"


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    lines = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
    readings = lines.map(parse, output_type=READING).uid("parse")
    readings.key_by(lambda r: r[0], key_type=Types.STRING()).process(Last(), output_type=Types.STRING()).uid(
        "last").print().uid("out")
    pairs = lines.flat_map(Split(), output_type=Types.TUPLE([Types.STRING(), Types.INT()])).uid("split")
    doubled = pairs.map(lambda p: (p[0], p[1] * 2), output_type=Types.TUPLE([Types.STRING(), Types.INT()])).uid("twice")
    doubled.key_by(lambda p: p[0], key_type=Types.STRING()).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("sum").print()
    env.execute("readings")


if __name__ == "__main__":
    main()
"""
FILES = {"job.py": JOB, "parsing.py": PARSING, "requirements.txt": "apache-flink==1.20.1\n"}


def errors(tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str) -> set[str]:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**FILES)
    assert before in FILES[path]
    scratch.commit(**{path: FILES[path].replace(before, after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] in ("error", "warning")}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("parsing.py", 'raw["sensor"]', 'raw["sensor"].upper()'),
        ("parsing.py", "text.strip()", "text.strip().lower()"),
        ("parsing.py", 'Row(normal(sensor), raw["site"]', 'Row(raw["site"], normal(sensor)'),
        ("parsing.py", "word.lower()", "word"),
        ("parsing.py", 'split(",")', 'split(";")'),
        ("job.py", "(p[0], p[1] * 2)", "(p[0] + '!', p[1] * 2)"),
    ],
)
def test_a_function_that_computes_keys_otherwise_is_no_silent_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str
) -> None:
    assert errors(tmp_path, capsys, path, before, after) == {"edit-not-understood"}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("parsing.py", 'float(raw["value"])', 'float(raw["value"]) * 10'),
        ("parsing.py", '    sensor = raw["sensor"]\n    return Row(normal(sensor)',
         '    name = raw["sensor"]\n    return Row(normal(name)'),
        ("parsing.py", "len(word)", "len(word) + 1"),
        ("parsing.py", "            yield word.lower(), len(word)",
         "            lower = word.lower()\n            yield lower, len(word)"),
        ("job.py", 'f"{value[0]}: {value[2]}"', 'f"{value[0]} = {value[2]}"'),
        ("job.py", "p[1] * 2", "p[1] * 3"),
        ("job.py", "lambda p: (p[0], p[1] * 2)", "lambda pair: (pair[0], pair[1] * 2)"),
    ],
)  # fmt: skip
def test_what_no_key_is_made_of_may_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str
) -> None:
    assert not errors(tmp_path, capsys, path, before, after)


MEAN = """from pyflink.datastream import AggregateFunction


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[1], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / max(accumulator[1], 1)

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]
"""
AGGREGATED = JOB.replace(
    "from parsing import Split, parse",
    "from pyflink.datastream.window import CountWindow\nfrom mean import Mean\nfrom parsing import Split, parse",
).replace(
    '.reduce(lambda a, b: (a[0], a[1] + b[1])).uid("sum")',
    ".count_window(3).aggregate(Mean(), accumulator_type=Types.TUPLE([Types.INT(), Types.INT()]), "
    'output_type=Types.DOUBLE()).uid("mean")',
)


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("return accumulator[0] + 1, accumulator[1] + value[1]", {"edit-not-understood"}),
        ("return accumulator[0] + value[1] * 2, accumulator[1] + 1", set()),
    ],
)
def test_slots_of_an_accumulator_that_change_places_are_no_silent_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], after: str, found: set[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{**FILES, "job.py": AGGREGATED, "mean.py": MEAN})
    scratch.commit(**{"mean.py": MEAN.replace("return accumulator[0] + value[1], accumulator[1] + 1", after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"} == found


PARTS = """import json

from pyflink.datastream import MapFunction

import names

SITE = "north"


class Read(MapFunction):
    limit = 9

    def __init__(self, width: int = 5, factor: float = 1.0):
        self.width = width
        self.factor = factor

    def open(self, runtime_context):
        self.prefix = "s-"
        self.bad = runtime_context.get_metrics_group().counter("bad")

    def map(self, value):
        raw = json.loads(value)
        return (self.prefix + cut(raw["sensor"])[: self.width][: self.limit] + SITE + names.TAIL,
                float(raw["value"]) * self.factor)


def cut(text, begin=0, strict=False):
    if strict:
        print(text)
    return text[begin:]


def by_length(length):
    def made(pair):
        return (pair[0][:length], pair[1])

    return made
"""
BUILT = JOB.replace("from parsing import Split, parse", "from parts import Read, by_length")
BUILT = (
    BUILT[: BUILT.index("def main")]
    + """def build(env, width, scale=1):
    end = "!"

    def scaled(pair):
        return (pair[0] + end, pair[1] * scale)

    typed = Types.TUPLE([Types.STRING(), Types.DOUBLE()])
    lines = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
    pairs = lines.map(Read(width), output_type=typed).uid("read").map(scaled, output_type=typed).uid("scaled")
    short = pairs.map(by_length(8), output_type=typed).uid("short")
    short.key_by(lambda p: p[0], key_type=Types.STRING()).process(Last(), output_type=Types.STRING()).uid(
        "last").print().uid("out")


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    build(env, 6)
    env.execute("readings")


if __name__ == "__main__":
    main()
"""
)
PARTED = {
    "job.py": BUILT, "parts.py": PARTS, "names.py": 'TAIL = "x"\n', "requirements.txt": "apache-flink==1.20.1\n"
}  # fmt: skip


@pytest.mark.parametrize(
    ("edits", "found"),
    [
        ([("job.py", "Read(width)", "Read()")], True),
        ([("job.py", "build(env, 6)", "build(env, 7)")], True),
        ([("job.py", "pair[0] + end", "pair[0]")], True),
        ([("job.py", 'end = "!"', 'end = "?"')], True),
        ([("job.py", "by_length(8)", "by_length(9)")], True),
        ([("parts.py", 'self.prefix = "s-"', 'self.prefix = ""')], True),
        ([("parts.py", "self.width = width", "self.width = width + 1")], True),
        ([("parts.py", "limit = 9", "limit = 8")], True),
        ([("parts.py", 'SITE = "north"', 'SITE = "south"')], True),
        ([("parts.py", "begin=0", "begin=1")], True),
        ([("names.py", '"x"', '"y"')], True),
        ([("parts.py", "width: int = 5", "width: int = 4")], False),
        ([("parts.py", "factor: float = 1.0", "factor: float = 2.0")], False),
        ([("parts.py", 'counter("bad")', 'counter("broken")')], False),
        ([("job.py", "scale=1", "scale=2")], False),
        ([("job.py", "build(env, 6)", "build(env, 6, 3)")], False),
        ([("job.py", "build(env, 6)", "wide = 6\n    build(env, wide)")], False),
        ([("job.py", "def build(env, width, ", "def build(env, size, "),
          ("job.py", "Read(width)", "Read(size)")], False),
        ([("job.py", "Read(width)", "Read(width=width, factor=3.0)")], False),
        ([("parts.py", '        self.prefix = "s-"\n', ""),
          ("parts.py", "self.factor = factor", 'self.factor = factor\n        self.prefix = "s-"')], False),
    ],
)  # fmt: skip
def test_what_keys_are_made_of_is_followed_through_attributes_closures_and_constants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edits: list[tuple[str, str, str]], found: bool
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**PARTED)
    files = dict(PARTED)
    for path, before, after in edits:
        assert before in files[path]
        files[path] = files[path].replace(before, after)
    scratch.commit(**files)
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] in ("error", "warning")} == (
        {"edit-not-understood"} if found else set()
    )


LETTERS = "abcdefghij"
LOOPING = PARSING.replace(
    "    return text.strip()",
    "\n".join(
        [
            f"    {' = '.join(LETTERS)} = text",
            "    while len(a) < 9:",
            *(f"        {part} = {' + '.join(LETTERS.replace(part, ''))}" for part in LETTERS),
            "    return a",
        ]
    ),
)


def test_expressions_too_large_to_write_out_are_compared_by_all_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{**FILES, "parsing.py": LOOPING})
    assert "a = b + c" in LOOPING
    scratch.commit(**{"parsing.py": LOOPING.replace("a = b + c", "a = c + b")})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    errors = {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}
    assert errors == {"edit-not-understood"}
