"""Configuration files as the libraries read them: recorded answers of Typesafe config 1.4.1.

What our reader answers must be theirs; what it leaves open is fine, but not for everything.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from checker.extract import registry
from checker.extract.java.library import hocon, resources
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import ThrowSignal, UnreadError
from checker.extract.java.machine.values import Constant, ListValue, string
from checker.model.pipelines import Extracted
from checker.model.sources import MemoryFiles
from checker.model.topology import Topology
from checker.model.unknowns import Unknown
from checker.settings import parse_settings
from checker.workflows.check.environments import deployed_entries

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "java" / "configuration_libraries.json").read_text())
JAVA_NAMES = {"int": "Integer", "long": "Long", "double": "Double", "boolean": "Boolean"}
GETTERS = ("getString", "getInt", "getLong", "getDouble", "getBoolean", "getStringList", "getIntList", "hasPath")
PATHS = ("a", "b", "c", "d", "e", "a.b", "a.c", "a.b.c", "x", "list")


def shown(value: Any) -> Any:
    """A value as the recording spells it."""
    if isinstance(value, ListValue):
        assert value.elements is not None
        return ["list", *(shown(e) for e in value.elements)]
    assert isinstance(value, Constant), value
    return ["null"] if value.value is None else [JAVA_NAMES.get(value.java, value.java), value.text]


def answers(text: str) -> dict[str, Any] | None:
    """What our reader says of a file, by call; None where it does not say."""
    try:
        table = hocon.parsed(hocon.filled(text, {}, lambda name: True))
    except UnreadError:
        return None
    config, found = hocon.ConfigValue(table), {}
    for path in PATHS:
        for getter in GETTERS:
            try:
                value = hocon.call(SimpleNamespace(), config, Call(getter, [string(path)], Site(None, None)))  # type: ignore[arg-type]
            except ThrowSignal:
                continue
            if (value is not None and shown(value) != ["Boolean", "false"]) or (value and getter != "hasPath"):
                found[f"{getter} {path}"] = shown(value)
    return found


@pytest.mark.parametrize("case", RECORDED["config"], ids=lambda c: c["text"].replace("\n", "|")[:40])
def test_typesafe_config(case: dict[str, Any]) -> None:
    ours = answers(case["text"])
    if ours is not None:
        assert case["answers"] is not None
        assert {k: v for k, v in ours.items() if case["answers"].get(k) != v} == {}
        assert {k for k in case["answers"] if k.startswith("hasPath")} == {k for k in ours if k.startswith("hasPath")}


def test_few_files_are_left_open() -> None:
    left = [c["text"] for c in RECORDED["config"] if c["answers"] is not None and answers(c["text"]) is None]
    assert len(left) <= len(RECORDED["config"]) // 3


def program(body: str, **resources: str) -> MemoryFiles:
    source = (
        "import com.typesafe.config.*;\nimport org.yaml.snakeyaml.Yaml;\n"
        "import java.util.*;\nimport java.io.InputStream;\n"
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Job {\n"
        "  public static void main(String[] args) throws Exception {\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        f"    {body}\n    env.execute();\n  }}\n}}\n"
    )
    texts = {
        "src/main/java/Job.java": source,
        **{f"src/main/resources/{name}": text for name, text in resources.items()},
    }
    return MemoryFiles({path: text.encode() for path, text in texts.items()})


def extracted(files: MemoryFiles, **configured: Any) -> Extracted:
    settings = parse_settings({"flink": "1.20", "parallelism": 1, **configured}, "here")
    (entry,) = deployed_entries(registry.discover(files, settings).entries, files, settings)
    found = registry.extract(files, entry)
    assert found is not None
    return found


def read(files: MemoryFiles, **configured: Any) -> Topology:
    topology = extracted(files, **configured).topology
    assert topology is not None
    return topology


def failure(files: MemoryFiles, **configured: Any) -> str:
    """Why the program has no job."""
    found = extracted(files, **configured).failure
    assert found is not None
    return found


def uid_and_parallelism(topology: Topology) -> tuple[Any, Any]:
    (mapped,) = [t for t in topology.transformations if t.id.endswith("map") or t.uid]
    return mapped.uid, mapped.parallelism


HOCON = 'Config c = ConfigFactory.load(); env.fromElements(1).map(x -> x).uid(c.getString("job.uid"))'
HOCON += '.setParallelism(c.getConfig("job").getInt("slots")).print();'


def test_a_program_reads_hocon() -> None:
    application = "job { uid = ${prefix}-counts, slots = 3 }\n"
    files = program(HOCON, **{"application.conf": application, "reference.conf": "prefix = x\njob.slots = 1\n"})
    topology = read(files)
    assert uid_and_parallelism(topology) == ("x-counts", 3)
    assert "src/main/resources/application.conf" in topology.files


def test_an_environment_variable_in_hocon_is_asked_for_by_name() -> None:
    files = program(HOCON, **{"application.conf": "job { uid = a, slots = 3\nslots = ${?SLOTS} }\n"})
    uid, parallelism = uid_and_parallelism(read(files))
    assert uid == "a"
    assert isinstance(parallelism, Unknown)
    assert parallelism.settled_by == "--arg SLOTS=VALUE"
    assert uid_and_parallelism(read(files, values={"SLOTS": "5"})) == ("a", 5)
    assert uid_and_parallelism(read(files, unset=["SLOTS"])) == ("a", 3)


def test_system_properties_of_a_deployment_override_hocon() -> None:
    files = program(HOCON, **{"application.conf": "job { uid = a, slots = 3 }\n"})
    deployment = {"pipeline": "Job", "configuration": {"env.java.opts": "-Djob.uid=b"}}
    uid, _ = uid_and_parallelism(read(files, deployment=[deployment]))
    assert isinstance(uid, Unknown)


def test_a_file_of_this_machine_is_never_included() -> None:
    files = program(HOCON, **{"application.conf": 'include file("/etc/hostname")\njob { uid = a, slots = 3 }\n'})
    uid, _ = uid_and_parallelism(read(files))
    assert isinstance(uid, Unknown)


@pytest.mark.parametrize(
    ("application", "others"),
    [
        ('include "base"\njob.slots = 3\n', {"base.conf": "job { uid = a, slots = 1 }\n"}),
        ('job.uid = b\ninclude required("base.conf")\n', {"base.conf": "{ job { uid = a, slots = 3 } }\n"}),
        ('job { include classpath("in/base"), slots = 3 }\n', {"in/base.conf": "uid = a # why\n"}),
        (
            'include "in/base"\ninclude "nowhere"\njob.slots = ${n}\n',
            {"in/base.conf": 'include "more"\nn = 3', "in/more.conf": "job.uid = a", "more.conf": "job.uid = b"},
        ),
    ],
)
def test_hocon_includes_what_is_on_the_class_path(application: str, others: dict[str, str]) -> None:
    topology = read(program(HOCON, **{"application.conf": application, **others}))
    assert uid_and_parallelism(topology) == ("a", 3)
    assert {f"src/main/resources/{name}" for name in others if name != "more.conf"} <= set(topology.files)


@pytest.mark.parametrize("named", ['required("nowhere")', 'url("http://a/b.conf")', "base.conf"])
def test_what_hocon_includes_from_elsewhere_is_unknown(named: str) -> None:
    application = f'include {named}\ninclude "base"\njob {{ uid = a, slots = 3 }}\n'
    topology = read(program(HOCON, **{"application.conf": application, "base.conf": "x = 1\n"}))
    assert isinstance(uid_and_parallelism(topology)[0], Unknown)


BY_ENVIRONMENT = 'Config c = ConfigFactory.load("application." + System.getenv("STAGE") + ".conf");'
BY_ENVIRONMENT += 'env.fromElements(1).map(x -> x).uid("a").setParallelism(3).name(c.getString("x")).print();'


@pytest.mark.parametrize(
    "body", [BY_ENVIRONMENT, BY_ENVIRONMENT.replace("ConfigFactory.load", "ConfigFactory.parseResources")]
)
def test_a_key_of_a_file_that_is_absent_ends_the_program(body: str) -> None:
    files = program(body, **{"application.test.conf": "x = 1\n"})
    assert uid_and_parallelism(read(files, values={"STAGE": "test"})) == ("a", 3)
    assert "ConfigException" in failure(files, assume=["defaults"], unset=["STAGE"])


LOADED = """
    Properties p = new Properties();
    p.load(Job.class.getClassLoader().getResourceAsStream("job.properties"));
    env.fromElements(1).map(x -> x).uid("a").setParallelism(3).print();
"""


def test_a_resource_that_is_absent_is_null() -> None:
    assert uid_and_parallelism(read(program(LOADED))) == ("a", 3)
    assert uid_and_parallelism(read(program(LOADED, **{"job.properties": ""}), assume=["defaults"])) == ("a", 3)
    assert "NullPointerException" in failure(program(LOADED), assume=["defaults"])


GROUPS = """
    Map<String, Properties> all = com.amazonaws.services.kinesisanalytics.runtime.KinesisAnalyticsRuntime.X;
    Properties job = all.get("job");
    env.fromElements(1).map(x -> x).setParallelism(3)
        .uid(job.getProperty("uid")).name(job.getProperty("topic")).print();
"""


def test_property_groups_of_managed_flink() -> None:
    from tests.extract.deployments.test_managed_flink import TEMPLATE

    files = program(GROUPS.replace("X;", "getApplicationProperties();"))
    uid, _ = uid_and_parallelism(read(files))
    assert isinstance(uid, Unknown)
    topology = read(type(files)({**files.contents, "app.yaml": TEMPLATE.encode()}))
    (mapped,) = [t for t in topology.transformations if t.uid]
    assert mapped.uid == "counts"
    assert isinstance(mapped.name, Unknown)
    assert mapped.name.settled_by == "--arg job.topic=VALUE"


FROM_OUTSIDE = """
    Properties p = new Properties();
    try (InputStream in = new java.io.FileInputStream("/etc/job.properties")) { p.load(in); }
    env.fromElements(1).map(x -> x).uid("a").setParallelism(Integer.parseInt(p.getProperty("slots", "3"))).print();
"""


def test_properties_of_a_file_outside_of_the_repository_are_asked_for_by_name() -> None:
    _, slots = uid_and_parallelism(read(program(FROM_OUTSIDE)))
    assert isinstance(slots, Unknown)
    assert slots.settled_by == "--arg slots=VALUE"
    assert uid_and_parallelism(read(program(FROM_OUTSIDE), values={"slots": "5"})) == ("a", 5)
    assert uid_and_parallelism(read(program(FROM_OUTSIDE), unset=["slots"])) == ("a", 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\\=b = c", {"a=b": "c"}),
        ("a\\\\=b", {"a\\": "b"}),
        ("a = b\\\\\\\n   c", {"a": "b\\c"}),
        ("a\fb\n\f\n# no\\\nc", {"a": "b", "c": ""}),
        ("a = \\u0041\\x\x85b", {"a": "Ax\x85b"}),
        ("\\\n#no\na=b\\", {"a": "b"}),
        ("\\", {"": ""}),
    ],
)
def test_properties_as_a_jvm_reads_them(text: str, expected: dict[str, str]) -> None:
    run: Any = SimpleNamespace(index=SimpleNamespace(read=lambda path: text.encode("iso-8859-1")))
    assert resources.properties(run, "any") == expected
