"""Pipelines that could be read neither before nor after a change that edits nothing of theirs are not news."""

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

JOB = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class %s {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        %s
        env.fromSequence(0, 9).print();
        env.execute();
    }
}
"""
OLD = "<project><properties><flink.version>1.8.0</flink.version></properties></project>\n"


def checked(scratch: Scratch, capsys: pytest.CaptureFixture[str], form: str, *options: str) -> str:
    code = run(["check", "--base", "HEAD~1", "--repo", str(scratch.folder), "--format", form, *options])
    assert code == 0
    return capsys.readouterr().out


def test_an_unsupported_version_is_one_line_for_all_its_pipelines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    names = [f"Job{number}" for number in range(6)]
    scratch.commit("one", **{"pom.xml": OLD}, **{f"src/main/java/jobs/{n}.java": JOB % (n, "") for n in names})
    scratch.commit("two", **{"src/main/java/jobs/Job1.java": "// said\n" + JOB % ("Job1", "")})
    shown = checked(scratch, capsys, "text")
    first = " ".join(shown.partition("\n\n")[0].split())
    assumed = "assumed: Flink 1.8.0, which is not supported, is judged as 1.13"
    assert first.startswith(f"6 pipelines unchanged, read from source (java); {assumed}")
    assert "::error" not in checked(scratch, capsys, "github")


def test_an_edit_without_effect_on_a_program_that_can_not_be_read_is_no_news(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    text = JOB % ("Job", 'if (true) throw new IllegalStateException("not yet");')
    pom = OLD.replace("1.8.0", "1.20.1").replace("</project>", "<dependencies>%s</dependencies></project>")
    library = (
        "<dependency><groupId>org.acme</groupId><artifactId>colours</artifactId><version>%s</version></dependency>"
    )
    scratch.commit("one", **{"pom.xml": pom % (library % 1), "src/main/java/jobs/Job.java": text})
    scratch.commit("two", **{"pom.xml": pom % (library % 2)})
    (pipeline,) = json.loads(checked(scratch, capsys, "json"))["pipelines"]
    assert [edit["explanation"] for edit in pipeline["account"]["edits"]] == ["without-effect"]
    assert pipeline["findings"] == []
    shown = checked(scratch, capsys, "text")
    assert shown.startswith("1 pipeline not read, using no changed file: the program executes no job")


def test_a_comment_above_a_program_that_can_not_be_read_is_no_news(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    text = JOB % ("Job", 'if (true) throw new IllegalStateException("not yet");')
    scratch.commit("one", **{"pom.xml": OLD.replace("1.8.0", "1.20.1"), "src/main/java/jobs/Job.java": text})
    scratch.commit("two", **{"src/main/java/jobs/Job.java": "// one\n// two\n" + text})
    (pipeline,) = json.loads(checked(scratch, capsys, "json"))["pipelines"]
    assert pipeline["status"] == "unreadable"
    assert pipeline["findings"] == []
    assert pipeline["failure"]["base"] == pipeline["failure"]["head"]
    lines = [pipeline["failure_location"][side]["line"] for side in ("base", "head")]
    assert lines[1] == lines[0] + 2
