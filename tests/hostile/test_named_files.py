"""Files that an option names: links are the user's own; what has no end, or is no file, is one clear error."""

import os
from pathlib import Path

import pytest

from checker import files_below
from checker.report.presentable import visible
from tests.hostile.commands import command, refused
from tests.scratch import Scratch, topology

OPTIONS = {
    "manifests": ("check", "--base", "HEAD~1", "--engine", "in-process", "--manifests", "{}"),
    "base-manifests": (
        "check", "--base", "HEAD~1", "--engine", "in-process", "--manifests", "good", "--base-manifests", "{}",
    ),
    "ids": ("ids", "{}"),
    "savepoint": ("gate", "--savepoint", "{}"),
    "savepoint shown": ("savepoint", "{}"),
    "fleet": ("audit", "--fleet", "{}", "--range", "HEAD~1..HEAD", "--engine", "in-process"),
}  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scratch = Scratch(tmp_path_factory.mktemp("named") / "repository")
    scratch.commit(**{"orders.topology.yaml": topology()})
    scratch.commit(**{"orders.topology.yaml": topology(uid="a")})
    os.mkfifo(scratch.folder / "pipe")
    (scratch.folder / "device").symlink_to("/dev/zero")
    (scratch.folder / "good").write_text("{}")
    (scratch.folder / "link").symlink_to("orders.topology.yaml")
    with (scratch.folder / "huge").open("wb") as huge:
        huge.truncate(1 << 40)
    return scratch.folder


@pytest.mark.parametrize("name", ["pipe", "device", "missing", "huge"])
@pytest.mark.parametrize("option", OPTIONS)
def test_what_is_no_file_of_some_size(option: str, name: str, repository: Path) -> None:
    message = refused(repository, *(part.format(name) for part in OPTIONS[option]))
    assert name in message
    assert message.count("error: ") == (0 if option == "savepoint" else 1), "the gate's answer is its error"
    assert len(message.splitlines()) <= 10, message


def test_links_are_followed(repository: Path) -> None:
    assert command(repository, "ids", "link").code == 0


def test_folders_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="a folder"):
        files_below.content_of(tmp_path)


NAME = "or\x1b[31mX\u202e\r::error::x"
JOB = "from pyflink.datastream import StreamExecutionEnvironment\nStreamExecutionEnvironment.x(\n"
QUOTED = '"or\\u001b[31mX\\u202e\\r::error::x"'
SETTINGS = {
    "none": 'flink = "1.20"\n',
    "unknown key": f"{QUOTED} = 1\n",
    "version": f"flink = {QUOTED}\n",
    "rule": f"[rules]\n{QUOTED} = 'off'\n",
    "mapping": f"mapping = {QUOTED}\n",
    "mode": f"[[deployment]]\npipeline = 'x'\nupgrade_mode = {QUOTED}\n",
}  # fmt: skip
SHOWING = (
    ("check", "--base", "HEAD~1"), ("check", "--base", "HEAD~1", "--pipeline", "x"), ("doctor",), ("extract",),
    ("ids", "--head", "HEAD"), ("repair", "--base", "HEAD~1"), ("hook", "pre-commit"), ("init",),
)  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS)
def test_no_name_is_a_command_to_a_terminal_or_a_runner(settings: str, tmp_path: Path) -> None:
    """A runner of GitHub takes a line that begins with ``::`` for one, and a carriage return for the end of a line."""
    scratch = Scratch(tmp_path)
    files = {f"{NAME}.topology.yaml": topology(), "x/orders.topology.yaml": topology(before=QUOTED)}
    scratch.commit(**files, **{f"{NAME}.py": JOB, f"{NAME}/a.topology.yaml": f"- {NAME}"})
    scratch.commit(**{f"{NAME}.topology.yaml": topology(uid="a"), "savepoint-checker.toml": SETTINGS[settings]})
    for arguments in SHOWING:
        ended = command(tmp_path, *arguments, *(("--engine", "in-process") if arguments[0] == "check" else ()))
        shown = ended.output + ended.complaints
        assert [c for c in shown if c not in "\n\t" and visible(c) != c] == [], (arguments, shown)
