"""A pipeline that no edit reaches is known from the last run, and an edit that reaches it is not missed for that."""

import json
from pathlib import Path

import pytest

from checker.cli import run
from checker.workflows.check.unreached_pipelines import Unreached
from tests.scratch import Scratch

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version>
<dependencies><dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId>
<version>1.20.1</version></dependency></dependencies></project>"""
LOST = ["uid-renamed"]
JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class {name} {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).keyBy(x -> x).reduce((a, b) -> a + b).uid({uid}).print();
    env.execute();
  }}
}}
"""


def test_what_no_edit_reaches_is_known_and_what_one_reaches_is_not_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAVEPOINT_CHECKER_CACHE", str(tmp_path / "cache"))
    recalled: list[str] = []
    known = Unreached.known
    monkeypatch.setattr(
        Unreached, "known", lambda self: (found := known(self)) and (recalled.append(found["name"]) or found)
    )
    scratch = Scratch(tmp_path / "repo")
    scratch.write("pom.xml", POM)
    scratch.write("src/main/java/Uids.java", 'public class Uids { static final String SUM = "sum"; }\n')
    scratch.write("src/main/java/First.java", JOB.format(name="First", uid='"first"'))
    scratch.write("src/main/java/Second.java", JOB.format(name="Second", uid="Uids.SUM"))
    scratch.commit("two jobs")

    def report() -> dict[str, list[str]]:
        recalled.clear()
        run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--base", "HEAD~1", "--format", "json"])
        pipelines = json.loads(capsys.readouterr().out)["pipelines"]
        return {p["name"]: [finding["rule"] for finding in p["findings"]] for p in pipelines}

    scratch.write("src/main/java/First.java", JOB.format(name="First", uid='"renamed"'))
    scratch.commit("an edit of one")
    expected = {"First": LOST, "Second": []}
    assert report() == expected
    assert recalled == []
    assert report() == expected
    assert recalled == ["Second"]
    scratch.write("src/main/java/Uids.java", 'public class Uids { static final String SUM = "total"; }\n')
    scratch.commit("an edit that reaches the other one")
    assert report() == {"First": [], "Second": LOST}
    assert "Second" not in recalled
    scratch.write("deploy.sh", "flink run -c Second -p 4 jobs.jar\n")
    scratch.write("src/main/java/First.java", JOB.format(name="First", uid='"first"'))
    scratch.commit("an edit of more than code")
    assert report()["First"] == LOST
    assert recalled == []
