"""The command line: exit codes, one clear error, results on stdout and nothing else there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from checker.cli import run
from checker.report.formats import Report, formats_of
from tests.scratch import Scratch, topology


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    scratch = Scratch(tmp_path / "repo")
    scratch.write("job.topology.yaml", topology())
    scratch.commit("a job")
    return scratch


def check(scratch: Scratch, *arguments: str) -> int:
    return run(["check", "--engine", "in-process", "--repo", str(scratch.folder), *arguments])


def test_broken_state_exits_with_1(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    scratch.write("job.topology.yaml", topology(before="filter"))
    scratch.commit("an innocent filter")
    assert check(scratch) == 1
    out = capsys.readouterr().out
    assert "stateful-id-changed" in out
    assert 'uid_hash: "' in out
    assert check(scratch, "--fail-on", "never") == 0


def test_a_revision_against_itself_is_silent(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(scratch, "--base", "HEAD", "--format", "json", "--fail-on", "info") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "passes"
    assert report["counts"]["findings"] == {"error": 0, "warning": 0, "info": 0}


def test_outputs_by_ending(scratch: Scratch, tmp_path: Path) -> None:
    outputs = [tmp_path / "out" / name for name in ("r.json", "r.md", "r.html", "r.txt")]
    arguments = [part for path in outputs for part in ("--output", str(path))]
    assert check(scratch, "--base", "HEAD", *arguments) == 0
    assert all(path.stat().st_size > 100 for path in outputs)
    assert json.loads(outputs[0].read_text())["format"] == "savepoint-checker/report"


def test_a_broken_document_does_not_stop_the_others(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    scratch.write("bad.topology.yaml", "topology: 1\nname: bad\n")
    scratch.write("job.topology.yaml", topology(before="filter"))
    scratch.commit("one broken, one moved")
    assert check(scratch, "--format", "json") == 1
    report = json.loads(capsys.readouterr().out)
    by_name = {p["name"]: p["status"] for p in report["pipelines"]}
    assert by_name == {"bad": "unreadable", "orders": "changed"}


def test_no_pipelines_is_not_a_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "empty")
    scratch.commit("one", a="1")
    scratch.commit("two", a="2")
    assert check(scratch, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "nothing-checked"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "--base", "nonsense"], "not a commit, branch or tag"),
        (["check", "--head", ":wortree"], "begin with a colon are :index (what is staged), :worktree (on disk)"),
        (["check", "--format", "docx"], "--format docx: unknown; known are text"),
        (["check", "--output", "report.docx"], "no format has this ending"),
        (["check", "--engine", "abacus"], "must be spark or in-process"),
        (["check", "--fail-on", "panic"], "must be error, warning, info or never"),
        (["check", "--arg", "novalue"], "must be KEY=VALUE"),
        (["check", "--flink", "3.7", "--base", "HEAD"], "'3.7' is not supported"),
        (["check", "--flink", "1.8", "--base", "HEAD"], "--flink 1.13"),
        (["check", "--pipeline", "missing", "--base", "HEAD"], "no pipeline called missing; found: orders"),
        (["ids", "missing.yaml"], "missing.yaml: no such file"),
        (["ids", "--head", "nonsense"], "not a commit, branch or tag"),
        (["extract", "--format", "xml"], "extract prints yaml, json or jsonl"),
        (["frobnicate"], "No such command"),
        (["check", "--no-such-option"], "No such option"),
        (["ids", "--parallelism", "none"], "--parallelism"),
        (["ids", "--parallelism", "0"], "--parallelism"),
        (["ids", "--exec-timeout", "soon"], "--exec-timeout"),
        (["ids", "job.topology.yaml", "--format", "yaml"], "ids prints text or json"),
    ],
)
def test_bad_input_gets_one_error_and_exit_2(
    scratch: Scratch,
    arguments: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(scratch.folder)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("report", [Report.CHECK, Report.GATE, Report.SAVEPOINT, Report.AUDIT])
def test_help_names_the_formats_that_a_command_has(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([report.value, "--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    *most, last = formats_of(report)
    assert f"{', '.join(most)} or {last} on stdout." in words


def test_extract_and_ids_are_one_way(scratch: Scratch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ``extract`` prints, given to ``ids``, is what ``ids --head`` says."""
    assert run(["extract", "--repo", str(scratch.folder), "--format", "jsonl"]) == 0
    path = tmp_path / "d.jsonl"
    path.write_text(capsys.readouterr().out)
    assert run(["ids", str(path), "--format", "json"]) == 0
    from_file = capsys.readouterr().out
    assert run(["ids", "--repo", str(scratch.folder), "--head", "HEAD", "--format", "json"]) == 0
    assert capsys.readouterr().out == from_file


def test_a_configured_pipeline_that_is_missing_is_not_passed_over(
    scratch: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch.write("savepoint-checker.toml", '[[pipeline]]\nname = "gone"\nmain = "com.acme.Gone"\n')
    scratch.commit("names a class that is not there")
    assert check(scratch, "--format", "json") == 1
    report = json.loads(capsys.readouterr().out)
    assert {p["name"]: p["status"] for p in report["pipelines"]} == {"gone": "unreadable", "orders": "unchanged"}


def broken(scratch: Scratch) -> None:
    scratch.write("job.topology.yaml", topology(before="filter"))


def test_a_suppression_needs_a_reason_and_is_shown(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    broken(scratch)
    scratch.write(
        "savepoint-checker.toml",
        '[[suppress]]\nrule = "stateful-id-changed"\noperator = "count"\nreason = "the counter may start over"\n',
    )
    scratch.commit("on purpose")
    assert check(scratch, "--format", "json") == 0
    (pipeline,) = json.loads(capsys.readouterr().out)["pipelines"]
    (silenced,) = pipeline["suppressed"]
    assert silenced["reason"] == "the counter may start over"
    assert silenced["finding"]["rule"] == "stateful-id-changed"


@pytest.mark.parametrize(
    ("rule", "message"),
    [*((slug, "there is no rule") for slug in ("stateful-id-change", "gone-*")), ("starts-empty", "was retired")],
)
def test_a_suppression_of_a_rule_that_is_none_is_an_error(
    scratch: Scratch, capsys: pytest.CaptureFixture[str], rule: str, message: str
) -> None:
    broken(scratch)
    scratch.write("savepoint-checker.toml", f'[[suppress]]\nrule = "{rule}"\nreason = "a slip"\n')
    scratch.commit("mistyped")
    assert check(scratch) == 2
    complaint = capsys.readouterr().err
    assert "suppress 1: " in complaint
    assert message in complaint
    assert f"'{rule}'" in complaint


def test_a_configuration_that_names_a_missing_file(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    scratch.write("savepoint-checker.toml", 'mapping = "missing.toml"\n')
    scratch.commit("a mapping that is not there")
    assert check(scratch) == 2
    assert "missing.toml: the configuration names it" in capsys.readouterr().err


def test_a_batch_job_has_no_state_to_lose(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    batch = topology().replace("parallelism: 2\n", "parallelism: 2\nmode: batch\n")
    scratch.write("job.topology.yaml", batch)
    scratch.commit("a batch job")
    scratch.write("job.topology.yaml", batch.replace("inputs: [key]", "inputs: [src]"))
    scratch.commit("another shape")
    assert check(scratch, "--fail-on", "info", "--format", "json") == 0
    (pipeline,) = json.loads(capsys.readouterr().out)["pipelines"]
    assert (pipeline["status"], pipeline["findings"]) == ("batch", [])
    assert check(scratch, "--base", "HEAD~2") == 1  # it was a streaming job, with state


def test_a_missing_git_is_one_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "checker.cli", "check", "--engine", "in-process", "--repo", str(tmp_path)]
    done = subprocess.run(command, env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "error: git is not installed, or not on the PATH\n")


def test_a_renamed_pipeline_is_still_the_same(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    """A main class under another name, and an innocent filter beside it: the loss is not hidden by the new name."""
    scratch.write("job.topology.yaml", topology("invoices"))
    scratch.commit("renamed")
    assert check(scratch) == 0
    assert "invoices is compared with orders" in capsys.readouterr().out
    scratch.write("job.topology.yaml", topology("invoices", before="filter"))
    scratch.commit("and changed")
    assert check(scratch, "--base", "HEAD~2") == 1


def test_pipelines_that_are_not_alike_come_and_go(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    scratch.git("rm", "--quiet", "job.topology.yaml")
    scratch.write(
        "other.topology.yaml",
        "topology: 1\nname: other\ntransformations:\n  - {id: clicks, kind: source, uid: clicks}\n"
        "  - {id: out, kind: sink, inputs: [clicks], uid: out}\n",
    )
    scratch.commit("one gone, another new")
    assert check(scratch, "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert {p["name"]: p["status"] for p in report["pipelines"]} == {"orders": "removed", "other": "added"}


TWO_JOBS = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Two {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).uid(args[0] + "-one").print();
    env.execute("one");
    env.fromSequence(0, 9).uid(args[0] + "-two").print();
    env.execute("two");
  }
}
"""
TWO_PIPELINES = """
[[pipeline]]
name = "a"
main = "jobs.Two"
args = ["a"]
[[pipeline]]
name = "b"
main = "jobs.Two"
args = ["b"]
"""


def test_every_configured_pipeline_of_one_program_has_all_of_its_jobs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"src/main/java/jobs/Two.java": TWO_JOBS, "savepoint-checker.toml": TWO_PIPELINES})
    assert run(["ids", "--repo", str(scratch.folder), "--head", "HEAD"]) == 0
    out = capsys.readouterr().out
    assert [uid for uid in ("a-one", "a-two", "b-one", "b-two") if f"[uid '{uid}']" in out] == [
        "a-one", "a-two", "b-one", "b-two"
    ]  # fmt: skip


def test_ids_prints_what_it_can_of_a_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A module on a Flink version without rules is undecided; the others are printed."""
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"a.topology.yaml": topology("old").replace("1.20", "1.8"), "b.topology.yaml": topology("new")})
    assert run(["ids", "--repo", str(scratch.folder), "--head", "HEAD"]) == 0
    out = capsys.readouterr().out
    assert "Flink version '1.8' is not supported" in out
    assert "new  (Flink 1.20)" in out


def test_what_init_writes_is_yaml_with_scripts_as_well(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(
        **{"z.topology.yaml": topology("z"), "sums.sql": "INSERT INTO t SELECT * FROM s WITH ('connector'='kafka');"}
    )
    assert run(["init", "--repo", str(scratch.folder)]) == 0
    hooks = yaml.safe_load((scratch.folder / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert [(hook["id"], "additional_dependencies" in hook) for hook in hooks] == [
        ("savepoint-checker", True), ("savepoint-checker-push", True),
    ]  # fmt: skip


def test_a_pipeline_that_breaks_the_reader_is_undecided_and_stops_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from checker.extract.java import program

    scratch = Scratch(tmp_path / "repo")
    scratch.commit(
        **{"z.topology.yaml": topology("z"), "src/main/java/jobs/Broken.java": TWO_JOBS.replace("Two", "Broken")}
    )
    scratch.commit(**{"z.topology.yaml": topology("z", before="filter")})

    def broken(*_: object, **__: object) -> None:
        raise TypeError("a defect")

    monkeypatch.setattr(program, "interpret", broken)
    assert check(scratch, "--format", "json") == 1
    report = json.loads(capsys.readouterr().out)
    assert {p["name"]: p["status"] for p in report["pipelines"]} == {"Broken": "unreadable", "z": "changed"}
    assert "a defect of this tool (TypeError in broken: a defect)" in report["pipelines"][0]["failure"]["head"]


def test_a_defect_while_judging_is_an_error_of_its_pipeline(
    scratch: Scratch, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from checker.workflows.check import stages

    scratch.write("job.topology.yaml", topology(before="filter"))
    scratch.commit("an innocent filter")
    compare = stages.compare_pipelines

    def broken(name: str, base: object, *rest: object) -> object:
        if base is not None:
            raise TypeError("a defect")
        return compare(name, base, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(stages, "compare_pipelines", broken)
    assert check(scratch) == 1
    assert "[undecided " in capsys.readouterr().out


def test_a_format_that_can_not_be_rendered_leaves_the_others_and_the_exit_code(
    scratch: Scratch, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from checker.report.check import markdown

    def broken(_: object) -> str:
        raise TypeError("a defect")

    scratch.write("job.topology.yaml", topology(before="filter"))
    scratch.commit("an innocent filter")
    monkeypatch.setattr(markdown, "render_markdown", broken)
    written = [scratch.folder / name for name in ("report.md", "report.json")]
    assert check(scratch, *(f"--output={path}" for path in written)) == 1
    assert [path.exists() for path in written] == [False, True]
    shown = capsys.readouterr()
    assert "report.md: not written because of a defect of this tool (TypeError in broken: a defect)" in shown.err
    assert "State would be lost" in shown.out


COLLECTS = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Collects {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.SOURCE.map(x -> x).keyBy(x -> x).reduce((x, y) -> y).executeAndCollect();
  }
}
"""


@pytest.mark.parametrize(
    ("source", "status"), [("fromSequence(0, 9)", "batch"), ('socketTextStream("h", 1)', "changed")]
)
def test_a_job_that_ends_while_its_program_waits_has_no_state_to_restore(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, status: str
) -> None:
    scratch = Scratch(tmp_path / "repo")
    program = COLLECTS.replace("SOURCE", source)
    scratch.commit(**{"src/main/java/jobs/Collects.java": program.replace(".map(x -> x)", "")})
    scratch.commit(**{"src/main/java/jobs/Collects.java": program})
    assert check(scratch, "--format", "json") == (status == "changed")
    (pipeline,) = json.loads(capsys.readouterr().out)["pipelines"]
    assert pipeline["status"] == status
    assert bool(pipeline["findings"]) == (status == "changed")


def test_a_chosen_pipeline_is_reported_without_notes_about_other_programs(
    scratch: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    kotlin = "fun main() { StreamExecutionEnvironment.getExecutionEnvironment().execute() }\n"
    scratch.write("Other.kt", "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment\n" + kotlin)
    scratch.commit("another program")

    def notes(*arguments: str) -> list[str | None]:
        assert check(scratch, "--base", "HEAD", "--format", "json", *arguments) == 0
        report = json.loads(capsys.readouterr().out)
        assert len(report["pipelines"]) == 1
        return [note["unread"] for note in report["notes"]]

    assert notes() == ["in Kotlin"]
    assert notes("--pipeline", "orders") == []


def test_programs_that_are_not_read_are_mentioned_where_the_change_adds_one(
    scratch: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    kotlin = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment\n"
    kotlin += "fun main() { StreamExecutionEnvironment.getExecutionEnvironment().execute() }\n"

    def printed(*arguments: str) -> str:
        assert check(scratch, *arguments) == 0
        return capsys.readouterr().out

    scratch.commit("a new one", **{"Other.kt": kotlin})
    assert "1 program not read (1 in Kotlin)" in printed("--base", "HEAD~1")
    assert "Kotlin" not in printed("--base", "HEAD")
    assert "Other.kt is a Flink program in Kotlin" in printed("--base", "HEAD", "--verbose")


@pytest.mark.parametrize(
    "command", [("ids", "{file}", "--parallelism", "3"), ("check", "--repo", "{folder}", "--base", "HEAD")]
)
def test_plain_values_wait_for_no_library(scratch: Scratch, command: tuple[str, ...]) -> None:
    given = [part.format(file=scratch.folder / "job.topology.yaml", folder=scratch.folder) for part in command]
    program = (
        f"import sys; from checker.cli import run; code = run({given!r});"
        f"late = {{'pydantic', 'rich', *(['git', 'checker.workflows'] if {command[0] == 'ids'} else ())}};"
        "print(code, late & sys.modules.keys(), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "0 set()", done.stderr


def test_the_first_word_of_a_command_of_two_leads_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["flink", "--help"]) == 0
    assert "savepoint-checker flink fetch" in capsys.readouterr().out
