"""Commons Configuration: recorded answers of 1.10 and 2.8.0, and programs that read their files with it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from checker.extract import registry
from checker.extract.java.library.configuration_files import commons_configuration
from checker.extract.java.machine.signals import ThrowSignal
from checker.extract.java.machine.values import Constant, string
from checker.extract.java.syntax.class_index import External
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from checker.settings import Overrides, Settings

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "java" / "commons_configuration.json").read_text())
JAVA_NAMES = {"int": "Integer", "long": "Long", "boolean": "Boolean"}
RUN: Any = SimpleNamespace(entry=SimpleNamespace(values=(), environment=(), is_unset=lambda _: True))


def answer(text: str, version: str, question: str) -> list[str] | None:
    """What our reader says, spelled as the recording does; None where it does not say."""
    method, key = question.split()
    try:
        entries = commons_configuration.entries_of(text, lists=version == "first")
    except commons_configuration.UnreadError:
        return None
    layer = commons_configuration.Layer(External(("x.PropertiesConfiguration",)), entries)
    call: Any = SimpleNamespace(name=method, arguments=[string(key)], site=None)
    try:
        found = commons_configuration.call(RUN, layer, call)
    except ThrowSignal:
        return ["throws"]
    if found is None:
        return None
    assert isinstance(found, Constant)
    return ["null"] if found.value is None else [JAVA_NAMES.get(found.java, found.java), found.text]


@pytest.mark.parametrize("version", ["first", "second"])
@pytest.mark.parametrize("case", RECORDED, ids=lambda c: c["text"].replace("\n", "|")[:30])
def test_what_a_file_says_is_what_the_library_reads(case: dict[str, Any], version: str) -> None:
    recorded = case[version] or {}
    given = {question: answer(case["text"], version, question) for question in recorded}
    assert {q: a for q, a in given.items() if a is not None} == {
        q: recorded[q] for q, a in given.items() if a is not None
    }


def test_most_questions_are_answered() -> None:
    asked = [(c["text"], question) for c in RECORDED for question in c["second"] or {}]
    assert sum(answer(text, "second", question) is not None for text, question in asked) > len(asked) * 0.5


JOB = """
import org.apache.commons.configuration2.*;
import org.apache.commons.configuration2.builder.*;
import org.apache.commons.configuration2.builder.fluent.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    %s
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a).uid(%s).print();
    env.execute();
  }
}
"""
COMPOSITE = "CompositeConfiguration c = new CompositeConfiguration();"
PROPERTIES = 'new Configurations().properties("app.properties")'
FILE = {
    "app.properties": "job.uid = orders\njob.prefix = my\njob.full = ${job.prefix}-orders\n",
    "b.properties": "job.uid=b",
}


def uid(body: str, expression: str, **settings: Any) -> str | None:
    """The uid of the operator; None where it is not known."""
    texts = {
        "src/main/java/Job.java": JOB % (body, expression),
        **{f"src/main/resources/{k}": v for k, v in FILE.items()},
    }
    files = MemoryFiles({path: text.encode() for path, text in texts.items()})
    entries = registry.discover(files, Settings().overridden(Overrides(**settings))).entries
    found = registry.extract(files, entries[0])
    assert found is not None
    assert found.topology is not None, found.failure
    (given,) = {t.uid for t in found.topology.transformations if t.uid is not None}
    return None if isinstance(given, Unknown) else given


@pytest.mark.parametrize(
    ("body", "expression", "expected"),
    [
        (f"Configuration c = {PROPERTIES};", 'c.getString("job.uid")', "orders"),
        (f"Configuration c = {PROPERTIES};", 'c.getString("job.full")', "my-orders"),
        (f"Configuration c = {PROPERTIES};", 'c.getString("job.none", "d")', "d"),
        (f"Configuration c = {PROPERTIES}.subset(\"job\");", 'c.getString("prefix")', None),
        ('Configuration c = new Configurations().properties("b.properties").subset("job");', 'c.getString("uid")', "b"),
        ('Configuration c = new Configurations().propertiesBuilder("b.properties").getConfiguration();',
         'c.getString("job.uid")', "b"),
        ("Configuration c = new FileBasedConfigurationBuilder<>(PropertiesConfiguration.class).configure(new "
         'Parameters().properties().setFileName("b.properties")).getConfiguration();', 'c.getString("job.uid")', "b"),
        (f'{COMPOSITE} c.addConfiguration(new Configurations().properties("b.properties")); '
         f"c.addConfiguration({PROPERTIES});", 'c.getString("job.uid") + c.getString("job.prefix")', "bmy"),
        (f"{COMPOSITE} c.addConfiguration(new SystemConfiguration()); c.addConfiguration({PROPERTIES});",
         'c.getString("job.uid")', None),
        ('Configuration c = new Configurations().properties(new java.io.File("app.properties"));',
         'c.getString("job.uid")', None),
    ],
)  # fmt: skip
def test_a_program_reads_its_files(body: str, expression: str, expected: str | None) -> None:
    assert uid(body, expression) == expected


def test_properties_of_the_system_are_unset_where_that_is_said() -> None:
    body = f"{COMPOSITE} c.addConfiguration(new SystemConfiguration()); c.addConfiguration({PROPERTIES});"
    assert uid(body, 'c.getString("job.uid")', unset=("job.uid",)) == "orders"
    assert uid(body, 'c.getString("job.uid")', values=(("job.uid", "given"),)) == "given"
