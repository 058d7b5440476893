"""Jars of our small Java programs, compiled once per Flink version and session."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.errors import ExtractionError
from checker.extract.runtime.capture.capturing import RunnableProgram
from checker.extract.runtime.distribution import flink_jars

JAVA = Path(__file__).parent / "java"


def jars_of(version: str) -> Path:
    """The Flink to ask. Without it tests are skipped on a developer's machine and fail in CI."""
    try:
        if shutil.which("javac") is None:
            raise ExtractionError("no JDK: 'javac' is not on the PATH")
        return flink_jars(version)
    except ExtractionError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def job_jar(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def compiled(version: str) -> Path:
        if version not in made:
            folder = tmp_path_factory.mktemp(f"flink-{version}")
            major = version.partition(".")[0]
            sources = [*JAVA.glob("*.java"), *(JAVA / f"flink-{major}").glob("*.java")]
            wanted = [str(s) for s in sources if major == "1" or s.stem != "Iterations"]
            subprocess.run(["javac", "-nowarn", "-cp", f"{jars_of(version)}/*", "-d", str(folder), *wanted], check=True)
            made[version] = folder / "job.jar"
            with zipfile.ZipFile(made[version], "w") as archive:
                for path in sorted(folder.glob("*.class")):
                    if path.stem != "Absent":
                        archive.write(path, path.name)
        return made[version]

    return compiled


@pytest.fixture
def program(job_jar: Callable[[str], Path]) -> Callable[..., RunnableProgram]:
    def make(main: str, *args: str, version: str = "1.20.5", seconds: float = 60.0) -> RunnableProgram:
        return RunnableProgram(
            main=main, jars=(job_jar(version),), flink_jars=jars_of(version), args=args, parallelism=2, seconds=seconds
        )

    return make
