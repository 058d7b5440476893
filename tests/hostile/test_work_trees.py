"""Only regular files below the top of a work tree are read: no link is followed, nothing is waited for."""

import os
import shutil
import time
from pathlib import Path

import pytest

from checker import files_below
from checker.errors import RevisionError
from checker.git_files import WorktreeFiles
from checker.model.sources import links_of
from checker.processes import starting
from checker.revisions import WORKTREE, Repository
from tests.hostile.commands import command, refused
from tests.scratch import Scratch, topology

JOB = "jobs/orders.topology.yaml"
COMMANDS = {
    "check": ("check", "--base", "HEAD", "--head", ":worktree"),
    "ids": ("ids", "--head", ":worktree"),
    "extract": ("extract", "--head", ":worktree"),
    "repair": ("repair", "--base", "HEAD", "--write"),
    "init": ("init", "--only", "config"),
    "head": ("check", "--base", "HEAD~1"),
    "hook": ("hook", "pre-commit"),
}


@pytest.fixture
def repository(tmp_path: Path) -> Scratch:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("one", **{JOB: topology()})
    scratch.commit("two", **{JOB: topology(uid="count"), "jobs/.gitignore": "x\n"})
    return scratch


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("path", [JOB, "savepoint-checker.toml", ".gitignore", "jobs/.gitignore"])
def test_a_fifo_ends_no_command_late(path: str, name: str, repository: Scratch) -> None:
    (repository.folder / path).unlink(missing_ok=True)
    os.mkfifo(repository.folder / path)
    command(repository.folder, *COMMANDS[name])


INSTEAD = {
    "excluded": ".git/info/exclude",
    "included": ".git/more",
    "head": ".git/HEAD",
    "index": ".git/index",
    "alternates": ".git/objects/info/alternates",
    "new folder": "new/.gitignore",
    "object": "",
}
"""Where git waits for whoever writes to a pipe."""


@pytest.mark.parametrize("where", INSTEAD)
def test_git_does_not_wait_for_a_fifo(where: str, repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_IDLE", 0.2)
    blob = repository.git("rev-parse", f"HEAD:{JOB}")
    path = repository.folder / (INSTEAD[where] or f".git/objects/{blob[:2]}/{blob[2:]}")
    repository.git("config", "include.path", "more")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    (path.parent / "file").touch()
    began = time.monotonic()
    for name, arguments in COMMANDS.items():
        ended = command(repository.folder, *arguments)
        assert ended.code != 2 or "comes to no end" in ended.complaints, (name, ended)
    assert "comes to no end" in refused(repository.folder, *COMMANDS["check"])
    assert time.monotonic() - began < 30


def test_patterns_that_git_matches_for_ever(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_BUSY", 1)
    repository.write(".gitignore", f"{'**/' * 20}b*c\n")
    repository.write(f"{'a/' * 30}x", "")
    refused(repository.folder, *COMMANDS["check"], why="comes to no end")


def test_what_lies_behind_a_linked_folder_is_not_there(repository: Scratch, tmp_path: Path) -> None:
    secret = tmp_path / "outside"
    (repository.folder / "jobs").rename(secret)
    (secret / "orders.topology.yaml").write_text(topology("secret"))
    (repository.folder / "jobs").symlink_to(secret)
    files = Repository(repository.folder).revision(WORKTREE).files
    assert JOB not in files.paths()
    with pytest.raises(KeyError):
        files.read(JOB)
    for arguments in COMMANDS.values():
        ended = command(repository.folder, *arguments)
        assert "secret" not in ended.output


def test_a_folder_that_becomes_a_link_after_it_was_listed(repository: Scratch, tmp_path: Path) -> None:
    files = Repository(repository.folder).revision(WORKTREE).files
    assert JOB in files.paths()
    (repository.folder / "jobs").rename(tmp_path / "outside")
    (repository.folder / "jobs").symlink_to(tmp_path / "outside")
    with pytest.raises(RevisionError, match="is a symbolic link"):
        files.read(JOB)


def test_links_on_disk_are_links(repository: Scratch) -> None:
    (repository.folder / "jobs" / "other.topology.yaml").symlink_to("orders.topology.yaml")
    files = Repository(repository.folder).revision(WORKTREE).files
    assert links_of(files) == {"jobs/other.topology.yaml": "orders.topology.yaml"}


def test_a_file_of_any_size_has_an_id_and_is_not_read(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_below, "MOST_BYTES", 100)
    files = Repository(repository.folder).revision(WORKTREE).files
    assert files.content_id(JOB) == repository.git("rev-parse", f"HEAD:{JOB}")
    with pytest.raises(RevisionError, match="more than the 100 bytes"):
        files.read(JOB)


@pytest.mark.parametrize("place", ["/", "..", "/etc", "../elsewhere"])
def test_a_work_tree_elsewhere(place: str, repository: Scratch, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repository.git("config", "core.worktree", str((repository.folder / place).resolve()))
    for name in ("check", "ids", "repair", "init"):
        refused(repository.folder, *COMMANDS[name])


def test_a_submodule_that_is_a_link(repository: Scratch, tmp_path: Path) -> None:
    library = Scratch(tmp_path / "library")
    commit = library.commit("x", a="1")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    repository.git("commit", "--quiet", "--message", "sub")
    later = library.commit("y", a="2")
    shutil.rmtree(repository.folder / "sub", ignore_errors=True)
    (repository.folder / "sub").symlink_to(library.folder)
    files = Repository(repository.folder).revision(WORKTREE).files
    assert isinstance(files, WorktreeFiles)
    assert files.submodules == {"sub": commit} != {"sub": later}
