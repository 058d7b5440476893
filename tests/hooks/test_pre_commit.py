"""Our hooks through the real pre-commit: installed, and at the push stage."""

import sys
from pathlib import Path

import pytest

from tests.hooks.conftest import DOCUMENT, MOVED, PINNED, TOP, Scratch, clean_environment, new_repository

pytestmark = [pytest.mark.timeout(900), pytest.mark.packaging]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This work tree as a repository that others name in their configuration."""
    there = new_repository(tmp_path_factory.mktemp("published") / "savepoint-checker")
    here = Scratch(TOP)
    packages = ("checker", "savepoint_checker", "reports")
    shipped = (*packages, "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
    listed = here.git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *shipped)
    for name in filter(None, listed.split("\0")):
        if (TOP / name).is_file():
            there.write("", name)
            (there.top / name).write_bytes((TOP / name).read_bytes())
    there.git("add", "-A")
    there.git("commit", "-qm", "release")
    there.git("tag", "v0.1.0")
    return there.top


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with a store of its own: what pre-commit installs is installed once for this module."""
    return clean_environment(PRE_COMMIT_HOME=str(tmp_path_factory.mktemp("store")), PIP_COMPILE="0")


@pytest.fixture
def configured(scratch: Scratch, published: Path, store: dict[str, str]) -> Scratch:
    hooks = "".join(f"  - id: {hook}\n" for hook in ("savepoint-checker", "savepoint-checker-push"))
    scratch.write(f"repos:\n- repo: {published}\n  rev: v0.1.0\n  hooks:\n{hooks}", ".pre-commit-config.yaml")
    scratch.commit(PINNED, "one")
    command = ("install", "--hook-type", "pre-commit", "--hook-type", "pre-push", "--install-hooks")
    code, output = scratch.run(sys.executable, "-m", "pre_commit", *command, env=store)
    assert code == 0, output
    return scratch


def test_the_installed_hook_judges_what_is_staged(configured: Scratch, store: dict[str, str]) -> None:
    configured.write(MOVED)
    configured.git("add", DOCUMENT)
    code, output = configured.run("git", "commit", "-m", "filter", env=store)
    assert code == 1
    assert "Totals" in output
    configured.write(PINNED.replace("Totals", "Sums"))
    configured.git("add", DOCUMENT)
    configured.write(MOVED)
    code, output = configured.run("git", "commit", "-m", "name", env=store)
    assert code == 0, output


def test_the_push_stage(configured: Scratch, store: dict[str, str], tmp_path: Path) -> None:
    remote = new_repository(tmp_path / "remote.git")
    remote.git("config", "core.bare", "true")
    configured.git("remote", "add", "origin", str(remote.top / ".git"))
    code, output = configured.run("git", "push", "-u", "origin", "main", env=store)
    assert code == 0, output
    configured.commit(MOVED)
    code, output = configured.run("git", "push", env=store)
    assert code == 1
    assert "Flink state of what is pushed" in output
    assert "Totals" in output
