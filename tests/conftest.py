"""Settings that every test shares."""

import gc
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from checker.extract.runtime.capture import capturing
from checker.extract.sql.planner import child_process
from tests.flinks import from_archives
from tests.planner.shared import _one_planner, _planners
from tests.seeds import drawn, seed_of

__all__ = ["_one_planner", "_planners"]

SPARK = "tests/spark/"
PLANNED = ("tests/extract/sql/", "tests/edits/", "tests/referees/test_table_programs.py",
           "tests/workflows/test_functions", "tests/workflows/test_planned", "tests/workflows/test_read")  # fmt: skip
"""What asks hardly anything but planners."""
LONG = (SPARK, "tests/repair/test_restored_repairs.py", "tests/extract/sql/test_planner.py",
        "tests/hostile/", "tests/referees/", "tests/docs/", "tests/edits/", "tests/workflows/test_cache.py",
        "tests/savepoint/test_rewriting_on_flink.py", "tests/extract/sql/test_programs.py",
        "tests/extract/test_readings.py")  # fmt: skip
"""What takes longest begins first, so that no worker is left alone with it at the end."""

# A busy machine makes no test wrong: time is measured in benchmarks only.
# Each run draws other examples, so that few are many over a week.
settings.register_profile("any-machine", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")
# Nothing comes out of the cache of whoever runs the tests; tests of the cache use their own.
os.environ["SAVEPOINT_CHECKER_CACHE"] = "off"
# jsonschema would compile grammars of internationalized addresses for seconds; no schema here knows that format.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis begins where ``tests.seeds`` says, unless ``--hypothesis-seed`` is given."""
    if config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = seed_of("HYPOTHESIS_SEED")
    config.option.loadscopereorder = False


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected lives to the end: it is not searched for garbage, now or between tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000)  # graphs leave hardly any garbage, and the command line searches seldom, too
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where one marker's tests are asked for (``-m flink``), only files that have it are read: all take a minute."""
    marker = str(config.option.markexpr)
    if collection_path.suffix != ".py" or not marker.isidentifier():
        return None
    return f"mark.{marker}" not in collection_path.read_text("utf-8") or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files in the order of ``LONG``, then all others as they were; in a file, tests of a Flink one after another.

    The oldest Flinks come last, since the next file asks them too.
    """
    files = {path: n for n, path in enumerate(dict.fromkeys(item.path for item in items))}

    def place(item: pytest.Item) -> tuple[int, int, tuple[int, ...]]:
        rank = next((n for n, path in enumerate(LONG) if item.nodeid.startswith(path)), len(LONG))
        given = getattr(item, "callspec", None)
        version = "" if given is None else str(given.params.get("flink", ""))
        return rank, files[item.path], tuple(-int(part) for part in version.split(".") if part.isdigit())

    items.sort(key=place)


def pytest_report_header() -> str | None:
    """What repeats the seeds of this run."""
    return f"SEEDS={drawn()}" if drawn() else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """With several workers (``-n 2``) a file stays on one of them, and so does all that starts Spark."""
    return ByFile(config, log)


class ByFile(LoadFileScheduling):
    """The folder of the tests of Spark counts as one file: two Sparks at a time starve each other.

    So do those that ask planners, where other workers have enough to do: one starts each planner, only once.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(PLANNED) and self.config.option.markexpr == "flink":
            return PLANNED[0]
        return SPARK if nodeid.startswith(SPARK) else str(super()._split_scope(nodeid))


@pytest.fixture(scope="session")
def without_flink(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a machine that can't download Flink: whoever asks for its jars is told so."""
    folder = str(tmp_path_factory.mktemp("without-flink"))
    return {"XDG_CACHE_HOME": folder, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}


@pytest.fixture(scope="session", autouse=True)
def _children_from_archives(request: pytest.FixtureRequest) -> Generator[None]:
    """Where only real Flinks are asked, they are started so often that an archive of their classes is worth it."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.option.markexpr == "flink":
            for starting in (capturing, child_process):
                patch.setattr(starting, "in_child", from_archives(starting.in_child))
        yield


@pytest.fixture(autouse=True)
def _no_downloads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only tests marked with ``flink`` (or that install as a user does) see the user's cache and fetch jars."""
    if not any(request.node.get_closest_marker(name) for name in ("flink", "packaging", "browser")):
        for name, value in request.getfixturevalue("without_flink").items():
            monkeypatch.setenv(name, value)
