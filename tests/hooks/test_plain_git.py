"""The hooks for plain git, called by git itself."""

from pathlib import Path

from tests.hooks.conftest import DOCUMENT, MOVED, PINNED, TOP, Scratch, clean_environment, new_repository


def test_a_commit_that_loses_state_is_refused(hooked: Scratch) -> None:
    hooked.write(MOVED)
    hooked.git("add", DOCUMENT)
    code, output = hooked.run("git", "commit", "-m", "filter")
    assert code == 1
    assert "Totals" in output
    assert "error:" in output
    assert hooked.git("rev-list", "--count", "HEAD") == "1"


def test_a_harmless_commit_passes(hooked: Scratch) -> None:
    hooked.write(PINNED.replace("name: Totals", "name: Sums"))
    code, output = hooked.run("git", "commit", "-am", "name")
    assert code == 0, output


def test_only_what_is_staged_counts(hooked: Scratch) -> None:
    hooked.write("nothing to see", "NOTES.md")
    hooked.git("add", "NOTES.md")
    hooked.write(MOVED)
    code, output = hooked.run("git", "commit", "-m", "notes")
    assert code == 0, output
    hooked.git("add", DOCUMENT)
    hooked.write(PINNED)
    assert hooked.run("git", "commit", "-m", "filter")[0] == 1


def test_what_can_not_be_told_stops_a_commit_too(hooked: Scratch) -> None:
    hooked.commit(PINNED.replace("name: Totals,", "name: Totals, uid: totals,"))
    hooked.write(PINNED.replace("name: Totals,", "name: Totals, uid: {unknown: nobody gave --suffix},"))
    hooked.git("add", DOCUMENT)
    code, output = hooked.run("git", "commit", "-m", "suffix")
    assert code == 1, output
    assert "nobody gave --suffix" in output
    assert "Undecided" in output


def test_a_partial_stage_is_judged_as_it_is_staged(hooked: Scratch) -> None:
    extra = "- {id: out, kind: legacy-sink, inputs: [totals], name: Out}\n"
    hooked.write(MOVED + extra)
    # The hunk of the filter is refused, the one of the sink accepted.
    code, output = hooked.run("git", "add", "-p", given="s\nn\ny\n")
    assert code == 0, output
    assert "Valid" not in hooked.git("diff", "--cached")
    assert "Out" in hooked.git("diff", "--cached")
    code, output = hooked.run("git", "commit", "-m", "sink only")
    assert "Valid" not in output


def test_commit_of_one_file_uses_the_index_that_git_makes_for_it(hooked: Scratch) -> None:
    hooked.write("x", "README.md")
    hooked.git("add", "README.md")
    hooked.git("commit", "--no-verify", "-qm", "readme")
    hooked.write(MOVED)
    hooked.git("add", DOCUMENT)
    hooked.write("y", "README.md")
    code, output = hooked.run("git", "commit", "-m", "only the readme", "README.md")
    assert code == 0, output
    hooked.write("z", "README.md")
    hooked.git("add", "README.md")
    assert hooked.run("git", "commit", "-m", "only the pipeline", DOCUMENT)[0] == 1


def test_a_first_commit_passes(scratch: Scratch) -> None:
    assert scratch.run("sh", str(TOP / "hooks" / "install"))[0] == 0
    scratch.write(MOVED)
    scratch.git("add", "-A")
    code, output = scratch.run("git", "commit", "-m", "first")
    assert code == 0, output
    assert "new pipeline" in output


def test_merges(hooked: Scratch) -> None:
    hooked.git("checkout", "-q", "-b", "other")
    hooked.commit(PINNED + "- {id: tap, kind: legacy-sink, inputs: [orders], name: Tap}\n")
    hooked.git("checkout", "-q", "main")
    hooked.write("x", "README.md")
    hooked.git("add", "-A")
    hooked.git("commit", "-q", "--no-verify", "-m", "readme")
    code, output = hooked.run("git", "merge", "--no-commit", "other")
    assert code == 0, output
    hooked.write(MOVED)
    hooked.git("add", "-A")
    code, output = hooked.run("git", "commit", "-m", "merge")
    assert code == 1
    assert "Totals" in output


def test_an_unresolved_merge_says_what_to_do(hooked: Scratch) -> None:
    hooked.git("checkout", "-q", "-b", "other")
    hooked.commit(PINNED.replace("Totals", "Sums"))
    hooked.git("checkout", "-q", "main")
    hooked.commit(PINNED.replace("Totals", "Counts"))
    assert hooked.run("git", "merge", "other")[0] == 1
    code, output = hooked.run("savepoint-checker", "hook", "pre-commit")
    assert code == 2
    assert "unresolved merge conflicts" in output


def test_deleting_a_pipeline_is_seen(hooked: Scratch) -> None:
    hooked.git("rm", "-q", DOCUMENT)
    code, output = hooked.run("git", "commit", "-m", "gone")
    assert "orders" in output
    assert "removed" in output
    assert code in (0, 1)


def test_worktrees(hooked: Scratch, tmp_path: Path) -> None:
    hooked.git("worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    second = Scratch(tmp_path / "second")
    second.write(MOVED)
    second.git("add", DOCUMENT)
    code, output = second.run("git", "commit", "-m", "filter")
    assert code == 1
    assert "Totals" in output
    assert hooked.run("savepoint-checker", "hook", "pre-commit")[0] == 0


def test_submodules(hooked: Scratch, tmp_path: Path) -> None:
    outer = new_repository(tmp_path / "outer")
    outer.commit("topology: 1\nname: other\ntransformations: []\n")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(hooked.top), "jobs")
    inner = Scratch(outer.top / "jobs")
    assert inner.run("sh", str(TOP / "hooks" / "install"))[0] == 0
    inner.write(MOVED)
    code, output = inner.run("git", "commit", "-am", "filter")
    assert code == 1
    assert "Totals" in output


def test_the_installer_leaves_foreign_hooks_alone(scratch: Scratch) -> None:
    foreign = scratch.top / ".git" / "hooks" / "pre-commit"
    foreign.write_text("#!/bin/sh\necho mine\n", encoding="utf-8")
    code, output = scratch.run("sh", str(TOP / "hooks" / "install"))
    assert code == 1
    assert "stays as it is" in output
    assert foreign.read_text(encoding="utf-8") == "#!/bin/sh\necho mine\n"
    assert (scratch.top / ".git" / "hooks" / "pre-push").exists()


def test_the_installer_respects_hooks_path(scratch: Scratch) -> None:
    scratch.git("config", "core.hooksPath", ".githooks")
    assert scratch.run("sh", str(TOP / "hooks" / "install"), "pre-commit")[0] == 0
    assert (scratch.top / ".githooks" / "pre-commit").exists()
    assert scratch.run("sh", str(TOP / "hooks" / "install"), "post-commit")[0] == 2


def test_without_the_program_nothing_passes_in_silence(hooked: Scratch) -> None:
    hooked.write(MOVED)
    hooked.git("add", DOCUMENT)
    code, output = hooked.run("git", "commit", "-m", "filter", env=clean_environment(PATH="/usr/bin:/bin"))
    assert code == 1
    assert "nothing was checked" in output


def pushed(scratch: Scratch, tmp_path: Path) -> Scratch:
    """The remote of a repository, with what it has pushed."""
    remote = new_repository(tmp_path / "remote.git")
    remote.git("config", "core.bare", "true")
    scratch.git("remote", "add", "origin", str(remote.top / ".git"))
    return remote


def test_push(hooked: Scratch, tmp_path: Path) -> None:
    pushed(hooked, tmp_path)
    code, output = hooked.run("git", "push", "origin", "main")
    assert code == 0, output
    hooked.commit(MOVED)
    code, output = hooked.run("git", "push", "origin", "main")
    assert code == 1
    assert "Totals" in output
    code, output = hooked.run("git", "push", "origin", "main:elsewhere")
    assert code == 1, "a new branch is compared with the default branch"
    assert hooked.run("git", "push", "--no-verify", "origin", "main:elsewhere")[0] == 0
    assert hooked.run("git", "push", "origin", ":elsewhere")[0] == 0, "deleting a branch loses nothing"


def test_push_over_commits_that_nobody_fetched(hooked: Scratch, tmp_path: Path) -> None:
    remote = pushed(hooked, tmp_path)
    hooked.git("push", "-q", "--no-verify", "origin", "main")
    elsewhere = new_repository(tmp_path / "other")
    elsewhere.git("pull", "-q", str(remote.top / ".git"), "main")
    elsewhere.commit(PINNED + "# theirs\n")
    elsewhere.git("push", "-q", str(remote.top / ".git"), "main")
    hooked.commit(MOVED)
    code, output = hooked.run("git", "push", "--force", "origin", "main")
    assert code == 1
    assert "Totals" in output
