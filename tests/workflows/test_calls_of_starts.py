"""Commands that start programs in scripts: where they end, and what scripts and functions are called with."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.errors import RevisionError
from checker.extract.changed_files.unrendered import edits_of_unrendered
from checker.extract.changed_files.variables import starting
from checker.extract.deployments import deployments
from checker.extract.deployments.shell_words import first_command
from checker.model.sources import MemoryFiles
from tests.workflows.deployed import BY_ARGUMENT, PINNED, WITHOUT, errors, java

RUN = "flink run -p 2 -c Job job.jar --uid a"
HANDED = "flink run -p 2 -c Job job.jar --uid "
UNKNOWN = {"edit-not-understood"}
RENAMED = {"uid-renamed"}
NOTHING: set[str] = set()


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("-c A j.jar --x 1; echo", "-c A j.jar --x 1"),
        ("j.jar --x 1 >$LOG 2>&1 &", "j.jar --x 1 "),
        ("j.jar --x 1 2>/dev/null", "j.jar --x 1 "),
        ("j.jar --x $(date +%d) --y 2) && echo", "j.jar --x $(date +%d) --y 2"),
        ("j.jar --x '1;2|3' --y \"a&b\" --z 4\\;5|tee log", "j.jar --x '1;2|3' --y \"a&b\" --z 4\\;5"),
        ("j.jar --x a#b # why", "j.jar --x a#b "),
        ("j.jar --x {{ a | b }} --y <topic name>", "j.jar --x {{ a | b }} --y <topic name>"),
    ],
)
def test_where_a_command_ends(line: str, command: str) -> None:
    assert first_command(line) == command


@pytest.mark.parametrize(
    "text",
    [
        f"{RUN}; echo done\n",
        f"LOG=/tmp/log\n{RUN} >$LOG 2>&1\n",
        f"readonly UID_=a\n{HANDED}$UID_ & wait\n",
        f"OUT=$({RUN})\necho $OUT\n",
    ],
)
def test_a_command_is_read_to_its_end(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {**BY_ARGUMENT, "run.sh": text}
    edited = text.replace("--uid a", "--uid b").replace("UID_=a", "UID_=b")
    assert errors(tmp_path / "r", capsys, files, {"run.sh": edited})["Job"] == RENAMED
    assert errors(tmp_path / "s", capsys, files, {"run.sh": f"# why\n{text}echo more\n"})["Job"] == NOTHING


FUNCTION = 'start() {\n  flink run -p 2 -c "$1" job.jar --uid "$2"\n}\nstart Job a\necho done\n'
MAKE = "up:\n\tbin/run.sh a\nlint:\n\techo a\n"
IMAGE = "FROM flink:1.20\nCOPY bin/run.sh /run.sh\n"


@pytest.mark.parametrize(
    ("files", "path", "edit", "harmless"),
    [
        ({"run.sh": FUNCTION}, "run.sh", ("start Job a", "start Job b"), ("echo done", "echo start")),
        ({"run.sh": FUNCTION}, "run.sh", ("start Job a", "start Job b"), ("start()", "# start Job b\nstart()")),
        ({"bin/run.sh": f'{HANDED}"$1"\n', "Makefile": MAKE}, "Makefile", ("sh a", "sh b"), ("echo a", "echo b")),
        ({"bin/run.sh": f"{HANDED}${{1}}\n", "Makefile": MAKE}, "Makefile", ("run.sh a", "run.sh b"), ("lint", "tidy")),
        (
            {"bin/run.sh": 'flink run -c Job job.jar "$@"\n', "ci/a.yml": "- run: bin/run.sh --uid a\n- run: ls\n"},
            "ci/a.yml", ("--uid a", "--uid b"), ("ls", "pwd"),
        ),
    ],
)  # fmt: skip
def test_what_a_script_is_called_with_counts(
    files: dict[str, str], path: str, edit: tuple[str, str], harmless: tuple[str, str],
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    files = {"Dockerfile": IMAGE, **files}
    text = files[path]
    assert errors(tmp_path / "r", capsys, {**BY_ARGUMENT, **files}, {path: text.replace(*edit)})["Job"] == UNKNOWN
    silent = {path: text.replace(*harmless), "Dockerfile": IMAGE.replace("/run.sh", "/opt/run.sh")}
    assert errors(tmp_path / "s", capsys, {**BY_ARGUMENT, **files}, silent)["Job"] == NOTHING
    assert errors(tmp_path / "t", capsys, {**PINNED, **files}, {path: text.replace(*edit)})["Job"] == NOTHING


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "job.nomad",
            'command = "flink"\nargs = ["run", "-c", "Job", "job.jar",\n  "--uid",\n  "a"]\n# {}\nRestart=no\n',
        ),
        ("dags/job.py", 'BashOperator(bash_command="{}")\nnote = "Restart=no"\n'),
        ("run.ps1", "{}\nRestart=no\n"),
        ("package.json", '{{"scripts": {{"run": "{}",\n"x": "Restart=no"}}}}\n'),
    ],
)
def test_a_file_that_holds_a_command_may_set_arguments(
    path: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = text.format(RUN)
    edited = text.replace("--uid a", "--uid b").replace('"a"', '"b"')
    files = {**BY_ARGUMENT, path: text}
    assert errors(tmp_path / "r", capsys, files, {path: edited})["Job"] == UNKNOWN
    assert errors(tmp_path / "s", capsys, files, {path: text.replace("Restart=no", "Restart=yes")})["Job"] == NOTHING
    assert errors(tmp_path / "t", capsys, {**PINNED, path: text}, {path: edited})["Job"] == NOTHING


@pytest.mark.parametrize(
    ("path", "text"),
    [("job.service", "[Service]\nExecStart=/opt/{}\nRestart=no\n"), ("bin/submit", "#!/bin/sh\n{}\nRestart=no\n")],
)
def test_units_of_systemd_and_scripts_without_an_ending_start_the_job(
    path: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = text.format(RUN)
    files, edited = {**BY_ARGUMENT, path: text}, text.replace("--uid a", "--uid b")
    assert errors(tmp_path / "r", capsys, files, {path: edited})["Job"] == {"uid-renamed"}
    assert errors(tmp_path / "s", capsys, files, {path: text.replace("Restart=no", "Restart=yes")})["Job"] == NOTHING
    assert errors(tmp_path / "t", capsys, {**PINNED, path: text}, {path: edited})["Job"] == NOTHING


def test_other_arguments_of_a_program_that_is_not_read_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = WITHOUT | {"src/main/java/Job.java": java("throw new IllegalArgumentException(args[0]);")}
    files = {**ends, "run.sh": f"{RUN}\n"}
    assert errors(tmp_path / "r", capsys, files, {"run.sh": f"{HANDED}b\n"})["Job"] == UNKNOWN
    assert errors(tmp_path / "s", capsys, files, {"run.sh": f"# why\n{RUN}\n"})["Job"] == NOTHING


class Partial(MemoryFiles):
    """Files of a clone that leaves out what is large."""

    def read(self, path: str) -> bytes:
        if path in ("bin/tool", "data.json"):
            raise RevisionError("its content is not in this clone")
        return super().read(path)


def test_a_large_file_without_an_ending_is_no_script() -> None:
    chart = {"chart/Chart.yaml": b"name: jobs\n", "chart/values.yaml": b"a: 1\n"}
    sides = [
        Partial({"bin/tool": content, "data.json": content, "bin/run": b"flink run -c Job j.jar\n", **chart})
        for content in (b"1", b"2")
    ]
    assert [found.location.file for found in deployments(sides[0])] == ["bin/run"]
    assert list(starting(sides[0], sides[1])) == []
    assert list(edits_of_unrendered(sides[0], sides[1], "Job", "src/main/java/Job.java")) == []


@pytest.mark.parametrize(
    ("after", "rules"),
    [
        ("flink run -p 2 jobs-1.2-SNAPSHOT.jar --uid $UID_", NOTHING),
        ("flink run -p 2 jobs-1.1.jar --uid $UID_ > logs/job.log 2>&1", NOTHING),
        ("flink run -p 2 jobs-1.1.jar --uid $UID_ | tee job.out", NOTHING),
        ("flink run -p 2 jobs-1.1.jar --uid b", UNKNOWN),
        ("flink run -p 2 others-1.1.jar --uid $UID_", UNKNOWN),
        ("flink run -p 4 jobs-1.1.jar --uid $UID_", NOTHING),
        ("flink run -p 2 -c Other jobs-1.1.jar --uid $UID_", UNKNOWN),
    ],
)
def test_another_release_of_a_jar_or_another_log_starts_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], after: str, rules: set[str]
) -> None:
    command = "Outputs:\n  Command:\n    Value: !Sub "
    start = "flink run -p 2 jobs-1.1.jar --uid $UID_" + (" > job.log 2>&1" if "log" in after else "")
    sides = [{**BY_ARGUMENT, "template.yml": f"{command}{line}\n"} for line in (start, after)]
    assert errors(tmp_path, capsys, *sides)["Job"] == rules
