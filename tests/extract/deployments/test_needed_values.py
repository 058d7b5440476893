"""With ``--assume defaults``: what a program ends without is given, and files that it names are the repository's."""

from collections.abc import Mapping
from typing import Any

import pytest

from checker.extract import registry
from checker.model.pipelines import Extracted
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from checker.settings import parse_settings
from checker.workflows.check.environments import deployed_entries
from tests.extract.deployments.test_assumptions import POM

IMPORTS = """\
import java.io.FileInputStream;
import java.util.Properties;
import org.apache.commons.lang3.StringUtils;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
"""
NEEDED = "those without a default are given: the program ends without them"


def read(statements: str, files: Mapping[str, str] | None = None, **configured: Any) -> Extracted:
    """A job that gives its state the uid which these statements make."""
    text = f"""{IMPORTS}
public class Job {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    {statements}
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a + b).uid(uid).print();
    env.execute();
  }}
}}
"""
    tree = {"m/pom.xml": POM, "m/src/main/java/Job.java": text, **(files or {})}
    sources = MemoryFiles({path: content.encode() for path, content in tree.items()})
    settings = parse_settings({"assume": ["defaults"], **configured}, "here")
    (entry,) = deployed_entries(registry.discover(sources, settings).entries, sources, settings)
    found = registry.extract(sources, entry)
    assert found is not None
    return found


def uid(found: Extracted) -> str:
    """The uid of the state, or why it is not known."""
    assert found.topology is not None, found.failure
    (value,) = [t.uid for t in found.topology.operators() if t.uid is not None]
    return value.reason if isinstance(value, Unknown) else value


ARGS = "ParameterTool p = ParameterTool.fromArgs(args);"


@pytest.mark.parametrize(
    "ends",
    [
        ARGS + 'String[] keys = p.get("keys").split(",");',
        ARGS + 'if (p.getNumberOfParameters() < 2) { return; } String topic = p.getRequired("topic");',
        'if (args.length < 1) { throw new IllegalArgumentException("a file is missing"); }' + ARGS,
        'String[] hosts = System.getenv("HOSTS").split(",");' + ARGS,
    ],
)
def test_values_without_a_default_are_given_where_the_program_ends_without_them(ends: str) -> None:
    found = read(f'{ends} String uid = p.get("uid", "sum");')
    assert uid(found) == "sum"
    assert NEEDED in found.entry.assumptions


def test_values_without_a_default_are_not_given_where_the_program_runs_without_them() -> None:
    found = read(f'{ARGS} String uid = p.get("uid") == null ? "sum" : p.get("uid");')
    assert uid(found) == "sum"
    assert NEEDED not in found.entry.assumptions


def test_a_needed_value_that_decides_is_not_known() -> None:
    found = read('String uid = System.getenv("STAGE").trim() + "-sum";')
    assert "no value is given for environment variable 'STAGE'" in uid(found)
    ended = read('String uid = System.getenv("STAGE").trim() + "-sum";', unset=["STAGE"])
    assert ended.topology is None


@pytest.mark.parametrize(
    "statements",
    [
        'String uid = ParameterTool.fromPropertiesFile("conf/job.properties").get("uid");',
        'Properties p = new Properties(); p.load(new FileInputStream("conf/job.properties"));'
        'String uid = p.getProperty("uid");',
    ],
)
def test_a_file_that_the_program_names_is_the_one_beside_it(statements: str) -> None:
    assert uid(read(statements, {"m/conf/job.properties": "uid=sum\n"})) == "sum"
    assert uid(read(statements, {"conf/job.properties": "uid=sum\n"})) == "sum"
    both = {"conf/job.properties": "uid=a\n", "m/conf/job.properties": "uid=b\n"}
    for files in (both, {"other/conf/job.properties": "uid=sum\n"}):
        assert uid(read(statements, files)) not in ("a", "b", "sum")


def test_a_local_environment_has_the_assumed_default_parallelism() -> None:
    local = 'String uid = "sum"; env = StreamExecutionEnvironment.createLocalEnvironment();'
    found = read(local)
    assert found.topology is not None
    assert {t.parallelism for t in found.topology.operators() if t.uid is not None} == {None}
    assert "default parallelism 1" in found.entry.assumptions
    alone = read(local, assume=[])
    assert alone.topology is not None
    assert any(isinstance(t.parallelism, Unknown) for t in alone.topology.operators())
