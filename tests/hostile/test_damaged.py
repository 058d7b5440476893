"""Whatever is damaged, every command ends soon with exit code 2 and says what; it is never a defect of this tool."""

import os
from pathlib import Path

import pytest

from checker.revisions import Repository
from tests.hostile.commands import command, refused
from tests.hostile.damage import (
    checked_out,
    commit_of,
    committed,
    entry,
    object_file,
    rename_in_index,
    stored,
)
from tests.scratch import Scratch, topology

JOB = "jobs/orders.topology.yaml"
AUDIT = ("audit", "--range", "HEAD~1..HEAD", "--engine", "in-process")
OF_THE_HEAD = {
    "check": ("check", "--base", "HEAD~1"),
    "audit": AUDIT,
    "ids": ("ids", "--head", "HEAD"),
    "extract": ("extract", "--head", "HEAD"),
    "hook": ("hook", "pre-commit"),
}
"""Commands that read the commit that is checked out; the hook only what the index has otherwise."""
OF_THE_BASE = {
    "check": ("check", "--base", "HEAD~1"),
    "audit": AUDIT,
    "repair": ("repair", "--base", "HEAD~1"),
}
OF_THE_INDEX = {
    "staged": ("check", "--base", "HEAD~1", "--head", ":index"),
    "hook": ("hook", "pre-commit"),
    "init": ("init",),
    "worktree": ("ids", "--head", ":worktree"),
}


@pytest.fixture
def repository(tmp_path: Path) -> Scratch:
    scratch = Scratch(tmp_path / "repo")
    scratch.git("config", "gc.auto", "0")
    scratch.commit("one", **{JOB: topology()})
    scratch.commit("two", **{JOB: topology(uid="count")})
    return scratch


TREES = {
    "absolute": lambda blob: entry(b"/etc/orders.topology.yaml", blob),
    "above": lambda blob: entry(b"..", blob),
    "above as a folder": lambda blob: entry(b"../orders.topology.yaml", blob),
    "here": lambda blob: entry(b".", blob),
    "git": lambda blob: entry(b".git", blob),
    "git in other letters": lambda blob: entry(b".GiT", blob),
    "without a name": lambda blob: entry(b"", blob),
    "twice": lambda blob: entry(b"orders.topology.yaml", blob) * 2,
    "of an unknown mode": lambda blob: entry(b"orders.topology.yaml", blob, b"777"),
    "without a mode": lambda blob: entry(b"orders.topology.yaml", blob, b""),
    "cut short": lambda blob: entry(b"orders.topology.yaml", blob)[:-3],
    "cut in its name": lambda blob: b"100644 orders",
    "noise": lambda blob: os.urandom(64).replace(b"\0", b"x"),
    "a file as a folder": lambda blob: entry(b"orders.topology.yaml", blob, b"40000"),
}


@pytest.mark.parametrize("inner", [False, True], ids=["top", "jobs"])
@pytest.mark.parametrize("kind", TREES)
def test_a_tree_that_git_would_not_make(kind: str, repository: Scratch, *, inner: bool) -> None:
    blob = repository.git("rev-parse", f"HEAD:{JOB}")
    tree = stored(repository, "tree", TREES[kind](blob))
    committed(repository, stored(repository, "tree", entry(b"jobs", tree, b"40000")) if inner else tree)
    for arguments in OF_THE_HEAD.values():
        message = refused(repository.folder, *arguments, why="damaged")
        assert not inner or "jobs" in message


def test_a_folder_that_holds_itself_many_times_over(repository: Scratch) -> None:
    tree = stored(repository, "tree", entry(b"f", repository.git("rev-parse", f"HEAD:{JOB}")))
    for _ in range(40):
        tree = stored(repository, "tree", b"".join(entry(b"%d" % n, tree, b"40000") for n in range(10)))
    committed(repository, tree)
    refused(repository.folder, *OF_THE_HEAD["check"], why="files that are read")


def test_a_chain_of_folders_without_end(repository: Scratch) -> None:
    tree = stored(repository, "tree", entry(b"f", repository.git("rev-parse", f"HEAD:{JOB}")))
    for _ in range(200):
        tree = stored(repository, "tree", entry(b"n" * 50, tree, b"40000"))
    committed(repository, tree)
    refused(repository.folder, *OF_THE_HEAD["check"], why="has a path of more than")


@pytest.mark.parametrize("how", ["missing", "empty", "noise", "cut"])
@pytest.mark.parametrize("what", ["HEAD", "HEAD^{tree}", "HEAD:jobs", f"HEAD:{JOB}"])
@pytest.mark.parametrize("commands", [OF_THE_HEAD, OF_THE_BASE], ids=["head", "base"])
def test_an_object_that_is_damaged(
    commands: dict[str, tuple[str, ...]], what: str, how: str, repository: Scratch
) -> None:
    name = what if commands is OF_THE_HEAD else what.replace("HEAD", "HEAD~1")
    path = object_file(repository, repository.git("rev-parse", name))
    repository.write(JOB, topology(before="staged"))
    repository.git("add", "--all")
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "noise": os.urandom(100), "cut": path.read_bytes()[:20]}[how])
    for arguments in commands.values():
        assert "git f" in refused(repository.folder, *arguments), "what helps is said"


@pytest.mark.parametrize("content", [b"", b"DIRC", b"noise" * 20, b"DIRC\0\0\0\2\0\0\xff\xff" + b"x" * 80])
def test_an_index_that_is_damaged(content: bytes, repository: Scratch) -> None:
    (repository.folder / ".git" / "index").write_bytes(content)
    for arguments in OF_THE_INDEX.values():
        ended = command(repository.folder, *arguments)
        assert ended.code == 2 or not content, ended


@pytest.mark.parametrize(
    "path", [b"../s/orders.topology.yaml", b"/obs/orders.topology.yaml", b".git/orders.topology.yam"]
)
def test_paths_of_an_index_that_lead_out(path: bytes, repository: Scratch) -> None:
    rename_in_index(repository, JOB.encode()[: len(path)], path)
    for arguments in OF_THE_INDEX.values():
        refused(repository.folder, *arguments)


@pytest.mark.parametrize(
    "committer", ["", "A <a@b>", "A <a@b> never", "A <a@b> 99999999999999999999 +0000", "A <a@b> -5 +0"]
)
def test_a_commit_without_a_date(committer: str, repository: Scratch) -> None:
    tree, parent = repository.git("rev-parse", "HEAD^{tree}", "HEAD~1").split()
    checked_out(repository, stored(repository, "commit", commit_of(tree, f"parent {parent}\n", committer)))
    refused(repository.folder, *AUDIT, why="has no date that can be read")
    for arguments in OF_THE_HEAD.values():
        command(repository.folder, *arguments)


@pytest.mark.parametrize("encoding", ["UTF-16", "latin-1", "idna", "no-such", "base64", "unicode_escape"])
def test_encodings_that_a_commit_or_the_configuration_names(encoding: str, repository: Scratch) -> None:
    before = command(repository.folder, *OF_THE_HEAD["check"])
    tree, parent = repository.git("rev-parse", "HEAD^{tree}", "HEAD~1").split()
    repository.git("config", "i18n.logOutputEncoding", encoding)
    repository.git("config", "i18n.commitEncoding", encoding)
    text = commit_of(tree, f"parent {parent}\n", more=f"encoding {encoding}\n")
    checked_out(repository, stored(repository, "commit", text))
    assert command(repository.folder, *OF_THE_HEAD["check"]).code == before.code == 1
    assert command(repository.folder, *AUDIT).code == 1


def test_nothing_stands_in_for_a_commit(repository: Scratch) -> None:
    """Git shows its user the replaced commit as if nothing had changed; what is pushed and deployed is the change."""
    commit = repository.git("rev-parse", "HEAD")
    repository.git("replace", "HEAD", "HEAD~1")
    assert repository.git("rev-parse", "HEAD~1", check=False) != repository.git("rev-parse", "HEAD")
    blob = repository.git("rev-parse", f"HEAD:{JOB}")
    assert Repository(repository.folder).revision(commit).files.content_id(JOB) != blob


def test_no_graft_hides_a_step(repository: Scratch) -> None:
    first, second = repository.git("rev-parse", "HEAD~1", "HEAD").split()
    repository.commit("three", more="x")
    third = repository.git("rev-parse", "HEAD")
    (repository.folder / ".git" / "info").mkdir(exist_ok=True)
    (repository.folder / ".git" / "info" / "grafts").write_text(f"{third} {first}\n")
    assert Repository(repository.folder).steps(first, third) == (first, second, third)


@pytest.mark.parametrize("name", ["main", "origin/main"])
def test_no_tag_stands_for_a_branch(name: str, repository: Scratch) -> None:
    """Tags come with what is fetched from anybody; git takes them for what is asked before it looks at branches."""
    first, second = repository.git("rev-parse", "HEAD~1", "HEAD").split()
    repository.git("checkout", "--quiet", "-b", "edit")
    repository.git("update-ref", f"refs/{'heads' if name == 'main' else 'remotes'}/{name}", first)
    repository.commit("three", more="x")
    repository.git("tag", name, second)
    found = Repository(repository.folder)
    assert found.base(None, found.head("HEAD")).commit == first
    refused(repository.folder, "check", "--base", name, why="is a tag and a branch: say which, refs/tags/")
    assert command(repository.folder, "check", "--base", f"refs/tags/{name}").code == 0
