"""Hostile pipelines beside a good one, from the command line: each is named with its reason, the good one is judged."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from checker.cli import run
from checker.extract.runtime import distribution
from tests.extract.runtime.conftest import JAVA, jars_of
from tests.scratch import Scratch

pytestmark = [pytest.mark.flink, pytest.mark.timeout(300)]

HOSTILE = {
    "exit": "ended its JVM itself: System.exit(3)",
    "hang": "did not come to an end within 16 s",
    "throw": "threw java.lang.IllegalStateException: no configuration found",
}
"""What ``Hostile`` is told to do → what is said of it."""
HARMLESS = ("escape",)
"""What leaves something running, and submits its job all the same."""
GOOD = """
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Good {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).uid("numbers").keyBy(x -> x % 3).reduce(Long::sum).uid("SUM").print().uid("out");
    env.execute("good");
  }
}
"""
PIPELINE = """
[[pipeline]]
name = "{name}"
extract = "flink"
flink = "1.20.5"
parallelism = 2
main = "{main}"
args = [{args}]
build = "sh build.sh"
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache of builds with the Flinks that are there."""
    jars_of("1.20.5")
    cache = tmp_path / "cache"
    (cache / "savepoint-checker").mkdir(parents=True)
    (cache / "savepoint-checker" / "flink").symlink_to(distribution.cache_folder())
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def repository(folder: Path, *cases: str) -> Scratch:
    """``HEAD~1`` and ``HEAD``, between which the good pipeline loses the id of its state."""
    scratch = Scratch(folder)
    entries = [PIPELINE.format(name="good", main="Good", args="")]
    entries[1:1] = [PIPELINE.format(name=case, main="Hostile", args=f'"{case}"') for case in cases]
    entries.append(entries.pop(0))
    scratch.write("savepoint-checker.toml", "".join(entries))
    scratch.write(
        "build.sh",
        "set -e\nmkdir -p classes target\n"
        f"javac -nowarn -cp '{jars_of('1.20.5')}/*' -d classes src/*.java\nrm classes/Absent.class\n"
        "cd classes && jar cf ../target/job.jar .\n",
    )
    for name in ("Hostile", "Absent"):
        scratch.write(f"src/{name}.java", (JAVA / f"{name}.java").read_bytes())
    scratch.write("src/Good.java", GOOD.replace("SUM", "sum"))
    scratch.commit("first")
    scratch.write("src/Good.java", GOOD.replace("SUM", "total"))
    scratch.commit("another uid")
    return scratch


def left_running() -> list[str]:
    lines = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if "capture.child" in line or "sleep 9876" in line]


def test_check_names_each_hostile_pipeline_and_judges_the_good_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = repository(tmp_path / "jobs", *HOSTILE, *HARMLESS)
    arguments = ["--repo", str(scratch.folder), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"]
    assert run(["check", *arguments, "--allow-exec", "--exec-timeout", "16"]) == 1
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert left_running() == []
    pipelines = {pipeline["name"]: pipeline for pipeline in report["pipelines"]}
    for case, words in HOSTILE.items():
        assert pipelines[case]["status"] == "unreadable"
        assert all(words in why for why in pipelines[case]["failure"].values()), case
        assert pipelines[case]["findings"] == [], "the change does not touch it"
    for case in HARMLESS:
        assert (pipelines[case]["status"], pipelines[case]["findings"]) == ("unchanged", [])
    assert pipelines["good"]["status"] == "changed"
    assert "uid-renamed" in [finding["rule"] for finding in pipelines["good"]["findings"]]


def test_extract_prints_the_good_one_and_names_the_hostile_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = repository(tmp_path / "jobs", "exit")
    assert run(["extract", "--repo", str(scratch.folder), "--allow-exec", "--exec-timeout", "30"]) == 2
    shown = capsys.readouterr()
    assert [document["name"] for document in yaml.safe_load_all(shown.out)] == ["good"]
    assert HOSTILE["exit"] in shown.err
    assert left_running() == []
