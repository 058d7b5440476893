"""Real Flinks that tests ask: their jars, programs that are compiled against them, and the JVM that runs these."""

import contextlib
import datetime
import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from filelock import FileLock

from checker.errors import ExtractionError
from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.capture.jvm import CAPTURE
from checker.extract.runtime.distribution import cache_folder, flink_jars
from checker.extract.runtime.execution import Execution
from checker.extract.sql.planner.jvm import STAND_INS
from checker.model.nested import Json

BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""For a JVM that lives for seconds: Java's better compiler takes longer than it saves."""
_UNVERIFIED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")
"""Flink's thousands of classes come from the compiler, as ours do."""
JAVAC = " ".join(("javac", "-nowarn", *(f"-J{option}" for option in BRIEF)))
"""The compiler in a script."""
TESTS = Path(__file__).parent
USUAL = ("1.20.5", "2.3.0")
"""Flinks that are started many times."""
OTHERS = ("1.13.6", "1.14.6", "1.16.3", "1.17.2", "1.18.1", "1.19.3", "2.0.2", "2.1.3", "2.2.1")
"""Flinks of which a run asks one, each day the next: their jars alone take as long as all that is asked of them."""
_OPTIONS = "JAVA_TOOL_OPTIONS"
_OPENED = ("lang", "lang.invoke", "net", "time", "util", "util.concurrent", "util.concurrent.atomic")


def asked(*versions: str) -> tuple[str, ...]:
    """Those of some Flinks that this run asks: the usual ones and that of the day; with ``FLINKS=all`` each of them."""
    today = OTHERS[datetime.date.today().toordinal() % len(OTHERS)]
    return tuple(v for v in versions if v in USUAL or v == today or os.environ.get("FLINKS") == "all")


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
    given = [] if jars is None else ["-cp", f"{jars.resolve()}/*"]
    return by_compiler([*compiler, *given], folder, *sources)


def by_compiler(command: list[str], folder: Path, *sources: Path) -> Path:
    """The folder, with what a compiler makes of sources: kept beside the jars, as it is the same in each run."""
    sources = tuple(sorted(sources))
    parts = (_jdk(), *map(str.encode, command), *(text for s in sources for text in (s.name.encode(), s.read_bytes())))
    kept = cache_folder().resolve().parent / "classes" / hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    if not kept.is_dir():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as work:
            made = Path(work, "made")
            made.mkdir()
            subprocess.run([*command, "-d", made, *sources], check=True, capture_output=True, text=True)
            with contextlib.suppress(OSError):  # another run was first
                made.rename(kept)
    shutil.copytree(kept, folder, dirs_exist_ok=True)
    return folder


@cache
def _jdk() -> bytes:
    return subprocess.run(["java", "-version"], check=True, capture_output=True).stderr


def packed(classes: Path, jar: Path) -> Path:
    """A jar of all classes below a folder."""
    with zipfile.ZipFile(jar, "w") as archive:
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
    return jar


def java(*classpath: Path | str, memory: str = "1g", options: tuple[str, ...] = ()) -> list[str]:
    """The command of a JVM, up to its main class. A folder of jars on the class path ends with ``/*``."""
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED]
    entries = [*map(str, classpath)]
    if jars := {entry for entry in entries if Path(entry).name == "*" and Path(entry).parent.name in USUAL}:
        trained, archive = _archive(Path(jars.pop()).parent, *opened)
        entries = [trained, *(entry for entry in entries if entry not in trained)]
        options = (*options, f"-XX:SharedArchiveFile={archive}")
    return ["java", f"-Xmx{memory}", *BRIEF, *_UNVERIFIED, *options, *opened, "-cp", ":".join(entries)]


@cache
def _archive(jars: Path, *opened: str) -> tuple[str, Path]:
    """The loaded classes of a Flink as a JVM maps them in, which halves its start, and the class path that they need.

    Made once by a run of a small cluster, and kept beside the jars. One that does not fit is not used.
    """
    source = TESTS / "gate" / "java" / "RestoreLab.java"
    ready = _archives(jars, source)
    classpath = f"{jars}/*:{ready}/trained.jar"
    if not (ready / "classes.jsa").exists():
        with TemporaryDirectory(dir=ready) as folder:
            work = Path(folder)
            trained = packed(compiled(work / "classes", jars, source), work / "trained.jar")
            os.utime(trained, (0, 0))  # the archive fits one of this size and time only: two may be made at once
            trained.rename(ready / trained.name)
            command = ["java", *BRIEF, *opened, f"-XX:ArchiveClassesAtExit={work}/classes.jsa", "-cp", classpath]
            subprocess.run([*command, source.stem, folder, "same"], check=True, capture_output=True)
            (work / "classes.jsa").rename(ready / "classes.jsa")
    return classpath, ready / "classes.jsa"


def _archives(jars: Path, source: Path, *before: Path) -> Path:
    """The folder of a Flink's archives for this JDK, what is run to make them, and jars of ours on the class path."""
    places = "".join(f"{path} {path.stat().st_mtime_ns}" for path in before).encode()
    digest = hashlib.sha256(_jdk() + source.read_bytes() + places).hexdigest()[:16]
    folder = jars.parents[1] / "archives" / digest / jars.name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def mapped_in(jars: Path) -> dict[str, str]:
    """Variables by which a child process of ours maps the classes of a usual Flink in: a third less to start."""
    if jars.name not in USUAL:
        return {}
    source = TESTS / "extract" / "runtime" / "java" / "training" / "Training.java"
    archive = _archives(jars, source, CAPTURE, STAND_INS) / "children.jsa"
    with FileLock(archive.with_suffix(".lock")), TemporaryDirectory(dir=archive.parent) as folder:
        if not archive.exists():
            made, own = Path(folder) / archive.name, Execution(pass_environment=(_OPTIONS,))
            jar = packed(compiled(Path(folder) / "classes", jars, source), Path(folder) / "training.jar")
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv(_OPTIONS, f"-XX:ArchiveClassesAtExit={made} -Xlog:disable")
                run(RunnableProgram(main="Training", jars=(jar,), flink_jars=jars, execution=own))
            made.rename(archive)
    return {_OPTIONS: f"-XX:SharedArchiveFile={archive} -Xlog:disable"}


def from_archives(in_child: Callable[..., Any]) -> Callable[..., Any]:
    """As ``in_child``, whose process maps its classes in."""

    def started(module: str, asked: Json, folder: Path, seen: dict[str, str], wait: object) -> Any:
        if _OPTIONS in seen:
            return in_child(module, asked, folder, seen, wait)
        jars = [Path(jar).resolve() for jar in asked["flink_jars"]]  # an archive is of these paths
        asked = {**asked, "flink_jars": [str(jar) for jar in jars]}
        return in_child(module, asked, folder, {**mapped_in(jars[-1].parent), **seen}, wait)

    return started


def own_cache(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """An empty cache of builds, with the Flinks that are there."""
    jars_of("1.20.5")
    (folder / "savepoint-checker").mkdir(parents=True)
    (folder / "savepoint-checker" / "flink").symlink_to(cache_folder())
    patch.setenv("XDG_CACHE_HOME", str(folder))
