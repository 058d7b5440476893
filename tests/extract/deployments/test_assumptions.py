"""What is not given: said to be so, or assumed, and then told in every report."""

import json
from pathlib import Path
from typing import Any

import pytest

from checker.cli import run
from checker.extract import registry
from checker.flink import translate
from checker.model.sources import MemoryFiles
from checker.model.topology import Topology
from checker.model.unknowns import Unknown
from checker.settings import parse_settings
from checker.workflows.check.environments import deployed_entries
from tests.scratch import Scratch

POM = "<project><dependencies><dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>1.20.0</version></dependency></dependencies></project>"  # noqa: E501
JAVA = """\
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    ParameterTool p = ParameterTool.fromArgs(args);
    String region = System.getenv("REGION");
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a + b)
        .uid(region == null ? "sum" : "sum-" + region).setParallelism(p.getInt("sum.parallelism", 4))
        .name(System.getProperty("job.label", "sums")).print();
    env.execute();
  }
}
"""
PYTHON = """\
import os
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
stream = env.from_collection([1, 2]).map(lambda x: x).uid(os.getenv("REGION", "none"))
if "DEBUG" in os.environ:
    stream.print()
stream.print().uid("out")
env.execute()
"""


SERVICE = """\
import json
import os
from pyflink.datastream import StreamExecutionEnvironment

def groups(path="/etc/flink/application_properties.json"):
    if os.path.isfile(path):
        with open(path, "r") as file:
            contents = file.read()
            return json.loads(contents)

def group(groups, name):
    for one in groups:
        if one["PropertyGroupId"] == name:
            return one["PropertyMap"]

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1, 2]).map(lambda x: x).uid(group(groups(), "job")["uid"]).print().uid("out")
env.execute()
"""
PROPERTIES = """\
[{"PropertyGroupId": "kinesis.analytics.flink.run.options", "PropertyMap": {"python": "main.py"}},
 {"PropertyGroupId": "job", "PropertyMap": {"uid": "counts"}}]
"""


def read(text: dict[str, str], **configured: Any) -> Topology:
    files = MemoryFiles({path: content.encode() for path, content in text.items()})
    settings = parse_settings(configured, "here")
    (entry,) = deployed_entries(registry.discover(files, settings).entries, files, settings)
    extracted = registry.extract(files, entry)
    assert extracted is not None
    assert extracted.topology is not None
    return extracted.topology


def unknowns(topology: Topology) -> list[str]:
    values = [topology.parallelism, topology.variants_unknown, *topology.variants]
    for t in topology.transformations:
        values += [t.uid, t.name, t.parallelism, t.unknown]
    return [v.reason for v in values if isinstance(v, Unknown)]


JOB = {"pom.xml": POM, "src/main/java/Job.java": JAVA}


def test_nothing_is_assumed_by_itself() -> None:
    assert unknowns(read(JOB))


def test_defaults_are_what_nobody_gives() -> None:
    topology = read(JOB, assume=["defaults"])
    assert unknowns(topology) == []
    (reduce,) = [t for t in topology.transformations if t.uid == "sum"]
    assert (reduce.name, reduce.parallelism, topology.parallelism) == ("sums", 4, 1)
    translate(topology)


def test_a_required_argument_has_no_default() -> None:
    required = JAVA.replace('p.getInt("sum.parallelism", 4)', 'p.getInt("sum.parallelism")')
    (reason,) = unknowns(read({**JOB, "src/main/java/Job.java": required}, assume=["defaults"]))
    assert reason.startswith("parameter 'sum.parallelism'")


def test_a_required_argument_of_a_script_has_no_default() -> None:
    script = (
        PYTHON.replace(
            "env =",
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('topic')\n"
            "p.add_argument('--uid', required=True)\n"
            "p.add_argument('--slots', default=3, type=int)\na = p.parse_args()\nenv =",
            1,
        )
        .replace('os.getenv("REGION", "none")', "a.uid")
        .replace('uid("out")', 'uid("out").set_parallelism(a.slots)')
    )
    topology = read({"job.py": script}, assume=["defaults"])
    assert ["argument '--uid'" in reason for reason in unknowns(topology)] == [True]
    assert 3 in {t.parallelism for t in topology.transformations}


def test_what_is_given_is_not_assumed_away() -> None:
    topology = read(JOB, assume=["defaults"], values={"REGION": "eu"}, parallelism=3)
    assert topology.parallelism == 3
    assert any(t.uid == "sum-eu" for t in topology.transformations)


def test_names_that_are_not_given_one_by_one() -> None:
    topology = read(JOB, unset=["REGION", "sum.parallelism", "job.label"])
    assert unknowns(topology) == ["the program leaves the default parallelism to the deployment"]


@pytest.mark.parametrize("name", ["PATH", "java.io.tmpdir", "HOSTNAME", "KAFKA_SERVICE_HOST", "FLINK_HOME"])
def test_what_a_platform_sets_is_never_assumed_to_be_unset(name: str) -> None:
    call = "getProperty" if "." in name else "getenv"
    text = JAVA.replace('System.getenv("REGION")', f'System.{call}("{name}")')
    assert unknowns(read({**JOB, "src/main/java/Job.java": text}, assume=["defaults"]))


def test_a_script() -> None:
    topology = read({"job.py": PYTHON}, assume=["defaults"])
    assert unknowns(topology) == []
    assert [t.uid for t in topology.transformations if t.uid] == ["none", "out"]
    assert unknowns(read({"job.py": PYTHON}, unset=["REGION"], parallelism=1))


def test_a_configured_deployment_per_environment() -> None:
    files = MemoryFiles({path: content.encode() for path, content in JOB.items()})
    deployments = [
        {"pipeline": "Job", "environment": "prod", "args": ["--sum.parallelism", "8"], "env": {"REGION": "eu"}},
        {"pipeline": "Job", "environment": "test", "args": [], "unset": ["REGION"], "parallelism": 2},
    ]
    settings = parse_settings({"deployment": deployments, "flink": "1.20"}, "here")
    prod, test = deployed_entries(registry.discover(files, settings).entries, files, settings)
    assert (prod.name, prod.args, prod.environment) == ("Job @ prod", ("--sum.parallelism", "8"), (("REGION", "eu"),))
    assert (test.name, test.arguments_known, test.unset, test.parallelism) == ("Job @ test", True, ("REGION",), 2)


def test_a_program_that_ends_as_assumed_is_no_missing_one() -> None:
    start = "public static void main(String[] args) throws Exception {\n"
    text = JAVA.replace(start, start + "    if (args.length == 0) { return; }\n")
    started = b"flink run -p 2 -c Job job.jar\n"
    files = MemoryFiles({"pom.xml": POM.encode(), "src/main/java/Job.java": text.encode(), "run.sh": started})
    settings = parse_settings({"assume": ["defaults"]}, "here")
    (entry,) = deployed_entries(registry.discover(files, settings).entries, files, settings)
    read = registry.extract(files, entry)
    assert read is not None
    assert read.failure is not None
    assert "the program ends before a job" in read.failure
    gone = MemoryFiles({"pom.xml": POM.encode()})
    assert registry.extract(gone, entry) is None


def test_the_configuration_of_a_cluster_without_a_start_is_only_assumed() -> None:
    conf = {**JOB, "conf/flink-conf.yaml": "parallelism.default: 7\n"}
    assert read(conf, assume=["defaults"]).parallelism == 7
    assert isinstance(read(conf).parallelism, Unknown)


def test_found_deployments_can_be_left_out() -> None:
    texts = {**JOB, "run.sh": "flink run -p 7 -c Job target/job.jar --sum.parallelism 2\n"}
    assert read(texts).parallelism == 7
    assert isinstance(read(texts, deployments=False).parallelism, Unknown)


@pytest.mark.parametrize("output", ["json", "text", "markdown", "html", "sarif", "junit", "github", "gitlab"])
def test_every_format_states_what_was_assumed(tmp_path: Path, capsys: pytest.CaptureFixture[str], output: str) -> None:
    repository = Scratch(tmp_path)
    repository.commit(**JOB)
    repository.commit(**{"src/main/java/Job.java": JAVA.replace('"sum"', '"total"')})
    words = ["check", "--repo", str(tmp_path), "--base", "HEAD~1", "--engine", "in-process", "--format", output]
    code = run([*words, "--assume", "defaults", "--unset", "OTHER"])
    shown = capsys.readouterr().out
    assert code == 1
    for assumption in ("default parallelism 1", "no program arguments", "OTHER is not set"):
        assert assumption in shown


def test_what_can_not_be_assumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Scratch(tmp_path).commit(**JOB)
    assert run(["ids", "--repo", str(tmp_path), "--assume", "luck"]) == 2
    assert "only 'defaults' can be assumed" in capsys.readouterr().err


def test_ids_are_exact_with_defaults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Scratch(tmp_path).commit(**JOB)
    assert run(["ids", "--repo", str(tmp_path), "--assume", "defaults", "--format", "json"]) == 0
    assert "undecided" not in json.loads(capsys.readouterr().out)


def test_a_script_reads_its_application_properties() -> None:
    def uids(extra: dict[str, str], **configured: Any) -> set[str | None]:
        topology = read({"counts/main.py": SERVICE, **extra}, **configured)
        return {t.uid.reason if isinstance(t.uid, Unknown) else t.uid for t in topology.operators()} - {None, "out"}

    kept = {"counts/application_properties.json": PROPERTIES}
    later = {name: text.replace('"counts"', '"${Uid}"') for name, text in kept.items()}
    assert uids(kept) == {"counts"}
    assert uids(later, values={"job.uid": "sums"}) == {"sums"}
    assert uids(later) == {"property 'job.uid' is filled in when the template is deployed"}
    assert "counts" not in uids({})
