"""Reading revisions out of git: every way to name one, and nothing of the user's is touched."""

from pathlib import Path

import pytest

from checker.errors import RevisionError
from checker.revisions import Repository
from tests.scratch import Scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("one", a="1")
    scratch.git("tag", "v1.0")
    scratch.commit("two", a="2", b="new")
    return scratch


def read(repository: Repository, asked: str, path: str = "a") -> bytes:
    return repository.revision(asked).files.read(path)


def test_commits_branches_and_tags(scratch: Scratch) -> None:
    repository = Repository(scratch.folder)
    assert read(repository, "HEAD") == b"2"
    assert read(repository, "main~1") == b"1"
    assert read(repository, "v1.0") == b"1"
    assert read(repository, scratch.git("rev-parse", "v1.0")[:8]) == b"1"
    assert list(repository.revision("HEAD").files.paths()) == ["a", "b"]


def test_newest_matching_tag(scratch: Scratch) -> None:
    scratch.git("tag", "v1.10", "HEAD")
    scratch.git("tag", "other", "HEAD~1")
    revision = Repository(scratch.folder).revision("tag:v*")
    assert revision.commit == scratch.git("rev-parse", "v1.10")
    with pytest.raises(RevisionError, match="no tag matches 'w\\*'"):
        Repository(scratch.folder).revision("tag:w*")


def test_head_says_what_differs_on_disk(scratch: Scratch) -> None:
    assert Repository(scratch.folder).head("HEAD").note is None
    scratch.write("a", "on disk")
    scratch.write("untracked", "x")
    assert "a file differs on disk" in (Repository(scratch.folder).head("HEAD").note or "")
    assert Repository(scratch.folder).head("main").note is None
    scratch.write("b", "staged")
    scratch.git("add", "b")
    assert "2 files differ on disk" in (Repository(scratch.folder).head("HEAD").note or "")


def test_what_is_on_disk_is_compared_without_filters_of_the_repository(scratch: Scratch) -> None:
    scratch.git("config", "filter.mine.clean", f"touch {scratch.folder}/ran; cat")
    scratch.write(".gitattributes", "* filter=mine\n")
    scratch.write("a", "on disk")
    assert Repository(scratch.folder).head("HEAD").note
    assert not (scratch.folder / "ran").exists()


def test_index_and_worktree_differ(scratch: Scratch) -> None:
    scratch.write("a", "staged")
    scratch.git("add", "a")
    scratch.write("a", "on disk")
    scratch.write("untracked", "x")
    scratch.write(".gitignore", "ignored\n")
    scratch.write("ignored", "x")
    repository = Repository(scratch.folder)
    assert read(repository, ":index") == b"staged"
    assert read(repository, ":worktree") == b"on disk"
    assert "untracked" in repository.revision(":worktree").files.paths()
    assert "ignored" not in repository.revision(":worktree").files.paths()
    assert "untracked" not in repository.revision(":index").files.paths()


def test_odd_file_names_links_and_submodules(scratch: Scratch, tmp_path: Path) -> None:
    scratch.write('dir/we"ird\tnäme.txt', "x")
    (scratch.folder / "link").symlink_to("a")
    inner = Scratch(tmp_path / "inner")
    inner.commit("inner", x="1")
    scratch.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner.folder), "sub")
    scratch.commit("odd")
    repository = Repository(scratch.folder)
    for asked in ("HEAD", ":index", ":worktree"):
        paths = repository.revision(asked).files.paths()
        assert 'dir/we"ird\tnäme.txt' in paths
        assert "link" not in paths
        assert "sub" not in paths


def test_content_ids_agree_everywhere(scratch: Scratch) -> None:
    repository = Repository(scratch.folder)
    blob = scratch.git("rev-parse", "HEAD:a")
    for asked in ("HEAD", ":index", ":worktree"):
        assert repository.revision(asked).files.content_id("a") == blob


def test_default_base_is_the_merge_base(scratch: Scratch) -> None:
    fork = scratch.git("rev-parse", "HEAD")
    scratch.git("switch", "--quiet", "--create", "feature")
    scratch.commit("on the branch", a="3")
    scratch.git("switch", "--quiet", "main")
    scratch.commit("main moved on", a="4")
    scratch.git("switch", "--quiet", "feature")
    repository = Repository(scratch.folder)
    base = repository.base(None, repository.revision("HEAD"))
    assert base.commit == fork
    assert base.note == "base: merge base with main"


def test_on_the_default_branch_the_base_is_the_parent(scratch: Scratch) -> None:
    repository = Repository(scratch.folder)
    base = repository.base(None, repository.revision("HEAD"))
    assert base.commit == scratch.git("rev-parse", "HEAD~1")


def test_shallow_clone_says_what_to_fetch(scratch: Scratch, tmp_path: Path) -> None:
    scratch.git("clone", "--quiet", "--depth=1", f"file://{scratch.folder}", str(tmp_path / "shallow"))
    repository = Repository(tmp_path / "shallow")
    with pytest.raises(RevisionError, match="git fetch --deepen=1"):
        repository.base(None, repository.revision("HEAD"))
    with pytest.raises(RevisionError, match="git fetch --unshallow"):
        repository.revision("v1.0")


def test_merge_conflicts_are_named(scratch: Scratch) -> None:
    scratch.git("switch", "--quiet", "--create", "other", "HEAD~1")
    scratch.commit("conflict", a="other")
    scratch.git("merge", "--quiet", "main", check=False)
    with pytest.raises(RevisionError, match="a: has unresolved merge conflicts"):
        Repository(scratch.folder).revision(":index")


@pytest.mark.parametrize("asked", ["nonsense", "--help", "", "HEAD:a", "tag:--contains", "tag:--x", "tag:-d"])
def test_no_such_revision(scratch: Scratch, asked: str) -> None:
    with pytest.raises(RevisionError):
        Repository(scratch.folder).revision(asked)


def test_not_a_repository(tmp_path: Path) -> None:
    with pytest.raises(RevisionError, match="not inside a git repository"):
        Repository(tmp_path)
    with pytest.raises(RevisionError, match="no such folder"):
        Repository(tmp_path / "missing")


def test_git_variables_of_a_hook_do_not_lead_elsewhere(
    scratch: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook of one repository that looks at another: GIT_DIR must not win over the folder that was asked for."""
    elsewhere = Scratch(tmp_path / "other")
    elsewhere.commit("other", a="other")
    monkeypatch.setenv("GIT_DIR", str(elsewhere.folder / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(elsewhere.folder / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(elsewhere.folder))
    assert read(Repository(scratch.folder), "HEAD") == b"2"
    assert read(Repository(scratch.folder), ":index") == b"2"


def test_reading_changes_nothing(scratch: Scratch) -> None:
    scratch.write("a", "uncommitted")
    before = (scratch.git("status", "--porcelain"), (scratch.folder / ".git" / "index").read_bytes())
    repository = Repository(scratch.folder)
    for asked in ("HEAD", "HEAD~1", ":index", ":worktree"):
        revision = repository.revision(asked)
        for path in revision.files.paths():
            revision.files.read(path)
    assert ((scratch.folder / ".git" / "index").read_bytes()) == before[1]
    assert scratch.git("status", "--porcelain") == before[0]


def test_linked_worktree_and_bare_repository(scratch: Scratch, tmp_path: Path) -> None:
    scratch.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "v1.0")
    assert read(Repository(tmp_path / "linked"), "HEAD") == b"1"
    assert read(Repository(tmp_path / "linked"), ":worktree") == b"1"
    scratch.git("clone", "--quiet", "--bare", str(scratch.folder), str(tmp_path / "bare.git"))
    bare = Repository(tmp_path / "bare.git")
    assert read(bare, "main") == b"2"
    with pytest.raises(RevisionError, match="bare repository has no work tree"):
        bare.revision(":worktree")


def hostile(scratch: Scratch) -> Path:
    """A repository whose own configuration asks git to run a script, in every way that reading it could obey."""
    evidence = scratch.folder.parent / "evidence"
    script = scratch.folder.parent / "script"
    script.write_text(f"#!/bin/sh\necho $0 $@ >> {evidence}\n")
    script.chmod(0o755)
    hooks = scratch.folder.parent / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_text(script.read_text())
        (hooks / name).chmod(0o755)
    blob = scratch.git("rev-parse", "HEAD:b")
    (scratch.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    signed = scratch.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz\n -----END PGP SIGNATURE-----\n\n", 1
    )
    scratch.write("../commit", signed + "\n")
    scratch.git("update-ref", "HEAD", scratch.git("hash-object", "-t", "commit", "-w", "../commit"))
    for key, value in (
        ("core.fsmonitor", str(script)),
        ("core.hooksPath", str(hooks)),
        ("core.pager", str(script)),
        ("core.sshCommand", str(script)),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("protocol.ext.allow", "always"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{script} fetched"),
        ("log.showSignature", "true"),
        ("gpg.program", str(script)),
        ("diff.external", str(script)),
        ("alias.ls-files", f"!{script}"),
        ("column.ui", "always"),
    ):
        scratch.git("config", key, value)
    return evidence


def test_the_configuration_of_a_repository_runs_nothing(scratch: Scratch) -> None:
    evidence = hostile(scratch)
    scratch.git("ls-files", "--others")
    scratch.git("log", "-1")
    scratch.git("cat-file", "-p", "HEAD:b", check=False)
    obeyed = evidence.read_text()
    assert "fetched" in obeyed, "git obeys this configuration"
    assert "--verify" in obeyed
    assert len(obeyed.splitlines()) > 2
    evidence.unlink()
    repository = Repository(scratch.folder)
    for asked in ("HEAD", ":index", ":worktree", "tag:v*"):
        read(repository, asked)
    with pytest.raises(RevisionError, match=r"b: its content .* is not in this clone"):
        read(repository, "HEAD", "b")
    commits = repository.steps("v1.0", "HEAD")
    assert [info.subject for info in repository.about(commits).values()] == ["one", "two"]
    assert repository.tags("v*") == ("v1.0",)
    assert not evidence.exists(), evidence.read_text()
