"""What is kept between commands is for this user alone, lies where it was asked for, and holds no secret in clear."""

import json
import sqlite3
import zlib
from pathlib import Path

import pytest

from checker.cache import Cache, active_cache, private_folder, use_cache
from checker.cli import run
from checker.revisions import Repository
from tests.hostile.traps import open_to_others
from tests.scratch import Scratch

SECRET = "hunter2-s3cr3t"
JOB = """
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String password = args[1];
    env.fromSequence(0, 9).uid("numbers").keyBy(x -> x % 3).reduce(Long::sum).uid("sum").print(password).uid("out");
    env.execute("job");
  }
}
"""


def kept_texts(folder: Path) -> str:
    """All that a cache holds, unpacked."""
    rows = sqlite3.connect(folder / "cache.sqlite")
    values = [row[0] for row in rows.execute("select value from entries")]
    unpacked = []
    for value in values:
        try:
            unpacked.append(zlib.decompress(value))
        except (zlib.error, TypeError):
            unpacked.append(value if isinstance(value, bytes) else str(value).encode())
    return b"\n".join(unpacked).decode("utf-8", "replace")


@pytest.mark.parametrize("mode", [0o777, None], ids=["open before", "new"])
def test_a_cache_is_closed_to_others(tmp_path: Path, mode: int | None) -> None:
    folder = tmp_path / "cache"
    if mode is not None:
        folder.mkdir()
        folder.chmod(mode)
        (folder / "cache.sqlite").touch(0o666)
        (folder / "cache.sqlite").chmod(0o666)
    cache = Cache(folder)
    cache.keep("key", "value")
    assert (folder / "cache.sqlite-wal").exists()
    assert open_to_others(folder) == []
    assert cache.rows("key") == ["value"]


def test_a_link_instead_of_the_cache_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").touch()
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "cache.sqlite").symlink_to(tmp_path / "outside")
    cache = Cache(tmp_path / "cache")
    cache.keep("key", "value")
    assert cache.rows("key") == []
    assert (tmp_path / "outside").read_bytes() == b""


@pytest.mark.parametrize("tracked", [True, False])
def test_a_cache_that_comes_with_the_repository_is_not_used(tmp_path: Path, tracked: bool) -> None:
    scratch = Scratch(tmp_path)
    scratch.write("notes.txt", "")
    folder = tmp_path / ".savepoint-checker-cache"
    if tracked:
        Cache(folder).keep("key", "passes")
    scratch.commit("all")
    use_cache(folder)
    try:
        Repository(tmp_path)
        assert (active_cache() is None) == tracked
    finally:
        use_cache(None)


def test_a_folder_with_other_things_stays_as_open_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "page.html").touch()
    tmp_path.chmod(0o755)
    assert private_folder(tmp_path).stat().st_mode & 0o777 == 0o755
    Cache(tmp_path).keep("key", "value")
    assert (tmp_path / "cache.sqlite").stat().st_mode & 0o077 == 0


def test_arguments_that_are_secrets_are_not_kept_in_clear(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "repository")
    for name in ("sum", "total"):
        scratch.write("src/main/java/Job.java", JOB.replace('"sum"', f'"{name}"'))
        scratch.write(
            "savepoint-checker.toml",
            '[[pipeline]]\nname = "job"\nmain = "Job"\nflink = "1.20"\n'
            f'file = "src/main/java/Job.java"\nargs = ["--db.password", "{SECRET}"]\n',
        )
        scratch.commit(name)
    folder = tmp_path / "cache"
    check = ["--cache", str(folder), "check", "--repo", str(scratch.folder), "--base", "HEAD~1"]
    first = run([*check, "--engine", "in-process", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert [p["status"] for p in document["pipelines"]] == ["changed"], document
    assert run([*check, "--engine", "in-process", "--format", "json"]) == first
    assert json.loads(capsys.readouterr().out)["pipelines"] == document["pipelines"]
    assert kept_texts(folder)
    assert SECRET not in kept_texts(folder)
