"""Real Flinks that tests ask: their jars, programs that are compiled against them, and the JVM that runs these."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from checker.errors import ExtractionError
from checker.extract.runtime.distribution import cache_folder, flink_jars

BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""For a JVM that lives for seconds: Java's better compiler takes longer than it saves."""
_UNVERIFIED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")
"""Flink's thousands of classes come from the compiler, as ours do."""
JAVAC = " ".join(("javac", "-nowarn", *(f"-J{option}" for option in BRIEF)))
"""The compiler in a script."""
_OPENED = ("lang", "lang.invoke", "net", "time", "util", "util.concurrent", "util.concurrent.atomic")


def jars_of(version: str) -> Path:
    """The jars of a Flink to ask. Without them tests are skipped on a developer's machine and fail in CI."""
    try:
        if shutil.which("javac") is None:
            raise ExtractionError("no JDK: 'javac' is not on the PATH")
        return flink_jars(version)
    except ExtractionError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no Flink {version} to ask: {error}")


def compiled(folder: Path, jars: Path | None, *sources: Path, options: tuple[str, ...] = ()) -> Path:
    """The folder, with the classes of Java sources. Raises CalledProcessError, which has what javac printed."""
    compiler = ["javac", *(f"-J{option}" for option in BRIEF), "-nowarn", "-proc:none", *options]
    given = [] if jars is None else ["-cp", f"{jars}/*"]
    command = [*compiler, *given, "-d", str(folder), *map(str, sources)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder


def packed(classes: Path, jar: Path) -> Path:
    """A jar of all classes below a folder."""
    with zipfile.ZipFile(jar, "w") as archive:
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
    return jar


def java(*classpath: Path | str, memory: str = "1g", options: tuple[str, ...] = ()) -> list[str]:
    """The command of a JVM, up to its main class. A folder of jars on the class path ends with ``/*``."""
    opened = (f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED)
    return ["java", f"-Xmx{memory}", *BRIEF, *_UNVERIFIED, *options, *opened, "-cp", ":".join(map(str, classpath))]


def own_cache(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """An empty cache of builds, with the Flinks that are there."""
    jars_of("1.20.5")
    (folder / "savepoint-checker").mkdir(parents=True)
    (folder / "savepoint-checker" / "flink").symlink_to(cache_folder())
    patch.setenv("XDG_CACHE_HOME", str(folder))
