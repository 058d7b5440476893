"""Code of Flink without a job that is known: what ``check``, ``init`` and ``doctor`` say of it."""

from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch, topology

FUNCTION = (
    "import org.apache.flink.api.common.functions.MapFunction;\nclass Twice implements MapFunction<Long, Long> {}\n"
)
KOTLIN = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment\nfun main() { %s }\n"
STARTS = "StreamExecutionEnvironment.getExecutionEnvironment().execute()"
TRIED = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    f"class Try {{ public static void main(String[] a) throws Exception {{ {STARTS}; }} }}\n"
)


def commits(folder: Path, first: dict[str, str], second: dict[str, str]) -> Scratch:
    scratch = Scratch(folder / "repo")
    scratch.commit("one", **first)
    scratch.commit("two", **second)
    return scratch


@pytest.mark.parametrize(
    ("first", "given", "code"),
    [
        ({"src/main/java/Twice.java": FUNCTION}, (), 2),
        ({"src/main/java/Twice.java": FUNCTION}, ("--allow-empty",), 0),
        ({"src/test/java/Twice.java": FUNCTION}, (), 0),
        ({"src/main/java/Twice.java": FUNCTION, "src/test/java/Try.java": TRIED}, (), 2),
        ({"src/test/java/Try.java": TRIED}, (), 0),
        ({"jobs/twice.py": "from pyflink.datastream import MapFunction\n"}, (), 2),
        ({"sql/tables.sql": "CREATE TABLE a (i INT) WITH ('connector' = 'kafka');\n"}, (), 0),
        ({"Job.kt": KOTLIN % STARTS}, (), 0),
        ({"notes.txt": "nothing of it"}, (), 0),
    ],
)
def test_a_check_of_flink_code_without_a_job_is_no_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], first: dict[str, str], given: tuple[str, ...], code: int
) -> None:
    scratch = commits(tmp_path, first, {"README.md": "more"})
    assert run(["check", "--repo", str(scratch.folder), "--base", "HEAD~1", *given]) == code
    complaint = capsys.readouterr().err
    assert ("no job was found" in complaint) == (code == 2)


def test_an_edit_of_tables_without_a_job_is_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = "CREATE TABLE a (%s INT) WITH ('connector' = 'kafka');\n"
    scratch = commits(tmp_path, {"sql/tables.sql": table % "i"}, {"sql/tables.sql": table % "j"})
    assert run(["check", "--repo", str(scratch.folder), "--base", "HEAD~1"]) == 2
    assert "sql/tables.sql uses Flink, and no job was found" in capsys.readouterr().err


def test_init_writes_nothing_where_nothing_uses_flink(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = commits(tmp_path, {"a.txt": "a"}, {"b.txt": "b"})
    assert run(["init", "--repo", str(scratch.folder)]) == 2
    assert "nothing was written" in capsys.readouterr().err
    assert scratch.git("status", "--short") == ""
    assert run(["init", "--repo", str(scratch.folder), "--only", "config"]) == 0


def test_doctor_names_what_is_read_and_what_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = commits(
        tmp_path,
        {"orders.topology.yaml": topology(uid="count"), "Job.kt": KOTLIN % STARTS},
        {"Job.kt": KOTLIN % f"run(); {STARTS}"},
    )
    assert run(["doctor", "--repo", str(scratch.folder)]) == 0
    shown = capsys.readouterr().out
    assert "orders  read whole" in shown
    assert "Job.kt is a Flink program in Kotlin" in shown
    assert shown.endswith("1 pipeline read whole, 1 file not read\n")
    assert run(["doctor", "--repo", str(scratch.folder), "--base", "HEAD~1"]) == 0
    assert "edits that are not understood\n  Job.kt" in capsys.readouterr().out


def test_explain_shows_one_finding_with_all_that_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = commits(
        tmp_path, {"orders.topology.yaml": topology()}, {"orders.topology.yaml": topology(before="filter")}
    )
    between = ["--repo", str(scratch.folder), "--base", "HEAD~1"]
    assert run(["check", *between]) == 1
    short = capsys.readouterr().out
    fingerprint = short.partition("[stateful-id-changed ")[2].partition("]")[0]
    assert "operator id" not in short
    assert run(["explain", fingerprint, *between]) == 0
    full = capsys.readouterr().out
    assert "operator id" in full
    assert "# stateful-id-changed" in full
    assert run(["explain", "0" * 12, *between]) == 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--allow-exec",), "no pipeline configures what to run"),
        (("--engine", "spark"), "--engine spark: PySpark is not installed"),
    ],
)
def test_what_can_not_be_done_is_an_error(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    given: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.setattr("checker.engines.choice.find_spec", lambda name: None)
    scratch = commits(tmp_path, {"orders.topology.yaml": topology()}, {"README.md": "more"})
    assert run(["check", "--repo", str(scratch.folder), "--base", "HEAD~1", *given]) == 2
    assert says in capsys.readouterr().err
