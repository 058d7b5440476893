"""Configuration files that programs read: properties as a JVM reads them, and what is asked for by name."""

from types import SimpleNamespace
from typing import Any

import pytest

from checker.extract import registry
from checker.extract.java.library import resources
from checker.model.pipelines import Extracted
from checker.model.sources import MemoryFiles
from checker.model.topology import Topology
from checker.model.unknowns import Unknown
from checker.settings import parse_settings
from checker.workflows.check.environments import deployed_entries


def program(body: str, **resources: str) -> MemoryFiles:
    source = (
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


APPLICATION = """
Resources:
  Job:
    Type: AWS::KinesisAnalyticsV2::Application
    Properties:
      ApplicationConfiguration:
        EnvironmentProperties:
          PropertyGroups:
            - PropertyGroupId: job
              PropertyMap: {uid: counts, topic: !Ref Topic}
"""


def test_property_groups_of_managed_flink() -> None:
    files = program(GROUPS.replace("X;", "getApplicationProperties();"))
    uid, _ = uid_and_parallelism(read(files))
    assert isinstance(uid, Unknown)
    topology = read(type(files)({**files.contents, "app.yaml": APPLICATION.encode()}))
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


FILTERS = "<project><build><resources><resource><filtering>true</filtering></resource></resources></build>{}</project>"
NAMED = """
    Properties p = new Properties();
    p.load(Job.class.getResourceAsStream("/job.properties"));
    env.fromElements(1).map(x -> x).uid(p.getProperty("u")).print();
"""


@pytest.mark.parametrize(
    ("content", "pom", "known"),
    [
        ("u=a-${project.version}\n", FILTERS, False),
        ("u=a-@project.version@\n", FILTERS, False),
        ("u=a\n", FILTERS, True),
        ("u=a-${project.version}\n", "<project>{}</project>", True),
    ],
)
def test_values_that_the_build_fills_in_are_those_of_one_build(content: str, pom: str, known: bool) -> None:
    def derived(version: str) -> set[object]:
        built = {"pom.xml": pom.format(f"<version>{version}</version>").encode()}
        files = MemoryFiles({**program(NAMED, **{"job.properties": content}).contents, **built})
        found = [t.uid for t in read(files).transformations if t.uid]
        return {uid.derived_from if isinstance(uid, Unknown) else uid for uid in found}

    assert derived("1") == derived("1")
    assert (derived("1") == derived("2")) == known
