"""What a repository brings redirects no write: links at targets, above them and at the names of temporary files."""

import os
import stat
from pathlib import Path

import pytest

from checker.savepoint.reader import read_savepoint
from tests.hostile.commands import command, contents, refused
from tests.savepoint.conftest import unpacked
from tests.scratch import Scratch, topology


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "victim").write_text("mine\n")
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Scratch:
    """Its head inserts an operator, which changes a generated id."""
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("one", **{"jobs/orders.topology.yaml": topology()})
    scratch.commit("two", **{"jobs/orders.topology.yaml": topology(before="added")})
    return scratch


AUDIT = ("audit", "--range", "HEAD~1..HEAD", "--engine", "in-process")
PART = {
    "repair": ("jobs/.orders.topology.yaml.part", ("repair", "--base", "HEAD~1", "--write")),
    "output": (".report.html.part", ("check", "--base", "HEAD~1", "--output", "report.html")),
    "audit": ("data/ledger/.000001.json.part", (*AUDIT, "--data", "data")),
}  # fmt: skip


@pytest.mark.parametrize("name", PART)
def test_names_of_temporary_files_cant_be_known(name: str, repository: Scratch, outside: Path) -> None:
    path, arguments = PART[name]
    (repository.folder / path).parent.mkdir(parents=True, exist_ok=True)
    (repository.folder / path).symlink_to(outside / "victim")
    repository.commit("a link")
    before = contents(outside)
    command(repository.folder, *arguments)
    assert contents(outside) == before
    assert not list(repository.folder.rglob(".*.????????????????")), "a temporary file is left"


TARGETS = {
    "output": ("out/report.html", ("check", "--base", "HEAD~1", "--output", "out/report.html")),
    "config": ("savepoint-checker.toml", ("init", "--only", "config")),
    "workflow": (".github/workflows/savepoint-checker.yml", ("init", "--only", "github")),
}


@pytest.mark.parametrize("where", ["itself", "folder", "dangling"])
@pytest.mark.parametrize("name", TARGETS)
def test_a_target_that_is_a_link_or_lies_behind_one(name: str, where: str, repository: Scratch, outside: Path) -> None:
    path, arguments = TARGETS[name]
    target = repository.folder / path
    if where == "folder":
        if target.parent == repository.folder:
            pytest.skip("the top itself is the user's")
        target.parent.parent.mkdir(parents=True, exist_ok=True)
        target.parent.symlink_to(outside)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(outside / ("missing" if where == "dangling" else "victim"))
    repository.commit("a link")
    before = contents(outside)
    refused(repository.folder, *arguments, why="is a symbolic link")
    assert contents(outside) == before


def test_nothing_of_a_configuration_becomes_part_of_what_init_writes(repository: Scratch) -> None:
    tables = "CREATE TABLE {0} (s STRING) WITH ('connector' = 'print');\n"
    script = f"{tables.format('a')}{tables.format('b')}INSERT INTO b SELECT s FROM a;\n"
    version = 'flink = "1.20\\n      - id: injected\\n        entry: sh $(x)"\n'
    repository.commit(**{"a.sql": script, "savepoint-checker.toml": version})
    assert command(repository.folder, "init", "--only", "hook", "--only", "github", "--only", "gitlab").code == 0
    written = contents(repository.folder)
    for path in (".pre-commit-config.yaml", ".github/workflows/savepoint-checker.yml", ".gitlab/savepoint-checker.yml"):
        assert b"injected" not in written[path]
        assert b"$(x)" not in written[path]


def test_repairs_are_not_written_through_a_linked_folder(repository: Scratch, outside: Path) -> None:
    (outside / "orders.topology.yaml").write_bytes((repository.folder / "jobs/orders.topology.yaml").read_bytes())
    before = contents(outside)
    (repository.folder / "jobs").rename(repository.folder / "moved")
    (repository.folder / "jobs").symlink_to(outside)
    command(repository.folder, "repair", "--base", "HEAD~1", "--write")
    assert contents(outside) == before


def test_a_savepoint_is_not_rewritten_to_behind_a_link(repository: Scratch, outside: Path, tmp_path: Path) -> None:
    (repository.folder / "results").symlink_to(outside)
    place = unpacked("snapshots.tar.xz", tmp_path / "made") / "2.3.0" / "keyed_files" / "savepoint"
    move = f"{read_savepoint(str(place)).operators[0].operator_id}=a"
    rewriting = ("savepoint", "rewrite", str(place), "--move", move, "--out")
    refused(repository.folder, *rewriting, "results/new", why="a link that a repository brings")
    assert list(outside.iterdir()) == [outside / "victim"]
    assert command(repository.folder, *rewriting, "new").code == 0


@pytest.mark.parametrize("link", ["data", "data/ledger", "data/lock", "data/topologies"])
def test_datasets_of_an_audit_hold_no_links(link: str, repository: Scratch, outside: Path) -> None:
    (repository.folder / link).parent.mkdir(parents=True, exist_ok=True)
    (repository.folder / link).symlink_to(outside / "victim" if link == "data/lock" else outside)
    before = contents(outside)
    refused(repository.folder, *AUDIT, "--data", "data", why="is a symbolic link")
    assert contents(outside) == before


def test_links_that_the_user_made_above_the_repository_are_fine(repository: Scratch, tmp_path: Path) -> None:
    (tmp_path / "short").symlink_to(repository.folder)
    (tmp_path / "results").mkdir()
    (tmp_path / "latest").symlink_to(tmp_path / "results")
    for output in (tmp_path / "short" / "report.html", tmp_path / "latest" / "new" / "report.html"):
        assert command(repository.folder, "check", "--base", "HEAD~1", "--output", str(output)).code == 1
        assert output.is_file()


def test_a_file_keeps_its_permissions_and_a_new_one_has_the_usual(repository: Scratch) -> None:
    report = repository.folder / "report.json"
    arguments = ("check", "--base", "HEAD~1", "--output", "report.json")
    assert command(repository.folder, *arguments).code == 1
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(report.stat().st_mode) == 0o666 & ~umask
    report.chmod(0o640)
    assert command(repository.folder, *arguments).code == 1
    assert stat.S_IMODE(report.stat().st_mode) == 0o640
    report.unlink()
    os.mkfifo(report)
    refused(repository.folder, *arguments, why="not a regular file")
