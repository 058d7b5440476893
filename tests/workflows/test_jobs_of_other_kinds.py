"""Jobs that no reader follows are said with their kind; an edit of one fails, and everything beside it is silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch
from tests.workflows.deployed import PINNED, manifest


def _notebook(code: str, output: str = "") -> str:
    cell = {"cell_type": "code", "source": [code], "outputs": [output], "metadata": {}}
    return json.dumps({"cells": [{"cell_type": "markdown", "source": ["words"]}, cell]})


ENVIRONMENT = "from pyflink.datastream import *\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
FUNCTIONS = "kind: io.statefun.endpoints.v2/http\nspec:\n  functions: shop/{}\n"
BEAM = "import apache_beam as beam\nbeam.Pipeline(runner='FlinkRunner') | beam.{}(f)\n"
TERRAFORM = 'resource "confluent_flink_statement" "s" {{\n  statement = "INSERT INTO b SELECT {} FROM a"\n}}\n'
AGENTS = ENVIRONMENT + "from flink_agents.api import Agents\na = Agents.of(env)\na.apply({})\nenv.execute()\n"
CLOJURE = '(ns core (:import [org.apache.flink.streaming.api.environment StreamExecutionEnvironment]))\n(uid s "{}")\n'
IMPORTS = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
GROOVY = (
    IMPORTS + 'def env = StreamExecutionEnvironment.getExecutionEnvironment()\nenv.source().uid("{}")\nenv.execute()\n'
)
HANDED = (
    IMPORTS
    + """import com.vendor.*;
public class Job implements StreamJob {{
  public void build(StreamExecutionEnvironment env) {{ env.fromElements(1).keyBy(x -> x).uid("{}").print(); }}
}}
"""
)
STARTED = HANDED.replace(
    "implements StreamJob {{",
    """extends FlinkJob {{
  public static void main(String[] args) {{ new Job().start(args); }}""",
)
PART = "def build(env):\n    env.from_collection([1]).key_by(lambda x: x).reduce(f).uid('{}').print()\n"
MODULE = """from pyflink.datastream import StreamExecutionEnvironment
from vendor import Job
class Orders(Job):
    def build(self, env: StreamExecutionEnvironment):
        env.from_collection([1]).key_by(lambda x: x).reduce(f).uid('{}').print()
"""
BY_NAME = (
    ENVIRONMENT + "import importlib, sys\nimportlib.import_module('parts.' + sys.argv[1]).build(env)\nenv.execute()\n"
)
VALUES = "\n---\nkind: ConfigMap\nmetadata: {{name: jobs}}\ndata: {{uid: {}}}\n"
MODEL = "{{{{ config(materialized='streaming_table') }}}} SELECT {} FROM {{{{ ref('a') }}}}\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "others"),
    [
        ("a.ipynb", _notebook(ENVIRONMENT), _notebook(ENVIRONMENT + "env.execute()"), {}),
        ("module.yaml", FUNCTIONS.format("cart"), FUNCTIONS.format("basket"), {}),
        ("p.py", BEAM.format("Map"), BEAM.format("FlatMap"), {}),
        ("main.tf", TERRAFORM.format("x"), TERRAFORM.format("x + 1"), {}),
        ("models/b.sql", MODEL.format("x"), MODEL.format("y"), {"dbt_project.yml": "name: shop\n"}),
        ("k8s/job.yaml", manifest(main=""), manifest(main="", parallelism="3"), {}),
        ("k8s/job.yaml", manifest(main=""), manifest("p", main=""), {}),
        ("k8s/job.yaml", manifest(main="") + VALUES.format("a"), manifest(main="") + VALUES.format("b"), {}),
        ("k8s/job.yaml", manifest(main="", spec="image: jobs:1"), manifest(main="", spec="image: jobs:2"), {}),
        ("src/core.clj", CLOJURE.format("n"), CLOJURE.format("m"), {}),
        ("src/main/groovy/Job.groovy", GROOVY.format("n"), GROOVY.format("m"), {}),
        ("src/main/java/Job.java", HANDED.format("n"), HANDED.format("m"), {}),
        ("src/main/java/Job.java", STARTED.format("n"), STARTED.format("m"), {}),
        ("job.py", MODULE.format("n"), MODULE.format("m"), {}),
        ("parts/a.py", PART.format("n"), PART.format("m"), {"job.py": BY_NAME}),
        ("job.py", AGENTS.format(1), AGENTS.format(2), {}),
    ],
)  # fmt: skip
def test_an_edit_is_not_understood(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str, others: dict[str, str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{path: before, **others})
    scratch.commit(**{"notes.txt": "beside it"})
    scratch.commit(**{path: after})

    def checked(base: str, head: str) -> tuple[int, list[str], list[str]]:
        arguments = ["check", "--engine", "in-process", "--repo", str(scratch.folder), "--base", base, "--head", head]
        code = run([*arguments, "--format", "json"])
        report = json.loads(capsys.readouterr().out)
        found = [finding["rule"] for p in report["pipelines"] for finding in p["findings"]]
        return code, found, [note["unread"] for note in report["notes"] if note["unread"]]

    code, found, notes = checked("HEAD~2", "HEAD~1")
    assert (code, found) == (0, [])
    assert notes or path.endswith(".py")
    code, found, _ = checked("HEAD~1", "HEAD")
    assert code == 1
    assert "edit-not-understood" in found


def test_outputs_of_a_notebook_and_manifests_of_pipelines_here_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"a.ipynb": _notebook(ENVIRONMENT), "k8s/o.yaml": manifest(spec="image: jobs:1"), **PINNED})
    scratch.commit(**{"a.ipynb": _notebook(ENVIRONMENT, "42"), "k8s/o.yaml": manifest(spec="image: jobs:2")})
    assert run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--base", "HEAD~1"]) == 0
    assert "manifest" not in capsys.readouterr().out
