"""What child processes may see is decided while other threads find more repositories, as those of a fleet."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from checker.processes import starting


@pytest.fixture
def switching_often(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(starting, "_repositories", set())
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching_often")
def test_repositories_may_be_added_while_variables_are_chosen(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        adding = [pool.submit(starting.nothing_from, tmp_path / str(number)) for number in range(1_000)]
        for _ in range(100):
            assert starting.environment("PATH", own={"A": "b"})["A"] == "b"
        for future in adding:
            future.result()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_what_is_asked_for_something_takes_little_memory() -> None:
    _, limit, _ = starting.printed(["sh", "-c", "sleep 0.2; ulimit -d"], environment={})
    assert int(limit) * 1024 <= starting.ASKED_MB * 1_000_000
