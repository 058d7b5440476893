"""Start commands in documents count for pipelines that nothing else starts, and an edit of them deploys nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from checker.extract.deployments import documented_deployments
from checker.model.deployments import Deployment
from checker.model.sources import MemoryFiles
from tests.extract.deployments.test_assumptions import JOB
from tests.scratch import Scratch

README = """\
# Orders
Build it, then submit the job with `flink run`:

```bash
docker exec jobmanager flink run -d -p 4 \\
  -c Job /opt/flink/job.jar --sum.parallelism 3
```
"""


def documented(**texts: str) -> tuple[Deployment, ...]:
    return documented_deployments(MemoryFiles({path: text.encode() for path, text in texts.items()}))


def test_a_documented_command_says_how_a_program_is_started() -> None:
    (start,) = documented(**{"README.md": README})
    assert (start.main, start.jar, start.args, start.parallelism) == ("Job", "job.jar", ("--sum.parallelism", "3"), 4)
    assert str(start.location) == "README.md:5"
    assert start.assumed == ("it is started as README.md says",)
    (span,) = documented(**{"docs/run.md": "Then `bin/flink run -py jobs/a.py --n 2` and wait.\n"})
    assert (span.script, span.args) == ("jobs/a.py", ("--n", "2"))


@pytest.mark.parametrize("given", ["", " --input <path>", " --uid your-uid", " [interval]", " --in $INPUT", " ..."])
def test_an_example_says_nothing_about_arguments(given: str) -> None:
    (start,) = documented(**{"README.md": f"    $ flink run -p 4 -c Job job.jar{given}\n"})
    assert (start.args, start.parallelism) == (None, 4)


@pytest.mark.parametrize(
    "text", ["how flink run works with a job\n", "`flink run`\n", "flink run --help\n", "flink run job\n"]
)
def test_words_about_the_command_are_no_start(text: str) -> None:
    assert documented(**{"README.md": text}) == ()
    assert documented(**{"src/notes.md": "flink run -c Job job.jar\n"}) == ()


def checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    code = run(["check", "--repo", str(folder), "--engine", "in-process", "--format", "json"])
    return code, json.loads(capsys.readouterr().out)["pipelines"][0]


def test_the_report_names_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "r")
    scratch.commit(**JOB, **{"README.md": README})
    scratch.commit(**{"src/main/java/Job.java": JOB["src/main/java/Job.java"] + "// note\n"})
    code, pipeline = checked(scratch.folder, capsys)
    assert code == 0
    assert "it is started as README.md says" in str(pipeline["reading"])


@pytest.mark.parametrize("readme", [README.replace("-p 4", "-p 1"), "nothing\n"])
def test_an_edit_of_a_document_deploys_nothing(readme: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "r")
    scratch.commit(**JOB, **{"README.md": README})
    scratch.commit(**{"README.md": readme})
    code, pipeline = checked(scratch.folder, capsys)
    assert (code, pipeline["findings"]) == (0, [])
    assert "README" not in str(pipeline["reading"])


def test_commands_that_differ_say_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "r")
    scratch.commit(**JOB, **{"README.md": README + README.replace("-p 4", "-p 9")})
    scratch.commit(**{"src/main/java/Job.java": JOB["src/main/java/Job.java"] + "// note\n"})
    assert "README" not in str(checked(scratch.folder, capsys)[1]["reading"])
    scratch.commit(**{"README.md": README, "run.sh": "flink run -p 2 -c Job job.jar\n"})
    scratch.commit(**{"src/main/java/Job.java": JOB["src/main/java/Job.java"] + "// more\n"})
    assert "README" not in str(checked(scratch.folder, capsys)[1]["reading"])
