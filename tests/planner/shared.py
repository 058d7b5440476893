"""One process of Flink's planner a version, for all scripts that tests ask: it takes longer to start than to plan.

That a process of its own answers the same is shown by the tests that don't share one, such as those of an audit.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from checker.extract.sql.connectors import connectors
from checker.extract.sql.planner import planning
from checker.extract.sql.planner.child_process import ChildRun
from checker.model.flink_releases import minor_of
from checker.model.nested import Json
from tests.flinks import USUAL, mapped_in
from tests.planner.serving import DONE

TOP = Path(__file__).parents[2]
KEPT = 4
"""So many are kept, those of usual Flinks and those that were asked last: a process takes half a gigabyte."""


class Planner:
    """The process of one version."""

    def __init__(self, folder: Path, jars: Path) -> None:
        folder.mkdir()
        self._folder, self._numbers = folder, count()
        command = [sys.executable, "-m", "tests.planner.serving", str(folder)]
        self._process = subprocess.Popen(
            command, cwd=TOP, env={**os.environ, **mapped_in(jars)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def ask(self, asked: Json) -> ChildRun:
        own = self._folder / str(next(self._numbers))
        request, result = own / "request.json", own / "result.jsonl"
        own.mkdir()
        request.write_text(json.dumps({**asked, "folder": str(own)}), "utf-8")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{request} {result}\n")
        self._process.stdin.flush()
        assert any(line == f"{DONE}{request}\n" for line in self._process.stdout), "the shared planner has ended"
        records = [json.loads(line) for line in result.read_text("ascii").splitlines()]
        end = next((record for record in records if "end" in record), None)
        return ChildRun([record for record in records if "script" in record], end, "")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="session")
def _planners(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., ChildRun]]:
    folder, running, numbers = tmp_path_factory.mktemp("planners"), dict[str, Planner](), count()

    def ask(scripts: Sequence[Json], version: str, jars: Path, _: Path, *, memory_mb: int) -> ChildRun:
        running[version] = running.pop(version, None) or Planner(folder / str(next(numbers)), jars)
        if len(running) > KEPT:
            running.pop(next(name for name in running if name not in USUAL)).close()
        return running[version].ask({
            "flink_jars": [str(jar.absolute()) for jar in sorted(jars.glob("*.jar"))],
            "memory_mb": memory_mb,
            "connectors": connectors(minor_of(version)),
            "scripts": list(scripts),
        })  # fmt: skip

    yield ask
    for planner in running.values():
        planner.close()


@pytest.fixture(scope="module")
def _one_planner(_planners: Callable[..., ChildRun]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "run_child", _planners)
        yield
