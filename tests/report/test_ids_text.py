"""``ids`` for people."""

from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

JOB = """package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String prefix = args[0];
    env.socketTextStream("h", 1).uid(prefix + "source").map(x -> x).uid(prefix + "map").print().uid(args[1]);
    env.execute();
  }
}
"""


def test_one_reason_is_said_once_with_all_that_it_concerns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"src/main/java/jobs/Orders.java": JOB})
    assert run(["ids", "--repo", str(scratch.folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    reasons = [line for line in lines if line.startswith("  undecided: ")]
    assert len(reasons) == len(set(reasons)) == 2
    assert lines[lines.index(reasons[0]) + 1].count(", ") == 1
