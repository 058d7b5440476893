"""``audit`` in process: what it says about histories whose answer is known."""

import json
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

from checker.cli import run
from checker.engines.choice import InProcessAudit
from checker.extract.runtime.distribution import full_version
from checker.model.flink_releases import ASSUMED_FOR_SQL
from checker.model.nested import Json
from checker.workflows.audit.auditing import Computing, run_audit
from checker.workflows.audit.datasets import datasets
from checker.workflows.audit.planning import Asked, audited
from checker.workflows.audit.stretches import Wave, Written
from tests.edits.pairs import DATA, files_below
from tests.flinks import jars_of
from tests.spark.generated import History, history
from tests.workflows.deployed import PINNED, manifest

EXPLAINED = DATA / "pairs" / "graph" / "explained-edits" / "files"

HEAD = """\
topology: 1
name: orders
flink: "1.20"
transformations:
  - {id: source, kind: source, name: events, uid: events}
"""
FILTER = "  - {id: only-new, kind: operator, operator: filter, inputs: [source]}\n"
COUNT = "  - {id: count, kind: operator, operator: process, name: count orders, inputs: [%s], stateful: true%s}\n"
SINK = "  - {id: sink, kind: sink, name: out, inputs: [count], uid: out}\n"
FILE = "orders.topology.yaml"


def document(*, filtered: bool = False, uid: str = "") -> bytes:
    count = COUNT % ("only-new" if filtered else "source", f", uid: {uid}" if uid else "")
    return (HEAD + (FILTER if filtered else "") + count + SINK).encode()


GOOD, BROKEN = document(), document(filtered=True)


def write(folder: Path, *contents: bytes | None) -> Path:
    return History([(f"step {n}", {FILE: content}) for n, content in enumerate(contents)]).write(folder)


def audit(capsys: pytest.CaptureFixture[str], repo: Path, *arguments: str, code: int | None = None) -> dict[str, Any]:
    exit_code = run(["audit", "--repo", str(repo), "--engine", "in-process", "--format", "json", *arguments])
    printed = capsys.readouterr()
    if code is not None:
        assert exit_code == code, printed.err
    found: dict[str, Any] = json.loads(printed.out)
    return found


def statuses(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(c["head"]["subject"], "repaired" if c["repairs"] else c["status"]) for c in document["changes"]]


def test_the_commit_that_broke_state_and_the_one_that_repaired_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = write(tmp_path / "repo", GOOD, GOOD + b"# more\n", BROKEN, BROKEN + b"# more\n", GOOD)
    report = audit(capsys, repo, "--range", "main~4..main", code=1)
    assert statuses(report) == [("step 2", "broke"), ("step 4", "repaired")]
    broke, repaired = report["changes"]
    assert broke["lost"] == ["count orders"]
    assert broke["repaired_later"]
    assert repaired["repairs"] == broke["head"]
    assert report["counts"]["broke"] == 2, "going back loses what the broken job has collected since"


def test_a_pipeline_that_was_deleted_with_its_state_is_removed_as_check_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = audit(capsys, write(tmp_path / "repo", GOOD, None), "--range", "main~1..main", code=0)
    assert statuses(report) == [("step 1", "removed")]
    assert report["counts"]["broke"] == 0


def test_a_break_that_was_never_repaired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = write(tmp_path / "repo", GOOD, BROKEN, document(filtered=True, uid="count"))
    report = audit(capsys, repo, "--range", "main~2..main", code=1)
    assert report["counts"]["repaired"] == 0
    assert statuses(report) == [("step 1", "broke"), ("step 2", "broke")]


def test_a_list_that_is_too_long_keeps_the_newest_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("checker.workflows.audit.report.MOST_CHANGES", 1)
    repo = write(tmp_path / "repo", GOOD, BROKEN, GOOD, BROKEN)
    report = audit(capsys, repo, "--range", "main~3..main", code=1)
    assert statuses(report) == [("step 3", "broke")]
    assert report["changes_not_listed"] == 2


def test_pipelines_that_come_and_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = write(tmp_path / "repo", b"", GOOD, None, GOOD)
    report = audit(capsys, repo, "--range", "main~3..main")
    assert [s for _, s in statuses(report) if s != "unreadable"] == ["added", "removed", "added"]


def test_a_pipeline_that_cannot_be_read_is_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = GOOD.replace(b'"1.20"', b'"1.2"')
    repo = write(tmp_path / "repo", GOOD, broken, broken + b"#\n", GOOD)
    report = audit(capsys, repo, "--range", "main~3..main", "--output", str(tmp_path / "a.txt"), code=0)
    assert report["verdict"] == "undecided"
    assert statuses(report) == [("step 1", "unreadable"), ("step 3", "undecided")]
    assert report["counts"]["unreadable"] == 2
    assert "1.2" in report["changes"][0]["cause"]
    assert "·!!?  orders" in (tmp_path / "a.txt").read_text("utf-8")


def test_a_series_that_begins_unreadable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = GOOD.replace(b'"1.20"', b'"1.2"')
    repo = write(tmp_path / "repo", broken, broken + b"#\n")
    report = audit(capsys, repo, "--range", "main~1..main", code=0)
    assert statuses(report) == [("step 0", "unreadable")]
    assert report["counts"]["unreadable"] == 2


def test_a_pipeline_that_the_settings_name_and_nobody_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = b'[[pipeline]]\nname = "gone"\nextract = "document"\nfile = "gone.topology.yaml"\n'
    repo = History([("a", {FILE: GOOD}), ("b", {"savepoint-checker.toml": settings})]).write(tmp_path / "repo")
    report = audit(capsys, repo, "--range", "main~1..main")
    (change,) = report["changes"]
    assert (change["pipeline"], change["status"]) == ("gone", "unreadable")
    assert "gone.topology.yaml" in change["cause"]


def test_what_if_says_undecided_where_only_the_revision_as_it_is_could_not_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files: dict[str, bytes | None] = {
        path: text.replace(b"1.20.3", b"1.8.0") for path, text in files_below(EXPLAINED).items()
    }
    repo = History([("first", files)]).write(tmp_path / "repo")
    report = audit(capsys, repo, "--what-if", "flink=2.3")
    assert [c["status"] for c in report["changes"]] == ["unreadable", "undecided"]
    assert "1.8.0" in report["changes"][1]["cause"]
    run(["audit", "--repo", str(repo), "--engine", "in-process", "--what-if", "flink=2.3"])
    assert "what if flink=2.3 (repo): 1 pipeline undecided" in capsys.readouterr().out


def test_what_if_another_version_or_parallelism(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = GOOD.replace(b"orders, inputs: [source]", b"orders, inputs: [source], parallelism: 2")
    repo = write(tmp_path / "repo", content)
    report = audit(capsys, repo, "--what-if", "parallelism=2", "--what-if", "flink=2.3,parallelism=8")
    assert {r["series"] for r in report["pipelines"]} == {"what if parallelism=2", "what if flink=2.3,parallelism=8"}
    changed = {c["series"] for c in report["changes"]}
    assert "what if parallelism=2" in changed, "equal parallelism chains the count to its source"


SCRIPT = """CREATE TABLE orders (k INT, v DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE totals (k INT, n DOUBLE) WITH ('connector' = 'print');
INSERT INTO totals SELECT k, {}(v) FROM orders GROUP BY k;
"""


@pytest.mark.flink
def test_scripts_are_planned_with_the_version_of_the_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for version in ("1.20.5", "2.3.0"):
        jars_of(version)
    scripts = {f"{name}.sql": SCRIPT.format(name).encode() for name in ("SUM", "STDDEV_POP")}
    repo = History([("scripts", scripts)]).write(tmp_path / "repo")
    report = audit(capsys, repo, "--what-if", "flink=2.3", code=1)
    assert [(c["pipeline"], c["status"]) for c in report["changes"]] == [("STDDEV_POP", "broke")]


TABLES = """
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment t = StreamTableEnvironment.create(env);
    t.executeSql("CREATE TABLE a (k STRING, v BIGINT) WITH ('connector' = 'datagen')");
    t.executeSql("CREATE TABLE b (k STRING, v BIGINT) WITH ('connector' = 'blackhole')");
    t.executeSql("INSERT INTO b SELECT k, SUM(v) FROM a GROUP BY k");
  }
}
"""


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
def test_programs_of_the_table_api_are_planned_as_in_a_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jars_of(full_version(ASSUMED_FOR_SQL))
    texts = [TABLES, TABLES.replace("SUM(v) FROM", "SUM(v) AS total FROM"), TABLES.replace("SUM(v)", "AVG(v)")]
    repo = History([(f"step {n}", {"src/Job.java": text.encode()}) for n, text in enumerate(texts)]).write(
        tmp_path / "repo"
    )
    report = audit(capsys, repo, "--range", "main~2..main", code=1)
    assert statuses(report) == [("step 2", "broke")]
    ends = ("main~2", "main~1", "main")
    codes = [run(["check", "--repo", str(repo), "--base", a, "--head", b]) for a, b in pairwise(ends)]
    assert codes == [0, 1]


def test_from_tag_to_tag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import subprocess

    repo = write(tmp_path / "repo", GOOD, GOOD + b"#\n", BROKEN, BROKEN)
    for tag, commit in (("v1", "main~3"), ("v1.0", "main~3"), ("v2", "main"), ("other", "main~2")):
        subprocess.run(["git", "-C", repo, "tag", tag, commit], check=True)
    report = audit(capsys, repo, "--tags", "v*", code=1)
    (change,) = report["changes"]
    assert (change["base"]["label"], change["head"]["label"]) == ("v1 = v1.0", "v2")


def test_only_some_pipelines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = history(seed=4, jobs=3, commits=4).write(tmp_path / "repo")
    report = audit(capsys, repo, "--range", "main~3..main", "--pipeline", "job[01]")
    assert [line["pipeline"] for line in sorted(report["pipelines"], key=lambda r: r["pipeline"])] == ["job0", "job1"]
    assert (
        run(["audit", "--repo", str(repo), "--range", "main~1..main", "--engine", "in-process", "--pipeline", "x"]) == 2
    )
    assert "no pipeline called x" in capsys.readouterr().err


def test_every_format_and_names_that_attack_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "<script>alert(1)</script>|`x`\u202e"
    before = GOOD.replace(b"count orders", f'"{evil}"'.encode())
    after = BROKEN.replace(b"count orders", f'"{evil}"'.encode())
    repo = write(tmp_path / "repo", before, after)
    files = [tmp_path / f"audit.{ending}" for ending in ("html", "md", "txt", "json")]
    outputs = [part for file in files for part in ("--output", str(file))]
    audit(capsys, repo, "--range", "main~1..main", *outputs, code=1)
    html, markdown, text, _ = (file.read_text("utf-8") for file in files)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "default-src &#39;none&#39;" in html
    assert "\u202e" not in html + markdown + text
    assert "State broke 1 time" in text
    assert "X" in markdown


def test_wrong_questions_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = write(tmp_path / "repo", GOOD)
    for arguments, printed in (
        ([], "say what to audit"),
        (["--range", "main"], "FIRST..LAST"),
        (["--range", "a...b"], "two dots"),
        (["--range", "main..nope"], "nope"),
        (["--tags", "v*"], "no tag matches"),
        (["--range", "main..main", "--tags", "v*"], "one of them"),
        (["--what-if", "flink=9.9"], "9.9"),
        (["--what-if", "colour=red"], "--what-if colour=red"),
        (["--fleet", str(tmp_path / "none.toml")], "none.toml"),
        (["--range", "main..main", "--format", "sarif"], "sarif"),
        (["--range", "main..main", "--output", "x.sarif"], "x.sarif"),
    ):
        assert run(["audit", "--repo", str(repo), "--engine", "in-process", *arguments]) == 2
        err = capsys.readouterr().err
        assert printed in err
        assert "Traceback" not in err


def test_a_fleet_with_members_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "one", GOOD, BROKEN)
    write(tmp_path / "two", GOOD, GOOD)
    (tmp_path / "empty").mkdir()
    file = tmp_path / "fleet.toml"
    file.write_text(
        '[[repository]]\npath = "one"\n[[repository]]\nname = "second"\n'
        'path = "two"\nrange = "main..main"\n'
        '[[repository]]\npath = "empty"\n[[repository]]\npath = "nowhere"\n',
        encoding="utf-8",
    )
    report = audit(capsys, tmp_path / "one", "--fleet", str(file), "--range", "main~1..main", code=2)
    failures = {r["name"]: r["failure"] for r in report["repositories"]}
    assert failures["one"] is None
    assert failures["second"] is None
    assert len([f for f in failures.values() if f]) == 2
    assert report["counts"]["broke"] == 1
    assert report["verdict"] == "broke"


def test_a_damaged_member_stops_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, data = tmp_path / "fleet.toml", tmp_path / "data"
    file.write_text("".join(f'[[repository]]\npath = "{name}"\n' for name in ("bad", "fine")), "utf-8")
    asked = ["--fleet", str(file), "--range", "main~1..main", "--data", str(data)]
    for name in ("bad", "fine"):
        write(tmp_path / name, GOOD, BROKEN)
    blob = subprocess.run(
        ["git", "-C", str(tmp_path / "bad"), "rev-parse", f"main:{FILE}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    damaged = tmp_path / "bad" / ".git" / "objects" / blob[:2] / blob[2:]
    whole = damaged.read_bytes()
    damaged.unlink()
    report = audit(capsys, tmp_path, *asked, code=2)
    bad, fine = report["repositories"]
    assert "is not in this clone" in bad["failure"]
    assert fine["failure"] is None
    assert report["counts"]["broke"] == 1
    damaged.write_bytes(whole)
    again = audit(capsys, tmp_path, *asked, code=1)
    assert again["steps"] == {"computed": 2, "reused": 2}
    assert again["counts"]["broke"] == 2


def test_two_members_with_one_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "a" / "jobs", GOOD)
    write(tmp_path / "b" / "jobs", GOOD)
    file = tmp_path / "fleet.toml"
    file.write_text('[[repository]]\npath = "a/jobs"\n[[repository]]\npath = "b/jobs"\n', encoding="utf-8")
    assert run(["audit", "--fleet", str(file), "--range", "main..main", "--engine", "in-process"]) == 2
    assert "both called 'jobs'" in capsys.readouterr().err


def test_a_history_is_not_built_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = b'[[pipeline]]\nname = "job"\nmain = "a.Job"\nflink = "1.20"\nbuild = "touch was-here; exit 1"\n'
    program = (
        "package a;\nclass Job {{ public static void main(String[] args) throws Exception {{\n"
        "var env = org.apache.flink.streaming.api.environment.StreamExecutionEnvironment.getExecutionEnvironment();\n"
        'env.fromSequence(0, 9).map(x -> x).uid("{}").print().uid("out"); env.execute(); }} }}\n'
    )
    contents = [
        (f"step {n}", {"savepoint-checker.toml": settings, "a/Job.java": program.format(uid).encode()})
        for n, uid in enumerate(("one", "two"))
    ]
    repo = History(contents).write(tmp_path / "repo")
    report = audit(capsys, repo, "--range", "main~1..main")
    assert report["counts"]["unreadable"] == 0
    assert report["counts"]["units"] == 2
    (note,) = report["notes"]
    assert "job could be run, but a history is not built: only source is read" in note


KEYS = "package acme;\nclass Keys { static String of(String x) { String y = x%s; y += 1; return y; } }\n"
KEYED = """package acme;
import org.apache.flink.streaming.api.environment.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("in").keyBy(x -> Keys.of(x)).reduce((a, b) -> b).uid("last").print();
    env.execute();
  }
}
"""


def test_a_step_with_an_edit_that_was_not_understood_is_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [("", ""), (".trim()", ""), (".trim()", "// a comment\n")]
    files = [
        {"src/main/java/acme/Job.java": (KEYED + note).encode(), "src/main/java/acme/Keys.java": (KEYS % key).encode()}
        for key, note in steps
    ]
    repo = History([(f"step {number}", files_of_step) for number, files_of_step in enumerate(files)]).write(
        tmp_path / "repo"
    )
    report = audit(capsys, repo, "--range", "main~2..main")
    assert statuses(report) == [("step 1", "undecided")]
    for fail_on, code in (("broke", 0), ("undecided", 1), ("never", 0)):
        audit(capsys, repo, "--range", "main~2..main", "--fail-on", fail_on, code=code)


@pytest.mark.parametrize(("edited", "found"), [(" WHERE a > 1", "undecided"), ("", None)])
def test_a_step_with_operators_that_could_not_be_read_is_undecided(
    edited: str, found: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = """package acme;
class Report {
    public static void main(String[] args) throws Exception {
        var env = org.apache.flink.streaming.api.environment.StreamExecutionEnvironment.getExecutionEnvironment();
        var tables = org.apache.flink.table.api.bridge.java.StreamTableEnvironment.create(env);
        tables.executeSql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')");
        tables.toDataStream(tables.sqlQuery("SELECT COUNT(*) FROM t%s")).print();
        env.execute();
    }
}
"""
    texts = [program % "", program % edited + "// a comment\n"]
    files = [{"src/main/java/acme/Report.java": text.encode()} for text in texts]
    repo = History([(f"step {n}", file) for n, file in enumerate(files)]).write(tmp_path / "repo")
    report = audit(capsys, repo, "--range", "main~1..main")
    assert statuses(report) == ([("step 1", found)] if found else [])


def test_other_keys_break_although_every_operator_restores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = KEYED.replace("Keys.of(x)", "x.trim()")
    jobs = [job, job.replace("trim", "strip"), job]
    written = [(f"step {n}", {"src/main/java/acme/Job.java": text.encode()}) for n, text in enumerate(jobs)]
    report = audit(capsys, History(written).write(tmp_path / "repo"), "--range", "main~2..main")
    assert statuses(report) == [("step 1", "broke"), ("step 2", "repaired")]


@pytest.mark.parametrize(
    ("before", "after", "status", "cause"),
    [
        ("v1_20", "v1_19", "changed", "Flink changed from 1.20 to 1.19"),
        ("value: orders", "value: secret", None, ""),
        ("last-state", "stateless", "broke", "the deployment starts every new version without state"),
        ("# the orders job", "# the job", None, ""),
        ("parallelism: 4", "parallelism: 400", "broke", ""),
    ],
)
def test_an_edit_of_a_manifest_is_a_change_of_its_pipeline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, status: str | None, cause: str
) -> None:
    topic = "podTemplate: {spec: {containers: [{name: flink-main-container, env: [{name: T, value: orders}]}]}}"
    text = "# the orders job\n" + manifest(
        parallelism="4", mode="last-state", options='pipeline.max-parallelism: "256"',
        spec=f"flinkVersion: v1_20\n  {topic}",
    )  # fmt: skip
    program = {path: content.encode() for path, content in PINNED.items()}
    assert before in text
    sides = [text, text.replace(before, after)]
    steps = [(f"step {n}", {**program, "deploy/o.yaml": side.encode()}) for n, side in enumerate(sides)]
    repo = History(steps).write(tmp_path / "repo")
    data = tmp_path / "data"
    report = audit(capsys, repo, "--range", "main~1..main", "--data", str(data), code=1 if status == "broke" else 0)
    assert statuses(report) == ([("step 1", status)] if status else [])
    assert all((change["cause"] or "").startswith(cause) for change in report["changes"])
    assert not any(b"secret" in file.read_bytes() for file in data.rglob("*") if file.is_file())


JAVA = """package {package};
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("localhost", 9999).map(x -> x).uid("m").print();
    env.execute();
  }}
}}
"""


def test_a_pipeline_that_gets_a_longer_name_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = ((f"src/main/java/{p}/Job.java", JAVA.format(package=p).encode()) for p in ("a", "b"))
    steps = [("one job", dict([first])), ("another of its name", dict([second])), ("and it goes", {second[0]: None})]
    repo = History(steps).write(tmp_path / "repo")
    report = audit(capsys, repo, "--range", "main~2..main", code=0)
    found = [(c["head"]["subject"], c["pipeline"], c["status"]) for c in report["changes"]]
    assert found == [("another of its name", "b.Job", "added"), ("and it goes", "b.Job", "removed")]


LONG = """
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class NAME {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("localhost", 9999)EDIT.keyBy(x -> x).reduce((a, b) -> a + b).name("sum").print();
    env.execute();
  }
}
"""


@pytest.mark.parametrize(
    ("edit", "code", "found"),
    [
        (".map(x -> x).disableChaining()", 1, [("Work", "broke")]),
        ("", 0, []),
        (
            ".map(x -> x).filter(x -> true).map(x -> x).filter(x -> true).map(x -> x)",
            0,
            [("Job", "removed"), ("Work", "added")],
        ),
    ],
    ids=["renamed and edited", "only renamed", "another program"],
)
@pytest.mark.parametrize("settings", ["", '[[pipeline]]\nname = "Work"\nmain = "Work"\n'], ids=["found", "configured"])
def test_a_renamed_pipeline_is_compared_with_what_it_was(
    edit: str, code: int, found: list[tuple[str, str]], settings: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    files = [{f"src/{name}.java": LONG.replace("NAME", name).replace("EDIT", edit).encode()} for name, edit in
             (("Job", ""), ("Work", edit))]  # fmt: skip
    second: dict[str, bytes | None] = {"src/Job.java": None, **files[1], "savepoint-checker.toml": settings.encode()}
    repo = History([("first", {**files[0]}), ("renamed", second)]).write(tmp_path / "repo")
    report = audit(capsys, repo, "--range", "main~1..main", code=code)
    assert sorted((c["pipeline"], c["status"]) for c in report["changes"]) == found
    assert run(["check", "--repo", str(repo), "--base", "main~1", "--head", "main"]) == code


def test_the_newest_break_is_read_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = write(tmp_path / "repo", GOOD, BROKEN, GOOD, BROKEN)
    for form in ("text", "markdown", "html"):
        run(["audit", "--repo", str(repo), "--engine", "in-process", "--range", "main~3..main", "--format", form])
        text = capsys.readouterr().out
        rows = text[text.index("count orders") - 400 :] if form == "html" else text
        places = [rows.index(f"step {n}") for n in (3, 2, 1)]
        assert places == sorted(places), form


def test_every_what_if_has_its_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo = write(tmp_path / "repo", GOOD)
    asked = ["audit", "--repo", str(repo), "--engine", "in-process", "--what-if", "flink=2.3"]
    for form in ("text", "markdown", "html"):
        assert run([*asked, "--format", form]) == 0
        printed = capsys.readouterr().out.replace("\\", "")
        assert "what if flink=2.3 (repo): 1 pipeline as before" in printed, form


def test_what_no_reader_followed_counts_as_in_a_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An edit of code alone, an edit beside it that changes a build file too, and the way back."""
    keys, count = "src/main/java/acme/Keys.java", "src/main/java/acme/Count.java"
    edits = [(keys, "x.trim()", "x.strip()"), ("pom.xml", "<version>1<", "<version>3<"), (count, "before + 1", "1L")]
    now = files_below(EXPLAINED)
    now[keys] = now[keys].replace(b"return x.trim();", b"String y = x.trim(); y += 1; return y;")
    written: list[tuple[str, dict[str, bytes | None]]] = [("first", dict(now))]
    for path, before, after in (*edits, *((path, after, before) for path, before, after in edits)):
        now[path] = now[path].replace(before.encode(), after.encode(), 1)
        written.append((f"{after} in {path.rpartition('/')[2]}", {path: now[path]}))
    repo = History(written).write(tmp_path / "repo")
    report = audit(capsys, repo, "--range", "main~6..main")
    undecided = [("x.strip() in Keys.java", "undecided"), ("x.trim() in Keys.java", "undecided")]
    assert statuses(report) == undecided
    assert all("Keys" in str(change["cause"]) for change in report["changes"]), report["changes"]


def test_large_repositories_come_first_and_are_cut_where_they_are_much_of_all() -> None:
    wave = Wave(slots=2, folder=Path(), stretches=[Written("a", "f", 3, 10), Written("b", "g", 5, 100)])
    assert [(task.repository, task.share, task.shares) for task in wave.tasks] == [
        ("b", 0, 2),
        ("b", 1, 2),
        ("a", 0, 1),
    ]
    alone = Wave(slots=1, folder=Path(), stretches=[Written("r", "f", 2, 1_000)])
    assert [(task.share, task.shares) for task in alone.tasks] == [(0, 1)]


def test_the_next_wave_begins_before_the_last_task_of_one_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("checker.workflows.audit.stretches.MAX_REVISIONS", 3)
    begun: list[int] = []
    second = threading.Event()

    class TwoSlots(InProcessAudit):
        slots = 2

        def run(self, tasks: Computing, count: int) -> Iterator[Json]:
            begun.append(count)
            if len(begun) == 1:
                assert second.wait(60)
            second.set()
            return super().run(tasks, count)

    repo = write(tmp_path / "repo", *(document(uid=f"count{n}") for n in range(10)))
    report = {}
    for engine in (TwoSlots(), InProcessAudit()):
        with datasets(tmp_path / str(engine.slots)) as kept:
            repositories = [audited(None, repo, Asked(range="main~9..main"))]
            report[engine.slots] = run_audit(repositories, engine, kept, progress=lambda *_: None)
            assert kept.entries > 2
    assert report[1] == report[2]
    assert report[1]["steps"] == {"computed": 10, "reused": 0}


def test_tasks_on_other_machines_need_no_folder_of_this_one(tmp_path: Path) -> None:
    class Elsewhere(InProcessAudit):
        elsewhere = True

        def run(self, tasks: Computing, count: int) -> Iterator[Json]:
            return super().run(replace(tasks, folder="/not/there"), count)

    repo = write(tmp_path / "repo", GOOD, BROKEN, GOOD)
    reports = []
    for engine in (Elsewhere(), InProcessAudit()):
        with datasets(tmp_path / str(engine.elsewhere)) as kept:
            repositories = [audited(None, repo, Asked(range="main~2..main"))]
            reports.append(run_audit(repositories, engine, kept, progress=lambda *_: None))
    assert reports[0] == reports[1]
    assert reports[0]["counts"]["broke"] == 2


def test_a_job_that_flink_refuses_breaks_once_and_stays_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = document(uid="out")
    repo = write(tmp_path / "repo", GOOD, twice, twice + b"# more\n", twice.replace(b"count orders", b"all"), GOOD)
    report = audit(capsys, repo, "--range", "main~4..main", "--output", str(tmp_path / "a.txt"), code=1)
    assert statuses(report) == [("step 1", "broke"), ("step 4", "repaired")]
    later = audit(capsys, repo, "--range", "main~2..main", "--output", str(tmp_path / "b.txt"), code=0)
    assert statuses(later) == [("step 2", "refused"), ("step 4", "changed")]
    assert "xx~  orders" in (tmp_path / "b.txt").read_text("utf-8")
    for base in ("main~2", "main~1"):
        run(["check", "--repo", str(repo), "--base", base, "--head", f"{base}~0", "--format", "json"])
        assert json.loads(capsys.readouterr().out)["pipelines"][0]["status"] == "refused"
