"""Edits of a PyFlink job that change no state, no key and no value, however the code is written."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

FILES = {
    "job.py": """import argparse
import json
from pyflink.common import Time, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, StateTtlConfig, ValueStateDescriptor
from keys import Reading, Site

class Count(KeyedProcessFunction):
    def open(self, context):
        length = Time.milliseconds(int(Time.days(2).to_milliseconds()))
        descriptor = ValueStateDescriptor("count", Types.LONG())
        descriptor.enable_time_to_live(StateTtlConfig.new_builder(length).build())
        self.count = context.get_state(descriptor)
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield f"{value} {self.last.value()}"
        self.last.update(value)

def stage(stream, function, name):
    return stream.map(function, Types.STRING()).uid(name)

def of_tenant(line):
    return "tenant" + ":" + line

def parsed(line):
    raw = json.loads(line)
    return Reading(raw["name"].strip(), raw.get("place", "here"), int(raw["size"]))

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="conf/prod.json")
    args = parser.parse_args()
    with open(args.config) as file:
        conf = json.load(file)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(conf["parallelism"])
    text = Types.STRING()
    lines = stage(env.from_collection(["a"], type_info=text).uid("lines"), lambda line: line.strip(), "stripped")
    lines.key_by(lambda line: Site(line)).process(Count(), text).uid("sites").print().uid("sites-out")
    lines.key_by(of_tenant, key_type=text).process(Count(), text).uid("tenants").print().uid("tenants-out")
    lines.map(parsed).uid("parsed").key_by(lambda r: r.key(), key_type=text).process(Count(), text).uid(
        "readings").print().uid("readings-out")
    env.execute()

main()
""",
    "keys.py": """from dataclasses import dataclass

@dataclass
class Reading:
    name: str
    place: str
    size: int = 0

    def key(self):
        return f"{self.place}/{self.name}"

class Site:
    def __init__(self, name):
        self.name = name

    def __eq__(self, site):
        return self.name == site.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"Site({self.name})"
""",
    "conf/prod.json": '{"parallelism": 2}\n',
    "conf/test.json": '{"parallelism": 1}\n',
    "data/names.json": '{"a": 1}\n',
    "data/words.csv": "a,b\n",
    "requirements.txt": "apache-flink==1.20.1\n",
}
KEPT = {
    "a method of elements in another spelling": ('f"{self.place}/{self.name}"', 'self.place + "/" + self.name'),
    "a file of another folder": ('{"a": 1}', '{"a": 2}'),
    "a file of another kind": ("a,b", "a,c"),
    "how a key is shown": ('f"Site({self.name})"', '"Site " + self.name'),
    "a helper inlined": ('stage(env.from_collection(["a"], type_info=text).uid("lines"), lambda line: line.strip(), '
                         '"stripped")', 'env.from_collection(["a"], type_info=text).uid("lines").map('
                         'lambda line: line.strip(), text).uid("stripped")'),
    "an f-string for a sum": ('"tenant" + ":" + line', 'f"tenant:{line}"'),
    "join for a sum": ('"tenant" + ":" + line', '":".join(["tenant", line])'),
    "a time-to-live in another unit": ("Time.milliseconds(int(Time.days(2).to_milliseconds()))", "Time.hours(48)"),
}  # fmt: skip
LOST = {
    "a method of elements that is the key": ('f"{self.place}/{self.name}"', "self.name"),
    "the file that the program opens by default": ('{"parallelism": 2}', '{"parallelism": 3}'),
    "one beside it": ('{"parallelism": 1}', '{"parallelism": 3}'),
    "a text in a selector": ('"tenant" + ":" + line', 'f"tenants:{line}"'),
    "what a key is made of": ("        self.name = name\n", "        self.name = name.lower()\n"),
}


def rules(before: str, after: str) -> set[str]:
    """The rules of what is said of an edit."""
    assert any(before in text for text in FILES.values())
    edited = {path: text.replace(before, after) for path, text in FILES.items()}
    return {finding["rule"] for finding in findings(FILES, edited)}


@pytest.mark.parametrize("case", KEPT)
def test_edits_that_keep_meaning_are_silent(case: str) -> None:
    assert not rules(*KEPT[case])


@pytest.mark.parametrize("case", LOST)
def test_their_neighbours_are_not(case: str) -> None:
    assert rules(*LOST[case])


@pytest.mark.parametrize(
    ("loads", "read"),
    [
        ("json.load(file)", 'conf["job"]["parallelism"]'),
        ("json.load(file)", 'conf["job"].get("parallelism", 1)'),
        ("json.loads(file.read())", 'conf.get("job")["parallelism"]'),
        ("json.load(file)['job']", 'int(conf["parallelism"])'),
    ],
)
def test_of_a_file_that_an_argument_names_only_entries_that_are_read_count(loads: str, read: str) -> None:
    job = FILES["job.py"].replace("json.load(file)", loads).replace('conf["parallelism"]', read)
    files = {**FILES, "job.py": job, "conf/prod.json": '{"job": {"parallelism": 2, "mail": "a"}}\n'}
    edits = {'"mail": "b"': False, '"mail": "a", "color": 1': False, '"mail": "a"}, "job2": {"parallelism": 1': False}
    for text, counts in {**edits, '"mail": "a", "parallelism": 3': True}.items():
        head = {**files, "conf/prod.json": files["conf/prod.json"].replace('"mail": "a"', text)}
        assert bool(findings(files, head)) is counts, text
    changed = {
        **files,
        "job.py": job.replace("    env = Str", '    conf["job"] = {"parallelism": 1}\n    env = Str', 1),
    }
    assert findings(files, changed)


def test_a_shorter_time_to_live_is_a_warning() -> None:
    assert rules("int(Time.days(2).to_milliseconds())", "int(Time.days(1).to_milliseconds())") == {
        "state-expires-earlier"
    }


def test_a_value_that_becomes_a_list_is_said_in_the_words_of_pyflink() -> None:
    job = FILES["job.py"].replace('get_state(ValueStateDescriptor("last"', 'get_list_state(ListStateDescriptor("last"')
    job = job.replace("self.last.value()", "list(self.last.get())").replace(
        "self.last.update(value)", "self.last.add(value)"
    )
    (first, *_) = findings(FILES, {**FILES, "job.py": job})
    assert first["rule"] == "state-kind-changed"
    assert "a list of one element" in first["message"]


STAGES = {
    "job.py": """import plugins
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from stages import Faults

env = StreamExecutionEnvironment.get_execution_environment()
faults = Faults("signals.json")
lines = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
START
lines.map(lambda line: faults.execute(line), Types.STRING()).uid("faults").print().uid("out")
env.execute()
""",
    "stages.py": """class Faults:
    def __init__(self, path):
        self.path = path

    def execute(self, line):
        return line
""",
}


@pytest.mark.parametrize(("start", "counts"), [("", False), ('plugins.Runner(faults).execute("x")', True)])
def test_a_method_of_records_with_the_name_of_a_call_of_the_environment(start: str, counts: bool) -> None:
    base = {**STAGES, "job.py": STAGES["job.py"].replace("START", start)}
    head = {**base, "stages.py": base["stages.py"].replace("return line", "return line.upper()")}
    assert bool(findings(base, head)) is counts
