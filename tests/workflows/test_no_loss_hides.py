"""Neither a pipeline that can't be found any more nor the change's own configuration hides a loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.cli import run
from checker.rules.suppressions import UNDECIDED_RULES
from tests.scratch import Scratch, topology

MAIN = "src/main/java/jobs/Orders.java"
JAVA = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).keyBy(x -> x).reduce((x, y) -> y).uid("orders").print();
    env.execute();
  }
}
"""
SCRIPT = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).key_by(lambda x: x).reduce(lambda a, b: a).uid("orders").print()
env.execute()
"""
KOTLIN = "package jobs\nimport org.apache.flink.streaming.api.environment.StreamExecutionEnvironment\n"
KOTLIN_JOB = KOTLIN + "fun main() { StreamExecutionEnvironment.getExecutionEnvironment().execute() }"


def changed(scratch: Scratch, before: dict[str, str], after: dict[str, str | None]) -> Scratch:
    scratch.commit(**before)
    for path, content in after.items():
        if content is None:
            (scratch.folder / path).unlink()
        else:
            scratch.write(path, content)
    scratch.commit("a change")
    return scratch


def check(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, report


VANISHED: list[tuple[str, dict[str, str], dict[str, str | None], str]] = [
    ("Kotlin", {MAIN: JAVA}, {MAIN: None, "src/main/kotlin/jobs/Orders.kt": KOTLIN + "fun main() {}"}, "in Kotlin"),
    ("Scala", {MAIN: JAVA}, {MAIN: None, "scala/All.scala": "package jobs\nobject Orders {}"}, "in Scala"),
    ("library", {MAIN: JAVA}, {MAIN: "package jobs; public class Orders { public static void main(String[] a) "
     "{ acme.Flink.run(new Steps()); } }"}, "a library"),
    ("syntax", {MAIN: JAVA}, {MAIN: JAVA.replace("void main(", "void main((((")}, "does not parse"),
    ("LFS", {MAIN: JAVA}, {MAIN: "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n"}, "Git LFS"),
    ("no class", {MAIN: JAVA}, {MAIN: ""}, "holds no class"),
    ("another name", {MAIN: JAVA}, {MAIN: None, "src/main/java/jobs/Sums.java": JAVA.replace("Orders {", "Sums {{{")},
     "Sums.java is new and could not be read"),
    ("superclass", {MAIN: JAVA}, {MAIN: "package jobs; public class Orders extends acme.Job { }"}, "jobs.Orders"),
    ("script", {"orders.py": SCRIPT}, {"orders.py": "from acme import main\nmain()\n"}, "orders.py is still there"),
    ("document", {"a.topology.yaml": topology()}, {"a.topology.yaml": topology() + "  - {"}, "not YAML"),
    ("second job", {MAIN: JAVA.replace("env.execute();", 'env.execute();\nenv.fromSequence(0, 1).uid("b").print();'
     "env.execute();")}, {MAIN: JAVA.replace("env.execute();", "Unknown.call(env);")}, "job 2"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "says"), [c[1:] for c in VANISHED], ids=[c[0] for c in VANISHED])
def test_a_pipeline_that_is_only_not_found_is_an_undecided_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: dict[str, str], after: dict[str, str | None], says: str
) -> None:
    code, report = check(changed(Scratch(tmp_path / "repo"), before, after), capsys)
    assert code == 1
    errors = [f for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"]
    assert errors[-1]["rule"] in UNDECIDED_RULES
    assert says in errors[-1]["message"]


OPEN = "\n".join("com.lib.Steps.add(env);" if "socket" in line else line for line in JAVA.splitlines())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({MAIN: JAVA, "x": ""}, {MAIN: None}),
        ({MAIN: JAVA, "x": ""}, {MAIN: "package jobs; public class Orders { static int x; }"}),
        ({MAIN: OPEN, "x": ""}, {MAIN: None}),
        ({"orders.py": SCRIPT, "x": ""}, {"orders.py": None}),
        ({"src/main/kotlin/jobs/Orders.kt": KOTLIN_JOB, "x": ""}, {"src/main/kotlin/jobs/Orders.kt": None}),
        ({"a.topology.yaml": topology(), "x": ""}, {"a.topology.yaml": None}),
    ],
)
def test_a_pipeline_that_was_deleted_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: dict[str, str], after: dict[str, str | None]
) -> None:
    code, report = check(changed(Scratch(tmp_path / "repo"), before, after), capsys)
    assert code == 0
    (pipeline,) = report["pipelines"]
    assert pipeline["status"] == "removed"
    assert [(f["rule"], f["severity"]) for f in pipeline["findings"]] == [("pipeline-removed", "warning")]


def test_a_pipeline_that_was_kotlin_before_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kotlin = {"src/main/kotlin/jobs/Orders.kt": KOTLIN + "fun main() {}"}
    scratch = changed(Scratch(tmp_path / "repo"), kotlin, {**dict.fromkeys(kotlin), MAIN: JAVA})
    assert check(scratch, capsys)[0] == 1


def test_a_kotlin_program_that_moves_with_another_release_has_its_edits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = 'libraryDependencies += "org.flinkextended" %% "flink-scala-api" % "1.17.1_1.1.1"\n'
    job = KOTLIN_JOB.replace("fun main", "import org.apache.flinkx.api.*\nfun main")
    moved: dict[str, str | None] = {"src/main/kotlin/Orders.kt": None, "app/src/main/kotlin/Orders.kt": job}
    before = {"src/main/kotlin/Orders.kt": job, "build.sbt": build}
    code, report = check(
        changed(Scratch(tmp_path / "repo"), before, moved | {"build.sbt": build.replace("1.1.1", "1.1.2")}), capsys
    )
    (pipeline,) = report["pipelines"]
    assert (code, [edit["name"] for edit in pipeline["account"]["edits"]]) == (1, ["build.sbt"])


def test_a_class_that_becomes_a_job_is_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = "package jobs; public class Orders { public static void main(String[] args) { } }"
    code, report = check(changed(Scratch(tmp_path / "repo"), {MAIN: plain}, {MAIN: JAVA}), capsys)
    assert (code, report["pipelines"][0]["status"]) == (0, "added")


LOSSES: list[tuple[str, str]] = [
    ("discover", "discover = false"),
    ("exclude", 'exclude = ["*.topology.yaml"]'),
    ("rules", "[rules]\nstateful-id-changed = 'off'\nonly-with-allow-non-restored = 'off'"),
    ("rules", "[rules]\nstateful-id-changed = 'info'"),
    ("fail_on", "fail_on = 'never'"),
]
CONFIGURATION = "savepoint-checker.toml"


@pytest.mark.parametrize(("key", "loosened"), LOSSES)
def test_what_the_configuration_of_a_change_loosens_does_not_hold_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str, loosened: str
) -> None:
    before, after = topology("job"), topology("job", before="filter")
    scratch = changed(
        Scratch(tmp_path / "repo"), {"job.topology.yaml": before}, {"job.topology.yaml": after, CONFIGURATION: loosened}
    )
    code, report = check(scratch, capsys)
    assert code == 1
    assert any(f["rule"] == "stateful-id-changed" for p in report["pipelines"] for f in p["findings"])
    notes = (*report["loosened"], *(n["message"] for n in report["notes"]))
    assert any("until the base says so too" in s or "the head's configuration leaves it out" in s for s in notes)

    allowed = {"job.topology.yaml": before, CONFIGURATION: f'changes_may_loosen = ["{key}"]'}
    there = changed(Scratch(tmp_path / "allowed"), allowed, {"job.topology.yaml": after, CONFIGURATION: loosened})
    assert check(there, capsys)[0] == 0


COMMENTED = JAVA.replace("env.socket", "// savepoint-checker: ignore[*] meant\n    env.socket")
MAPPING = '[[operator]]\nold = "orders"\ndropped = true\nreason = "meant"'
APPROVALS: dict[str, tuple[str, dict[str, str | None]]] = {
    "suppress": ('[[suppress]]\nrule = "*"\nreason = "meant"', {}),
    "comment": ("", {MAIN: COMMENTED.replace('.uid("orders")', "")}),
    "mapping": ("", {"savepoint-mapping.toml": MAPPING}),
}


@pytest.mark.parametrize("way", APPROVALS)
@pytest.mark.parametrize(("strict", "code"), [("", 0), ("changes_may_loosen = []\n", 1)])
def test_approvals_of_a_change_hold_unless_the_base_says_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], way: str, strict: str, code: int
) -> None:
    settings, files = APPROVALS[way]
    after = {MAIN: JAVA.replace('.uid("orders")', ""), **files, CONFIGURATION: strict + settings}
    scratch = changed(Scratch(tmp_path / "repo"), {MAIN: JAVA, CONFIGURATION: strict}, after)
    assert check(scratch, capsys)[0] == code


ARGUMENTS = JAVA.replace('uid("orders")', 'uid(args[0] + "-orders")')
NAMED = '[[pipeline]]\nname = "orders"\nmain = "jobs.Orders"\nargs = ["{}"]\n'


def test_the_base_is_read_as_it_configures_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another argument in the configuration is another uid, although no code changed."""
    scratch = changed(
        Scratch(tmp_path / "repo"),
        {MAIN: ARGUMENTS, CONFIGURATION: NAMED.format("prod")},
        {CONFIGURATION: NAMED.format("test")},
    )
    code, report = check(scratch, capsys)
    assert code == 1
    assert {f["rule"] for p in report["pipelines"] for f in p["findings"]} >= {"uid-renamed"}


def test_a_variable_that_is_no_longer_unset_moves_no_id_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uid = 'System.getenv("REGION") == null ? "orders" : System.getenv("REGION")'
    java = JAVA.replace('"orders"', uid)
    before = {MAIN: java, "savepoint-checker.toml": 'unset = ["REGION"]'}
    code, report = check(changed(Scratch(tmp_path / "repo"), before, {"savepoint-checker.toml": "# none"}), capsys)
    assert code == 1
    assert "undecided" in [finding["rule"] for finding in report["pipelines"][0]["findings"]]


def test_a_configuration_that_settles_what_was_open_holds_for_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = changed(
        Scratch(tmp_path / "repo"), {MAIN: ARGUMENTS, CONFIGURATION: ""}, {CONFIGURATION: NAMED.format("prod")}
    )
    code, report = check(scratch, capsys)
    assert (code, [p["name"] for p in report["pipelines"]]) == (0, ["orders"])


def test_a_configured_pipeline_may_get_another_main_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    renamed = JAVA.replace("class Orders", "class Sales")
    lost = renamed.replace('.uid("orders")', "")
    for place, (after, loses) in enumerate(((renamed, False), (lost, True))):
        scratch = changed(
            Scratch(tmp_path / f"repo{place}"),
            {MAIN: JAVA, CONFIGURATION: NAMED.format("x")},
            {
                MAIN: None,
                "src/main/java/jobs/Sales.java": after,
                CONFIGURATION: NAMED.replace("Orders", "Sales").format("x"),
            },
        )
        report = check(scratch, capsys)[1]
        assert [p["name"] for p in report["pipelines"]] == ["orders"]
        assert ("uid-removed" in {f["rule"] for p in report["pipelines"] for f in p["findings"]}) == loses


def test_a_placeholder_that_became_a_job_is_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    placeholder = (
        "package jobs;\n/** Will be a flink job. */\n"
        "public class Orders { public static void main(String[] a) { System.out.println(1); } }\n"
    )
    code, report = check(changed(Scratch(tmp_path / "repo"), {MAIN: placeholder}, {MAIN: JAVA}), capsys)
    assert code == 0
    assert [p["status"] for p in report["pipelines"]] == ["added"]


def test_a_schema_of_any_shape_stops_no_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = {"type": {"type": "record", "name": "Order", "fields": [{"name": "a", "type": ["null", "string"]}]}}
    before = {MAIN: JAVA, "schemas/Order.avsc": json.dumps(schema)}
    code, _ = check(changed(Scratch(tmp_path / "repo"), before, {"schemas/Order.avsc": "[[1], {}]"}), capsys)
    assert code == 0


@pytest.mark.parametrize("link", ["conf", "conf/app.properties"])
def test_what_is_reached_through_a_link_is_an_edit_that_nobody_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], link: str
) -> None:
    reads = JAVA.replace(
        '"orders"', 'org.apache.flink.api.java.utils.ParameterTool.fromPropertiesFile("conf/app.properties").get("id")'
    )
    scratch = Scratch(tmp_path / "repo")
    below = link.removeprefix("conf")
    scratch.commit(**{MAIN: reads, "prod/app.properties": "id=a", "test/app.properties": "id=b"})
    place = scratch.folder / link
    for target in ("prod", "test"):
        place.parent.mkdir(exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(("../" if below else "") + target + below)
        scratch.commit("a link")
    code, report = check(scratch, capsys)
    assert code == 1
    assert "edit-not-understood" in {f["rule"] for p in report["pipelines"] for f in p["findings"]}


def test_a_class_of_the_same_name_in_another_module_is_another_pipeline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clicks = JAVA.replace("orders", "clicks").replace(".reduce((x, y) -> y)", ".map(x -> x).filter(x -> true).uid('f')")
    before = {f"a/{MAIN}": JAVA, f"b/{MAIN}": clicks}
    code, report = check(changed(Scratch(tmp_path / "repo"), before, {f"c/{MAIN}": clicks, f"b/{MAIN}": None}), capsys)
    assert [f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"] == []
    assert code == 0


def test_edits_of_a_document_are_accounted_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"a.topology.yaml": topology(uid="count")}
    _, report = check(changed(Scratch(tmp_path / "repo"), files, {"a.topology.yaml": topology(uid="total")}), capsys)
    (pipeline,) = report["pipelines"]
    assert [(e["name"], e["explanation"]) for e in pipeline["account"]["edits"]] == [("a.topology.yaml", "compared")]


@pytest.mark.parametrize(
    ("path", "before", "after", "exit_code"),
    [
        ("src/main/java/jobs/Total.java", "int n;", "int n; public Total() {}", 1),
        ("src/main/java/jobs/Total.java", "int n;", "/* n */ int n;", 0),
        (MAIN, 'uid("count")', 'uid("total")', 1),
        (MAIN, "// map", "System.out.println(1);", 0),
    ],
)
def test_nothing_counts_as_compared_where_no_graph_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, before: str, after: str, exit_code: int
) -> None:
    """Flink 1.8 is not modelled: the program is read, and what becomes of it is not known."""
    files = {
        MAIN: """package jobs;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static class Count extends RichMapFunction<Long, Long> {
    ValueState<Total> total;
    public void open(Configuration c) {
      total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Total.class));
    }
    public Long map(Long x) {
      // map
      return x;
    }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).keyBy(x -> x).map(new Count()).uid("count").print();
    env.execute();
  }
}
""",
        "src/main/java/jobs/Total.java": "package jobs;\npublic class Total { public int n; Total(int n) { } }\n",
        "pom.xml": "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
        "<artifactId>flink-streaming-java_2.11</artifactId><version>1.8.0</version></dependency></dependencies></project>",
    }
    assert before in files[path]
    code, report = check(changed(Scratch(tmp_path / "repo"), files, {path: files[path].replace(before, after)}), capsys)
    (pipeline,) = report["pipelines"]
    assert "not supported" in pipeline["failure"]["head"]
    assert code == exit_code


@pytest.mark.parametrize(("version", "exit_code"), [("1.12", 0), ("1.14", 1)])
def test_an_older_release_is_compared_with_none_but_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], version: str, exit_code: int
) -> None:
    files = {"a.topology.yaml": topology(uid="count").replace("1.20", "1.12")}
    changes = {"a.topology.yaml": files["a.topology.yaml"].replace("1.12", version) + "# a comment\n"}
    code, _ = check(changed(Scratch(tmp_path / "repo"), files, changes), capsys)
    assert code == exit_code


def test_a_document_that_makes_no_graph_is_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"a.topology.yaml": topology(uid="count").replace("1.20", "1.8")}
    changes = {"a.topology.yaml": files["a.topology.yaml"].replace("count", "total")}
    code, report = check(changed(Scratch(tmp_path / "repo"), files, changes), capsys)
    assert code == 1
    assert "not supported" in report["pipelines"][0]["failure"]["head"]
