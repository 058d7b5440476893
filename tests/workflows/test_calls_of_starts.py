"""Commands that start programs in scripts: where they end, and what scripts and functions are called with."""

import pytest

from checker.errors import RevisionError
from checker.extract.changed_files.unread_starts import edited_values, starting
from checker.extract.changed_files.unrendered import edits_of_unrendered
from checker.extract.deployments.discovery import deployments
from checker.extract.deployments.started import first_command
from checker.model.sources import MemoryFiles


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


def test_a_value_that_is_given_once_more_is_an_edit() -> None:
    once, twice = (MemoryFiles({"run.sh": b"flink run j.jar --to $OUT\n" + b"OUT=a\n" * times}) for times in (1, 2))
    for base, head in ((once, twice), (twice, once)):
        assert [found.location.line for found in edited_values(base, head, ["OUT"])] == [3]


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
