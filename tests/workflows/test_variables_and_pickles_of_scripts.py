"""Edits of what a PyFlink job works with as records come: variables of the environment, objects that a pickle holds."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

FILES = {
    "job.py": """import os
import pickle

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, KeySelector, MapFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

from seen import Seen

with open("model.pkl", "rb") as file:
    model = pickle.load(file)

class Count(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        number = (self.count.value() or 0) + 1
        self.count.update(number)
        if self.seen.value() is None:
            self.seen.update(Seen(value, 1))
        yield f"{os.environ.get('LABEL', '')} {value} {number} {self.seen.value().at}"

class Tag(MapFunction):
    def map(self, value):
        return model.tag(os.environ["SALT"] + value), model.score(value)

class OfTenant(KeySelector):
    def get_key(self, value):
        return os.getenv("TENANT") + value

def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    text = Types.STRING()
    lines = env.from_collection(["a"], type_info=text).uid("lines")
    tagged = lines.map(Tag(), Types.TUPLE([text, Types.LONG()])).uid("tagged")
    tagged.key_by(lambda v: v[0], key_type=text).process(Count(), text).uid("tags").print().uid("out")
    lines.key_by(OfTenant(), key_type=text).process(Count(), text).uid("tenants").print().uid("tenants-out")
    env.execute("tags")

if __name__ == "__main__":
    main()
""",
    "models.py": """class Model:
    def __init__(self, names):
        self.names = names

    def tag(self, value):
        return self.known(value)

    def known(self, value):
        return self.names.get(value, value)

    def score(self, value):
        return len(value)
""",
    "seen.py": """import copyreg

class Seen:
    def __init__(self, at, number):
        self.at = at
        self.number = number

def make(at, number):
    return Seen(at, number)

def taken_apart(seen):
    return make, (seen.at, seen.number)

copyreg.pickle(Seen, taken_apart)
""",
    "model.pkl": "bytes",
    "docker-compose.yml": """services:
  jobmanager:
    image: flink:1.20
    command: standalone-job -py /opt/job.py
    environment:
      - SALT=s1
      - LABEL=l1
      - OTHER=o1
""",
    "deploy.sh": "export TENANT=t1\nexport REGION=r1\nflink run -py job.py\n",
    "requirements.txt": "apache-flink==1.20.1\n",
}
LOST = {
    "a variable of a selector": ("TENANT=t1", "TENANT=t2"),
    "the function that unpickling calls": ("def make(at, number):", "def make(number, at):"),
    "its name": ("make", "build"),
}
KEPT = {
    "a variable of an output": ("LABEL=l1", "LABEL=l2"),
    "a variable that no code asks for": ("OTHER=o1", "OTHER=o2"),
    "one in a script": ("REGION=r1", "REGION=r2"),
    "a method whose value is no key": ("return len(value)", "return len(value) + 1"),
    "how objects are pickled from now on": ("return make, (seen.at, seen.number)", "return make, (seen.at, 0)"),
    "objects pickled as all others": ("copyreg.pickle(Seen, taken_apart)\n", "READY = True\n"),
}


def errors(before: str, after: str) -> set[str]:
    """The rules of what is said of an edit."""
    assert any(before in text for text in FILES.values())
    edited = {path: text.replace(before, after) for path, text in FILES.items()}
    return {finding["rule"] for finding in findings(FILES, edited)}


@pytest.mark.parametrize("case", LOST)
def test_what_keys_or_pickles_depend_on_is_no_silent_edit(case: str) -> None:
    assert errors(*LOST[case])


@pytest.mark.parametrize("case", KEPT)
def test_the_rest_is_silent(case: str) -> None:
    assert not errors(*KEPT[case])


def test_how_keys_are_pickled_from_now_on_counts() -> None:
    keyed = FILES["job.py"].replace("OfTenant(), key_type=text", "lambda v: Seen(v, 1)")
    base = {**FILES, "job.py": keyed}
    assert findings(base, {**base, "seen.py": FILES["seen.py"].replace("(seen.at, seen.number)", "(seen.at, 0)")})
    assert not findings(base, {**base, "models.py": FILES["models.py"].replace("len(value)", "len(value) + 1")})


@pytest.mark.parametrize(
    "selector",
    [
        'v -> System.getenv("SALT") + v',
        "v -> { for (char c : v.toCharArray()) if (c > 9) return salted(v); return v; }",
        "v -> { String s = v; while (s.length() < 9) s += SALT; return s; }",
    ],
)
def test_a_variable_of_a_java_selector_counts(selector: str) -> None:
    job = f"""package app;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {{
  static final String SALT = System.getenv().getOrDefault("SALT", "s");
  static String salted(String v) {{ return System.getenv("SALT") + v; }}
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a").uid("lines").map(v -> v + System.getenv("LABEL")).uid("map")
      .keyBy((KeySelector<String, String>) {selector}).reduce((a, b) -> a + b).uid("sum");
    env.execute();
  }}
}}
"""
    files = {"src/main/java/app/Job.java": job, "deploy.sh": "export SALT=s1\nexport LABEL=l1\nflink run -c app.Job\n"}
    assert findings(files, {**files, "deploy.sh": files["deploy.sh"].replace("s1", "s2")})
    assert not findings(files, {**files, "deploy.sh": files["deploy.sh"].replace("l1", "l2")})
