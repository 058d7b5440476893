"""A program uses nothing of a build that its own has no connection with; what is connected counts as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scratch import Scratch
from tests.workflows.test_unread_programs import undecided

CLICKS = """package jobs
object Clicks extends App {
  val env = org.apache.flink.streaming.api.scala.StreamExecutionEnvironment.getExecutionEnvironment
  env.fromSequence(0, 9).keyBy(x => x).process(new Dedup).print()
  env.execute()
}
"""
DEDUP = "java/dedup/src/main/java/jobs/Dedup.java"
POM = "<project><artifactId>ARTIFACT</artifactId><modules><module>clicks</module></modules></project>"
ALONE = {
    "scala/clicks/build.sbt": 'name := "clicks"\nlibraryDependencies += "org.apache.flink" % "flink-java" % "1.19.1"\n',
    "java/pom.xml": POM.replace("ARTIFACT", "jobs-of-java"),
    "java/dedup/pom.xml": POM.replace("ARTIFACT", "functions_2.12"),
}


@pytest.mark.parametrize(
    ("builds", "concerned"),
    [
        (ALONE, set()),
        (ALONE | {"pom.xml": POM}, {"Clicks"}),
        (ALONE | {"scala/clicks/build.sbt": 'libraryDependencies += "shop" %% "functions" % "1"\n'}, {"Clicks"}),
        (ALONE | {"scala/clicks/build.sbt": 'dependsOn(ProjectRef(file("../../java/dedup"), "all"))\n'}, {"Clicks"}),
        (ALONE | {"java/dedup/pom.xml": POM.replace("ARTIFACT", "${name}")}, {"Clicks"}),
        (
            ALONE
            | {"scala/clicks/build.sbt": 'dependsOn(file("../lib"))\n', "scala/lib/build.gradle": '"shop:functions:1"'},
            {"Clicks"},
        ),
        ({"java/pom.xml": POM}, {"Clicks"}),
    ],
    ids=["apart", "one build", "an artifact", "a folder", "any artifact", "by a third build", "no build file"],
)
def test_classes_of_another_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], builds: dict[str, str], concerned: set[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    dedup = "package jobs;\npublic class Dedup { static int n = 1; }\n"
    scratch.commit(**builds, **{"scala/clicks/src/main/scala/jobs/Clicks.scala": CLICKS, DEDUP: dedup})
    scratch.commit(**{DEDUP: dedup.replace("n = 1", "n = 2")})
    assert undecided(scratch, capsys) == concerned


JOB = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Main {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).keyBy(x -> x).reduce((a, b) -> a + b).uid("sum").print();
    env.execute();
  }
}
"""
BY_A_LIBRARY = "package jobs;\npublic class Main { public static void main(String[] a) { acme.Flink.start(a); } }\n"
HERE, THERE = "orders/src/main/java/jobs/Main.java", "clicks/src/main/java/jobs/Main.java"


@pytest.mark.parametrize(
    ("before", "after", "is_undecided"),
    [(BY_A_LIBRARY, BY_A_LIBRARY, False), (BY_A_LIBRARY, BY_A_LIBRARY.replace("(a)", "(a, 1)"), True)],
    ids=["it was there", "it was edited"],
)
def test_a_main_class_of_the_same_name_in_another_module_is_another_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, is_undecided: bool
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{HERE: JOB, THERE: before})
    (scratch.folder / HERE).unlink()
    scratch.commit(**{THERE: after})
    assert bool(undecided(scratch, capsys, "--base", "HEAD~1")) is is_undecided


def test_a_job_that_moves_into_a_new_file_of_another_module_is_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{HERE: JOB})
    (scratch.folder / HERE).unlink()
    scratch.commit(**{THERE: BY_A_LIBRARY})
    assert undecided(scratch, capsys, "--base", "HEAD~1")
