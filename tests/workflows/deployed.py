"""Small programs with manifests, and what a check says of an edit, for tests of deployments."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

POM = "<project><artifactId>jobs</artifactId><properties><flink.version>1.20.0</flink.version></properties></project>"
MAIN = "src/main/java/Job.java"
WITHOUT_UIDS = "env.fromElements(1, 2).map(x -> x).keyBy(x -> x).reduce((a, b) -> a).map(x -> x).print();"
"""Its ids depend on whether the parallelism is 1."""


def java(body: str, name: str = "Job", imports: str = "") -> str:
    return f"""\
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
{imports}
public class {name} {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    {body}
    env.execute();
  }}
}}
"""


def with_uid(uid: str) -> str:
    """Statements of a program whose one state has this uid."""
    return f'env.fromElements(1).uid("in").keyBy(x -> x).reduce((a, b) -> a).uid({uid}).print().uid("out");'


WITHOUT = {"pom.xml": POM, MAIN: java(WITHOUT_UIDS)}
PINNED = {"pom.xml": POM, MAIN: java(with_uid('"sum"'))}
BY_ARGUMENT = {"pom.xml": POM, MAIN: java(with_uid('ParameterTool.fromArgs(args).get("uid", "none")'))}
TWO = {**WITHOUT, "src/main/java/Other.java": java(WITHOUT_UIDS, "Other")}


def manifest(
    name: str = "o",
    *,
    main: str = "Job",
    args: str = "[]",
    parallelism: str = "2",
    options: str = "a: b",
    mode: str = "savepoint",
    jar: str = "local:///jobs.jar",
    spec: str = "flinkVersion: v1_20",
    kind: str = "FlinkDeployment",
) -> str:
    job = [f"upgradeMode: {mode}", f"args: {args}", f'jarURI: "{jar}"']
    job += [f"entryClass: {main}"] if main else []
    job += [f"parallelism: {parallelism}"] if parallelism else []
    return f"""\
apiVersion: flink.apache.org/v1beta1
kind: {kind}
metadata: {{name: {name}, namespace: prod}}
spec:
  {spec}
  flinkConfiguration: {{{options}}}
  job: {{{", ".join(job)}}}
"""


def errors(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    before: Mapping[str, str],
    after: Mapping[str, str | None],
    *options: str,
) -> dict[str, set[str]]:
    """Pipeline → rules of its errors, after an edit. Environments of a pipeline count together."""
    repository = Scratch(folder)
    repository.commit(**before)
    repository.commit(**after)
    run(["check", "--repo", str(folder), "--base", "HEAD~1", "--engine", "in-process", "--format", "json", *options])
    found: dict[str, set[str]] = {}
    for pipeline in json.loads(capsys.readouterr().out)["pipelines"]:
        rules = found.setdefault(pipeline["name"].partition(" @ ")[0], set())
        rules |= {finding["rule"] for finding in pipeline["findings"] if finding["severity"] == "error"}
    return found
