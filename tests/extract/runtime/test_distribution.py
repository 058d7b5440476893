"""Flink's jars: found, fetched once, never trusted half."""

import threading
from pathlib import Path

import pytest

from checker.errors import ExtractionError, LackingError, UnsupportedFlinkError
from checker.extract.runtime import distribution
from checker.extract.runtime.distribution import cache_folder, distribution_jars, flink_jars, full_version
from checker.extract.runtime.execution import Execution


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(distribution, "_failed", {})


def fill(version: str, work: Path, _progress: object) -> None:
    (work / "jars").mkdir()
    (work / "jars" / f"flink-dist-{version}.jar").write_bytes(b"jar")


def test_a_minor_version_means_its_newest_patch() -> None:
    assert full_version("1.20") == "1.20.5"
    assert full_version("1.20.1") == "1.20.1"
    assert full_version("1.13.5") == "1.13.6"  # the package index has no 1.13.5


@pytest.mark.parametrize("version", ["1.12", "3.0", "1.20.x", "latest", ""])
def test_unknown_versions_are_refused_with_the_known_ones(version: str) -> None:
    with pytest.raises(UnsupportedFlinkError, match=r"use one of 1\.13"):
        flink_jars(version)


def test_a_distribution_on_disk_is_used_where_it_is(tmp_path: Path) -> None:
    lib = tmp_path / "flink" / "lib"
    lib.mkdir(parents=True)
    (lib / "flink-dist-1.20.0.jar").write_bytes(b"")
    assert distribution_jars(tmp_path / "flink") == lib
    assert distribution_jars(lib) == lib
    with pytest.raises(ExtractionError, match="is not a Flink distribution"):
        distribution_jars(tmp_path)


def test_jars_are_fetched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "_fill", fill)
    first = flink_jars("1.20")
    monkeypatch.setattr(distribution, "_fill", None)
    assert flink_jars("1.20.5") == first
    assert [p.name for p in first.iterdir()] == ["flink-dist-1.20.5.jar"]


def test_a_download_that_was_cut_off_leaves_nothing_that_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(version: str, work: Path, progress: object) -> None:
        fill(version, work, progress)
        raise KeyboardInterrupt

    monkeypatch.setattr(distribution, "_fill", broken)
    with pytest.raises(KeyboardInterrupt):
        flink_jars("2.3")
    (cache_folder() / ".2.3.0-killed").mkdir()  # what a killed process leaves
    monkeypatch.setattr(distribution, "_fill", fill)
    assert flink_jars("2.3").is_dir()
    assert sorted(p.name for p in cache_folder().iterdir()) == ["2.3.0", "2.3.0.lock"]


def test_two_that_ask_at_once_download_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def slow(version: str, work: Path, progress: object) -> None:
        calls.append(version)
        threading.Event().wait(0.3)
        fill(version, work, progress)

    monkeypatch.setattr(distribution, "_fill", slow)
    threads = [threading.Thread(target=flink_jars, args=("1.19",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["1.19.3"]


def test_a_failed_download_is_tried_again_by_the_next_run_only(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def fill(version: str, work: Path, progress: object) -> None:
        tried.append(version)
        raise ExtractionError("no network")

    monkeypatch.setattr(distribution, "_fill", fill)
    for _ in range(2):
        with pytest.raises(LackingError, match="no network"):
            flink_jars("1.17")
    assert tried == ["1.17.2"]
    assert not [p for p in cache_folder().iterdir() if p.suffix != ".lock"]


def test_planning_needs_jars_that_are_there_or_may_be_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match=r"flink fetch 1\.17'"):
        distribution.planner_jars(Execution(fetch=False), "1.17.2")
    with pytest.raises(ExtractionError, match="not a Flink distribution"):
        distribution.planner_jars(Execution(flink_home=tmp_path), "1.17.2")
    monkeypatch.setattr(distribution, "_fill", fill)
    assert distribution.planner_jars(Execution(), "1.17.2") == flink_jars("1.17")
    assert distribution.planner_jars(Execution(fetch=False), "1.17.2") == flink_jars("1.17")
