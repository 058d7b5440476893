"""A new program that nobody reads is a note; as soon as it has state its edits are not."""

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

POM = (
    "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.8.2</version></dependency></dependencies></project>"
)


def test_a_new_program_that_is_not_read_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\npublic class {name} {{\n"
        "  public static void main(String[] args) throws Exception {{\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        '    env.socketTextStream("h", 1){more}.print();\n    env.execute();\n  }}\n}}\n'
    )
    scratch = Scratch(tmp_path / "repo")
    scratch.write("pom.xml", POM)
    scratch.write("src/main/java/First.java", job.format(name="First", more=""))
    scratch.commit("a job")
    scratch.write("src/main/java/Second.java", job.format(name="Second", more=""))
    scratch.commit("a new one")

    def severities() -> list[tuple[str, str]]:
        run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--base", "HEAD~1", "--format", "json"])
        pipelines = json.loads(capsys.readouterr().out)["pipelines"]
        return [(p["name"], finding["severity"]) for p in pipelines for finding in p["findings"]]

    assert severities() == [("Second", "info")]
    table = "CREATE TABLE counts (n BIGINT) WITH ('connector' = 'print');\n"
    scratch.write("counts.sql", f"{table}INSERT INTO counts SELECT COUNT(*) FROM elsewhere WHERE n > ${{LEAST}};\n")
    scratch.commit("a script without its values")
    assert severities() == [("counts", "info")]
    scratch.write("src/main/java/Second.java", job.format(name="Second", more=".map(x -> x)"))
    scratch.commit("an edit of what has state by now")
    assert all(severity != "info" for _, severity in severities())
    assert severities()
    (scratch.folder / "counts.sql").rename(scratch.folder / "sums.sql")
    scratch.commit("another name")
    assert ("sums", "warning") in severities()
    (scratch.folder / "sums.sql").unlink()
    scratch.write("all.sql", f"{table}INSERT INTO counts SELECT SUM(n) FROM elsewhere WHERE n > ${{LEAST}};\n")
    scratch.commit("another name, and another query")
    assert ("all", "error") in severities()


def test_a_main_class_that_only_imports_an_environment_holds_no_job_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\npublic class Job {{\n"
        "  public static void main(String[] args) throws Exception {{ {} }}\n}}\n"
    )
    runs = 'var env = StreamExecutionEnvironment.getExecutionEnvironment(); env.socketTextStream("h", 1).print();'
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"src/main/java/Job.java": job.format("// env.execute();\n")})
    scratch.commit(**{"src/main/java/Job.java": job.format(runs + " env.execute();")})
    check = ["check", "--engine", "in-process", "--repo", str(scratch.folder), "--base", "HEAD~1"]
    assert run(check) == 0
    assert "new pipeline" in capsys.readouterr().out
    static = job.format(runs + " env.execute();").replace("import org", "import static org")
    static = static.replace("Environment;", "Environment.getExecutionEnvironment;").replace(
        "= StreamExecutionEnvironment.", "= "
    )
    scratch.commit(**{"src/main/java/Job.java": static})
    run(check)
    assert "1 pipeline unchanged" in capsys.readouterr().out
