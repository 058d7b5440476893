"""From a pipeline's entry to its jobs: names, options, and what is refused before anything runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from checker.errors import ExtractionError, UnsupportedFlinkError
from checker.extract.runtime.execution import Execution
from checker.extract.runtime.extracting import capture
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles

NO_FILES = MemoryFiles({})


def entry(**changes: object) -> PipelineEntry:
    values: dict[str, object] = {"name": "p", "extract": ExtractorKind.FLINK, "main": "Hostile", "flink": "1.20.5"}
    return PipelineEntry(**{**values, **changes})  # type: ignore[arg-type]


def test_nothing_runs_without_permission() -> None:
    with pytest.raises(ExtractionError, match="--allow-exec"):
        capture(NO_FILES, entry(jars=("job.jar",)), Execution())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"flink": None}, "needs to know the version"),
        ({}, "needs jars"),
        ({"jars": ("nowhere/*.jar",)}, "no jar matches"),
        ({"main": None, "file": "job.sql"}, "needs main"),
        ({"main": "job.py"}, "PyFlink are read without running"),
    ],
)
def test_what_is_missing_is_named(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ExtractionError, match=words):
        capture(NO_FILES, entry(**changes), Execution(allow_exec=True))


def test_an_unknown_version_is_refused_at_once() -> None:
    with pytest.raises(UnsupportedFlinkError):
        capture(NO_FILES, entry(flink="9.9", jars=("x.jar",)), Execution(allow_exec=True))


@pytest.mark.flink
def test_every_job_is_a_topology_of_its_own_name(job_jar: Callable[[str], Path]) -> None:
    jar = job_jar("1.20.5")
    execution = Execution(allow_exec=True, jars_root=jar.parent)
    jobs, _ = capture(NO_FILES, entry(jars=("*.jar",), args=("many",), parallelism=3, max_parallelism=64), execution)
    assert [job.topology.name for job in jobs] == ["p", "p (second)", "p (DataStream Collect)"]
    operators = [t for t in jobs[0].topology.transformations if not t.kind.virtual]
    assert {t.parallelism for t in operators} == {3}
    assert jobs[0].topology.max_parallelism == 64
