"""An edit of an option with which a deployment starts a job is an edit of the job, whatever starts it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from checker.cli import run
from checker.extract import registry
from checker.extract.deployments.matching import with_deployment
from checker.model.deployments import Deployment, DeploymentKind, UpgradeMode
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Location
from checker.settings import Settings
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage, read_stage
from tests.scratch import Scratch

SCRIPT = """\
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1, 2], Types.INT()).map(lambda x: x, Types.INT())
counted = numbers.key_by(lambda x: x, Types.INT()).reduce(lambda a, b: a)
counted.map(lambda x: x, Types.INT()).print()
env.execute()
"""
JAVA = """\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a).map(x -> x).print();
    env.execute();
  }
}
"""
FILES = {
    "requirements.txt": "apache-flink==1.20.0\n",
    "pom.xml": "<project><properties><flink.version>1.20.0</flink.version></properties></project>",
    "jobs/job.py": SCRIPT,
    "src/main/java/Job.java": JAVA,
}
DRIVER = "org.apache.flink.client.python.PythonDriver"


def document(main: str, arguments: list[str], option: str) -> str:
    job = {"jarURI": "local:///job.jar", "entryClass": main, "args": arguments, "parallelism": 2}
    return f"""\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: {main.rpartition(".")[2].lower()}}}
spec:
  flinkVersion: v1_20
  flinkConfiguration: {{{option}}}
  job: {json.dumps(job)}
"""


def manifest(script: str, java: str = "a: b") -> str:
    return document(DRIVER, ["-py", "/opt/job.py"], script) + "---\n" + document("Job", [], java)


def test_what_was_read_while_planning_keeps_its_deployment() -> None:
    """Scripts of SQL and captured programs are read before any engine starts; their deployments are judged too."""
    files = MemoryFiles({path: text.encode() for path, text in FILES.items()})
    entry = registry.discover(files, Settings()).entries[0]
    read = read_stage(entry, files)
    assert read is not None
    place = Location("o.yaml", 1)
    start = Deployment(kind=DeploymentKind.FLINK_DEPLOYMENT, name="o", target="", location=place)
    asked = [
        with_deployment(entry, replace(start, upgrade_mode=mode))
        for mode in (UpgradeMode.SAVEPOINT, UpgradeMode.STATELESS)
    ]
    plan = CheckPlan(
        base={"label": "base"},
        head={"label": "head"},
        base_entries=(),
        head_entries=(),
        base_files=files,
        head_files=files,
        severities={},
        fail_on=None,
        base_read=(read,),
        head_read=(read,),
        asked={entry.name: (asked[0], asked[1])},
    )
    document = pipeline_stage(plan, entry.name)
    assert document is not None
    assert "deployment-starts-empty" in {finding["rule"] for finding in document["findings"]}


def test_verdicts_are_those_of_the_start_that_the_deployment_makes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An operator that is removed fails the start, unless ``allowNonRestoredState`` lets Flink drop its state."""
    verdicts = []
    program = JAVA.replace("(1, 2)", '(1, 2).uid("numbers")').replace("-> a)", '-> a).uid("first")')
    removed = program.replace('.keyBy(x -> x).reduce((a, b) -> a).uid("first")', "")
    for allowed in ("false", "true"):
        repository = Scratch(tmp_path / allowed)
        deployment = manifest("a: b").replace('"parallelism"', f'"allowNonRestoredState": {allowed}, "parallelism"')
        repository.commit(**{**FILES, "src/main/java/Job.java": program, "deploy.yaml": deployment})
        repository.commit(**{"src/main/java/Job.java": removed})
        run(["check", "--repo", str(tmp_path / allowed), "--base", "HEAD~1", "--engine", "in-process"])
        verdicts.append(next(line for line in capsys.readouterr().out.splitlines() if line.startswith("Job")))
    assert "1 start fails" in verdicts[0]
    assert "1 state dropped" in verdicts[1]
    assert "start fails" not in verdicts[1]
