"""Every step of an audit says of each pipeline what ``check`` says of the same two revisions."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from checker.cli import run
from checker.engines.choice import judge_pipelines
from checker.engines.spark.work import Judging
from checker.workflows.carried_files import carried_plan
from checker.workflows.check.comparing_revisions import plan_check
from tests.edits.pairs import DATA, files_below
from tests.scratch import Scratch
from tests.spark.generated import History
from tests.workflows.deployed import BY_ARGUMENT, MAIN, PINNED, POM, java, manifest
from tests.workflows.test_submodules import NEW as NEW_COMMIT
from tests.workflows.test_submodules import OLD as OLD_COMMIT
from tests.workflows.test_submodules import moved

Files = Mapping[str, str | None]
UNREAD = DATA / "pairs" / "deployments" / "unread-programs" / "files"
FILES = {path: content.decode() for path, content in files_below(UNREAD).items()}
"""Programs in Kotlin and Scala, and what they use."""
KOTLIN = "src/main/kotlin/jobs/steps/Dedup.kt"
SCALA_JOB = "object Job extends App { org.apache.flink.streaming.api.scala.StreamExecutionEnvironment }\n"
PLAIN = "public class Job { public static void main(String[] args) { System.out.println(1); } }\n"
README = "# Jobs\n\n    flink run -c Job job.jar {}\n"
PROD, TEST = "k8s/prod/job.yaml", "k8s/test/job.yaml"
STREAM = "import org.apache.flink.streaming.api.datastream.DataStream;"
OLD = java("env.fromElements(1).print();")
RULES = "src/main/resources/rules.csv"
READS = 'String uid = new String(Job.class.getResourceAsStream("/rules.csv").readAllBytes());'
FROM_FILE = {
    "pom.xml": POM,
    MAIN: java(f"{READS} env.fromElements(1).keyBy(x -> x).reduce((a, b) -> a).uid(uid).print();"),
}
REFUSED = java('env.fromElements(1).map(x -> x).uid("a").map(x -> x).uid("a").print();')


def in_test(uid: str) -> str:
    return manifest(args=f'["--uid", "{uid}"]').replace("namespace: prod", "namespace: test")


def branching(function: str) -> str:
    numbers = "DataStream<Integer> numbers = env.fromElements(1);"
    more = f'if (ParameterTool.fromArgs(args).has("more")) {{ numbers = numbers.map({function}); }}'
    return java(f"{numbers} {more} numbers.keyBy(x -> x).reduce((a, b) -> a).print();", imports=STREAM)


def verdicts(repo: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What audit and check say of the last commit: pipeline → what becomes of it, of those where anything does."""
    run(["audit", "--repo", str(repo), "--engine", "in-process", "--format", "json", "--range", "main~1..main"])
    steps = json.loads(capsys.readouterr().out)["changes"]
    audited = {s["pipeline"]: s["status"] for s in steps if s["base"] is not None}
    run(["check", "--repo", str(repo), "--engine", "in-process", "--format", "json", "--base", "main~1"])
    checked = {}
    for pipeline in json.loads(capsys.readouterr().out)["pipelines"]:
        rules = {f["rule"] for f in pipeline["findings"] if f["severity"] == "error"}
        if rules:
            checked[pipeline["name"]] = "undecided" if rules <= {"undecided", "edit-not-understood"} else "broke"
        elif pipeline["status"] in ("added", "removed"):
            checked[pipeline["name"]] = pipeline["status"]
    kept = ("unchanged", "changed")
    return {n: "undecided" if s == "unreadable" else s for n, s in audited.items() if s not in kept}, checked


def test_a_submodule_that_moves_and_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = moved(tmp_path / "modules", "jobs", OLD_COMMIT, NEW_COMMIT)
    assert verdicts(scratch.folder, capsys) == ({"jobs": "undecided"},) * 2
    linked = Scratch(tmp_path / "links")
    linked.commit(**FROM_FILE, **{"a.csv": "a\n", "b.csv": "b\n"})
    place = linked.folder / RULES
    place.parent.mkdir(parents=True)
    for target in ("a.csv", "b.csv"):
        place.unlink(missing_ok=True)
        place.symlink_to(f"../../../{target}")
        linked.commit("a link")
    assert verdicts(linked.folder, capsys) == ({"Job": "undecided"},) * 2
    plan = plan_check(linked.folder, base="main~1", head="main")
    (judged,) = Judging(carried_plan(plan), plan.names, 1)(0)
    assert json.loads(judged["document"]) == judge_pipelines(plan)[0]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            FILES,
            {KOTLIN: FILES[KOTLIN].replace("n = 1", "n = 2")},
            {"Orders": "undecided", "Clicks": "undecided"},
            id="code of programs that nobody reads",
        ),
        pytest.param(FILES, {KOTLIN: f"{FILES[KOTLIN]}// a note\n"}, {}, id="a comment in such code"),
        pytest.param(FILES, {"src/main/resources/other.yaml": "n: 2\n"}, {}, id="a file that no such program names"),
        pytest.param(
            PINNED,
            {MAIN: None, "src/main/scala/Job.scala": SCALA_JOB},
            {"Job": "undecided"},
            id="a program that is now in Scala",
        ),
        pytest.param(PINNED, {MAIN: None}, {"Job": "removed"}, id="a program that was deleted"),
        pytest.param(PINNED, {MAIN: PLAIN}, {"Job": "undecided"}, id="a program in which no job is found any more"),
        pytest.param({"pom.xml": POM, MAIN: PLAIN}, {MAIN: OLD}, {"Job": "added"}, id="a program that becomes a job"),
        pytest.param(
            {"pom.xml": POM, "src/main/scala/Job.scala": SCALA_JOB},
            {MAIN: PINNED[MAIN], "src/main/scala/Job.scala": None},
            {"Job": "undecided"},
            id="a program that was in Scala",
        ),
        pytest.param(
            {"pom.xml": POM, MAIN: branching("x -> x"), "README.md": README.format("--more a")},
            {MAIN: branching("x -> x).map(x -> x")},
            {"Job": "undecided"},
            id="a branch that is taken with arguments that only a document has",
        ),
        pytest.param(
            {**BY_ARGUMENT, PROD: manifest(args='["--uid", "p"]'), TEST: in_test("t")},
            {TEST: in_test("other")},
            {"Job @ test": "broke"},
            id="one of two environments",
        ),
        pytest.param(
            {**BY_ARGUMENT, PROD: manifest(args='["--uid", "p"]'), TEST: in_test("t")},
            {TEST: in_test("t").replace("parallelism: 2", "parallelism: 3")},
            {},
            id="the parallelism of one of two environments",
        ),
        pytest.param(
            {**PINNED, "k.yaml": manifest(main="", jar="local:///opt/x.jar")},
            {"k.yaml": manifest(main="", jar="local:///opt/x.jar", parallelism="4")},
            {},
            id="a start that may be of another program",
        ),
        pytest.param({**FROM_FILE, RULES: "a\n"}, {RULES: "b\n"}, {"Job": "broke"}, id="a file that the program reads"),
        pytest.param({**FROM_FILE, "rules.jar": "\0a"}, {"rules.jar": "\0b"}, {}, id="a file that is no text"),
        pytest.param({**PINNED, "a.jar": PINNED[MAIN]}, {MAIN: None}, {"Job": "removed"}, id="a program in one"),
        pytest.param(
            {"pom.xml": POM, MAIN: REFUSED}, {MAIN: REFUSED.replace("fromElements(1)", "fromElements(2)")}, {},
            id="refused before and after",
        ),
    ],
)  # fmt: skip
def test_a_step(
    before: Files, after: Files, expected: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commits = [(str(n), {p: None if t is None else t.encode() for p, t in f.items()}) for n, f in
               enumerate((before, after))]  # fmt: skip
    audited, checked = verdicts(History(commits).write(tmp_path / "repo"), capsys)
    assert audited == checked
    assert checked == expected
