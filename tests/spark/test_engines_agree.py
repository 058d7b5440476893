"""Both engines give the same bytes: on the example, on random repositories, on what does not travel."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

pytest.importorskip("pyspark")

from checker.engines import choice
from checker.engines.spark.session import SparkRun
from checker.engines.spark.work import judge_on
from checker.extract.documents.fields import topology_of
from checker.model.nested import to_json
from checker.model.pipelines import ExtractorKind, PipelineEntry, Reason
from checker.model.sources import MemoryFiles
from checker.workflows import carried_files
from checker.workflows.check.comparing_revisions import plan_check, run_check
from checker.workflows.check.records import CheckPlan, ReadPipeline
from tests.scratch import Scratch

from .generated import random_repository

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
DOCUMENT = """\
topology: 1
name: {}
transformations:
  - {{id: s, kind: source}}
  - {{id: o, kind: operator, inputs: [s]}}
"""
EXAMPLES = Path(__file__).parents[2] / "examples"


def reports(run: SparkRun, plan: CheckPlan) -> tuple[str, str]:
    on_spark = to_json(run_check(plan, lambda plan: judge_on(run, plan)))
    return on_spark, to_json(run_check(plan, choice.judge_pipelines))


def test_every_step_of_the_example(run: SparkRun, tmp_path: Path) -> None:
    repo = tmp_path / "orders"
    subprocess.run([sys.executable, EXAMPLES / "make_repository.py", repo], check=True)
    for base, head in (("main~3", "main~2"), ("main~2", "main~1"), ("main~1", "main"), ("main~3", "main")):
        plan = plan_check(repo, base=base, head=head)
        assert plan.names
        on_spark, in_this_process = reports(run, plan)
        assert on_spark == in_this_process


def test_every_example_document(run: SparkRun) -> None:
    files = {str(p.relative_to(EXAMPLES)): p.read_bytes() for p in sorted(EXAMPLES.glob("**/*.topology.*"))}
    plan = plan_of(files)
    assert len(plan.names) > 3
    assert judge_on(run, plan) == choice.judge_pipelines(plan)


def test_random_repositories(run: SparkRun, tmp_path: Path) -> None:
    judged = 0
    for seed in range(5):
        repo = random_repository(seed).write(tmp_path / str(seed))
        plan = plan_check(repo, base="main~1", head="main")
        on_spark, in_this_process = reports(run, plan)
        assert on_spark == in_this_process, f"seed {seed}"
        judged += len(plan.names)
    assert judged > 5


def test_staged_and_unstaged_changes(run: SparkRun, tmp_path: Path) -> None:
    repo = random_repository(3).write(tmp_path / "repo")
    subprocess.run(["git", "-C", repo, "checkout", "-q", "main"], check=True)
    for path in repo.glob("**/*.topology.yaml"):
        path.write_text(path.read_text().replace("uid: events", "uid: other"))
    for head in (":index", ":worktree"):
        on_spark, in_this_process = reports(run, plan_check(repo, base="main", head=head))
        assert on_spark == in_this_process


def test_a_file_that_did_not_travel_is_read_at_home(run: SparkRun, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of({"one.topology.yaml": DOCUMENT.format("one").encode()})
    monkeypatch.setattr("checker.workflows.carried_files.carried_paths", lambda paths, entries: [])
    assert judge_on(run, plan) == choice.judge_pipelines(plan)
    assert choice.judge_pipelines(plan)[0]["status"] == "unchanged"


def test_what_an_extractor_reads_travels() -> None:
    document = PipelineEntry(name="a", extract=ExtractorKind.DOCUMENT, file="a.topology.yaml")
    java = PipelineEntry(name="b", extract=ExtractorKind.JAVA, main="b.B")
    paths = ["a.topology.yaml", "b/B.java", "b/pom.xml", "logo.png"]
    assert carried_files.carried_paths(paths, [document]) == ["a.topology.yaml"]
    assert carried_files.carried_paths(paths, [document, java]) == ["a.topology.yaml", "b/B.java", "b/pom.xml"]


def plan_of(files: dict[str, bytes]) -> CheckPlan:
    entries = tuple(
        PipelineEntry(name=path.split(".topology.")[0], extract=ExtractorKind.DOCUMENT, file=path)
        for path in sorted(files)
    )
    side = {"asked": "x", "label": "x", "commit": None, "note": None}
    memory = MemoryFiles(files)
    return CheckPlan(
        base=side, head=side, base_entries=entries, head_entries=entries, base_files=memory, head_files=memory,
        severities={}, fail_on=None,
    )  # fmt: skip


def test_how_a_pipeline_was_read_is_the_same_on_both(run: SparkRun) -> None:
    plan = plan_of({f"{name}.topology.yaml": DOCUMENT.format(name).encode() for name in ("source", "run")})
    read = ReadPipeline(
        name="run",
        extractor="flink",
        topology=topology_of(yaml.safe_load(DOCUMENT.format("run"))),
        how="read by real Flink 1.20.5",
    )
    left = tuple(e for e in plan.head_entries if e.name == "source")
    reasons = {"source": Reason(why="--allow-exec is not given", settled_by="--allow-exec")}
    plan = replace(plan, base_entries=left, head_entries=left, base_read=(read,), head_read=(read,), reasons=reasons)
    judged = judge_on(run, plan)
    assert judged == choice.judge_pipelines(plan)
    assert [p["reading"]["why"] for p in judged] == [None, "--allow-exec is not given"]
    assert judged[0]["reading"]["head"] == "read by real Flink 1.20.5"


def test_more_pipelines_than_tasks(run: SparkRun) -> None:
    plan = plan_of({f"p{n}.topology.yaml": DOCUMENT.format(f"p{n}").encode() for n in range(25)})
    assert judge_on(run, plan) == choice.judge_pipelines(plan)


SCRIPT = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
%s
env.from_collection([1, 2]).key_by(lambda x: x).reduce(lambda x, y: x + y).uid("%s").print()
env.execute("job")
"""
SLOW = "t = list(range(90000))\nfor i in range(999):\n    s = max(t, key=str)\n"
"""A program of several seconds that reaches no other bound: few steps, and nothing large is made."""


def test_a_slow_pipeline_leaves_the_others_their_verdict(run: SparkRun, tmp_path: Path) -> None:
    """The allowance of a pipeline holds in Spark's tasks, too."""
    repository = Scratch(tmp_path / "repository")
    settings = 'flink = "1.20"\npipeline_seconds = 1\n'
    before = SCRIPT % ("", "a")
    repository.commit(**{"savepoint-checker.toml": settings, "good.py": before, "slow.py": before})
    repository.commit(**{"good.py": SCRIPT % ("", "b"), "slow.py": SCRIPT % (SLOW, "b")})
    judged = judge_on(run, plan_check(repository.folder, base="HEAD~1", head="HEAD"))
    found = {pipeline["name"]: to_json(pipeline) for pipeline in judged}
    assert "longer than 1 s" in found["slow"]
    assert "uid-changed" in found["good"] or "state-lost" in found["good"] or "uid-renamed" in found["good"]
