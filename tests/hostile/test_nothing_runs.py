"""Whatever a repository holds, no command that is called in its folder runs any of it."""

from pathlib import Path

import pytest

from tests.hostile.traps import Traps


@pytest.fixture(scope="module")
def traps(tmp_path_factory: pytest.TempPathFactory) -> Traps:
    return Traps(tmp_path_factory.mktemp("hostile"))


def test_a_check_that_needs_jars_which_are_not_here(traps: Traps) -> None:
    """Flink's jars are asked for: a Python environment is made for it, and pip started."""
    done = traps.run("check", "--base", "HEAD~1", asks_pip=True)
    text = " ".join(done.stdout.split())
    assert "pip could not install setuptools" in text, done.stdout + done.stderr
    assert "check the network and pip's index settings" in text
    assert {path.suffix for path in (traps.cache / "savepoint-checker" / "flink").iterdir()} == {".lock"}
    assert traps.caught == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--base", "HEAD~1", "--engine", "in-process", "--head", ":worktree"),
        ("audit", "--range", "HEAD~1..HEAD", "--engine", "in-process"),
        ("repair", "--base", "HEAD~1"),
        ("extract",),
        ("ids", "orders.topology.yaml"),
        ("hook", "pre-commit"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_command(traps: Traps, arguments: tuple[str, ...]) -> None:
    done = traps.run(*arguments)
    assert done.returncode in (0, 1, 2), done.stdout + done.stderr
    assert "not on the PATH" not in done.stderr, "the user's own git is found behind the repository's"
    assert traps.caught == []


@pytest.mark.spark
@pytest.mark.cluster
def test_a_check_on_spark(traps: Traps) -> None:
    asked = ("--engine", "spark", "--spark-master", "local[1]", "--verbose")
    done = traps.run("check", "--base", "HEAD~1", *asked, folder="below")
    assert "Spark's default log4j profile" in done.stderr
    assert "2 pipelines" in done.stdout, done.stderr
    assert "in process" not in done.stderr
    assert traps.caught == []


def test_the_traps_work(tmp_path: Path) -> None:
    """A module, a program and a hook are caught where somebody is as careless as Python and the shell are."""
    import subprocess
    import sys

    traps = Traps(tmp_path)
    subprocess.run([sys.executable, "-m", "venv", "x"], cwd=traps.top, check=False)
    subprocess.run(["sh", "-c", "PATH=.:$PATH; java; git log"], cwd=traps.top, check=False)
    subprocess.run(["git", "status"], cwd=traps.top, check=False, capture_output=True)
    assert {"venv.py", "java", "git", "bin-java"} <= set(traps.caught)
