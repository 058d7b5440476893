"""Edits of what a program uses that nobody reads are undecided, in whichever file they are; all others are silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

KOTLIN = """package jobs
import jobs.steps.Dedup
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
fun main() {
  val env = StreamExecutionEnvironment.getExecutionEnvironment()
  val conf = load("rules.yaml")
  env.fromSequence(0, 9).keyBy { it }.process(Dedup(conf)).counted().print()
  env.execute()
}
"""
SCALA = """package jobs
import jobs.steps._
object Clicks extends App {
  val env = org.apache.flink.streaming.api.scala.StreamExecutionEnvironment.getExecutionEnvironment
  env.fromSequence(0, 9).keyBy(x => x).process(new Dedup).print()
  env.execute()
}
"""
TABLE = """package jobs;
import org.apache.flink.table.api.TableEnvironment;
public class Report {
  public static void main(String[] args) {
    TableEnvironment t = TableEnvironment.create(Settings.of(args));
    Unknown.hand(t);
  }
}
"""
FILES = {
    "src/main/kotlin/jobs/Orders.kt": KOTLIN,
    "src/main/kotlin/jobs/extensions.kt": "package jobs\nfun <T> DataStream<T>.counted() = this.map { it }\n",
    "src/main/kotlin/jobs/steps/Dedup.kt": "package jobs.steps\nclass Dedup(c: Any) : Base()\n"
    "open class Base { val n = 1 }\n",
    "src/main/kotlin/jobs/steps/Other.kt": "package jobs.steps\nclass Other { val n = 1 }\n",
    "src/main/kotlin/web/Dedup.kt": "package web\nclass Dedup { val n = 1 }\n",
    "src/main/scala/jobs/Clicks.scala": SCALA,
    "src/main/java/other/scala/Dedup.java": "package other.scala;\npublic class Dedup { int n = 1; }\n",
    "src/main/scala/jobs/deep/Views.scala": SCALA.replace("package jobs", "package jobs\npackage deep")
    .replace("Clicks", "Views")
    .replace("Dedup", "Rates"),
    "src/main/scala/jobs/deep/Counts.scala": SCALA.replace("package jobs", "package jobs.deep")
    .replace("Clicks", "Counts")
    .replace("Dedup", "Rates")
    .replace("import jobs.steps._", ""),
    "src/main/scala/jobs/deep/Rates.scala": "package jobs.deep\nclass Rates { val n = 1 }\n",
    "src/main/java/jobs/Rates.java": "package jobs;\npublic class Rates { int n = 1; }\n",
    "src/main/java/jobs/Report.java": TABLE,
    "src/main/java/jobs/Settings.java": "package jobs;\nclass Settings { static int n = 1;"
    " static Object of(String[] a) { return n; } }\n",
    "src/main/resources/rules.yaml": "n: 1\n",
    "src/main/resources/other.yaml": "n: 1\n",
    "k8s/orders.yaml": 'kind: FlinkDeployment\nspec: {job: {entryClass: jobs.OrdersKt, args: ["n = 1"]}}\n',
    "pom.xml": "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.19.1</version></dependency></dependencies></project>",
}


def undecided(scratch: Scratch, capsys: pytest.CaptureFixture[str], *options: str) -> set[str]:
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json", *options])
    report = json.loads(capsys.readouterr().out)
    return {p["name"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}


def test_a_new_program_that_is_not_read_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\npublic class {name} {{\n"
        "  public static void main(String[] args) throws Exception {{\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        '    env.socketTextStream("h", 1){more}.print();\n    env.execute();\n  }}\n}}\n'
    )
    scratch = Scratch(tmp_path / "repo")
    scratch.write("pom.xml", FILES["pom.xml"].replace("1.19.1", "1.8.2"))
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


@pytest.mark.parametrize("limit", ["", ".setMaxParallelism(2)"])
def test_operators_that_no_source_is_known_to_lead_to_are_undecided(
    limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of a statement: what follows reads from nothing that is known, and runs in no vertex."""
    program = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    var env = StreamExecutionEnvironment.getExecutionEnvironment();
    var numbers = env.fromSequence(0, 9);
    numbers.keyBy(x -> x).reduce((a, b) -> a + b).uid("sum").print();
    HALF
    env.execute();
  }
}
"""
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"src/main/java/jobs/Job.java": program.replace("HALF", "")})
    half = f"numbers.addSink()\n numbers.map(x -> x){limit}.print();"
    scratch.commit(**{"src/main/java/jobs/Job.java": program.replace("HALF", half)})
    assert run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"]) == 1
    printed = capsys.readouterr().out
    assert "a defect of this tool" not in printed
    (job,) = json.loads(printed)["pipelines"]
    assert {finding["rule"] for finding in job["findings"]} <= {"undecided", "edit-not-understood"}


def test_a_program_that_nobody_reads_may_be_moved_and_edited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.write("Orders.kt", KOTLIN)
    scratch.commit()
    (scratch.folder / "Orders.kt").unlink()
    scratch.write("OrdersJob.kt", KOTLIN.replace(".counted()", ""))
    scratch.commit()
    assert undecided(scratch, capsys, "--base", "HEAD~1") == {"OrdersJob"}


def test_a_program_that_hands_its_job_to_another_file_is_edited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"Orders.kt": KOTLIN})
    job = KOTLIN.replace("fun main() {", "object Job { fun start() {").replace(".counted()", "") + "}\n"
    scratch.commit(**{"Orders.kt": "package jobs\nfun main() { Job.start() }\n", "Job.kt": job})
    assert undecided(scratch, capsys, "--base", "HEAD~1") == {"Orders"}
