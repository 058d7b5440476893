"""Jars of our small Java programs, compiled once per Flink version and session."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from checker.extract.runtime.capture.capturing import RunnableProgram
from checker.extract.runtime.execution import Execution
from checker.model.nested import Json
from tests.flinks import compiled, jars_of, packed

JAVA = Path(__file__).parent / "java"
SEVERAL = JAVA / "several" / "Several.java"


def by_program(jobs: Iterable[Json]) -> dict[str, list[Json]]:
    """The jobs of programs that ``Several`` ran: before those of each comes a job that names it."""
    found: dict[str, list[Json]] = {}
    for job in jobs:
        if job["job_name"].startswith("# "):
            own = found.setdefault(job["job_name"][2:], [])
        else:
            own.append(job)
    return found


@pytest.fixture(scope="session")
def job_jar(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def jar_of(version: str) -> Path:
        if version not in made:
            folder = tmp_path_factory.mktemp(f"flink-{version}")
            major = version.partition(".")[0]
            sources = [SEVERAL, *JAVA.glob("*.java"), *(JAVA / f"flink-{major}").glob("*.java")]
            compiled(folder, jars_of(version), *sources)
            (folder / "Absent.class").unlink()
            made[version] = packed(folder, folder / "job.jar")
        return made[version]

    return jar_of


@pytest.fixture
def program(job_jar: Callable[[str], Path]) -> Callable[..., RunnableProgram]:
    def make(main: str, *args: str, version: str = "1.20.5", seconds: float = 60.0) -> RunnableProgram:
        return RunnableProgram(
            main=main,
            jars=(job_jar(version),),
            flink_jars=jars_of(version),
            args=args,
            parallelism=2,
            execution=Execution(seconds=seconds),
        )

    return make
