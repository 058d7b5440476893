"""What the planner's JVM loads, prepared once so that it starts fast.

Distributions hide the planner in ``flink-table-planner-loader``, which unpacks 40 MB at every start and loads them by a
class loader of its own. Here the planner stands on the class path, as Flink allows, and the classes that a run loads
are kept in an archive of the JVM (class data sharing). Making it takes 9 s of processor time and saves 3 s a run, so
the first runs go without: they load Flink's own classes unverified.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from checker.cache import user_folder

_LOADER = "flink-table-planner-loader"
_INNER = "flink-table-planner.jar"
_RUNS_WITHOUT: Final = 2
"""So many runs go without an archive; the next one makes it."""


@dataclass(frozen=True, slots=True)
class ClassPath:
    """The jars of a version, and the archive of their classes."""

    jars: tuple[str, ...]
    archive: Path
    """Where the archive is, or will be: a JVM that finds it unfit goes without it."""

    def options(self, *, make: Path | None) -> list[str]:
        """Options of the JVM: to use the archive, or to write one where there is none yet and ``make`` says where."""
        if self.archive.exists():
            return [f"-XX:SharedArchiveFile={self.archive}", "-Xlog:disable"]
        return ["-Xverify:none"] if make is None else [f"-XX:ArchiveClassesAtExit={make}", "-Xlog:disable"]

    def archive_is_due(self) -> bool:
        """Whether this run had better make the archive. Counts the runs that ask."""
        runs = self.archive.with_suffix(".runs")
        if self.archive.exists():
            return False
        with contextlib.suppress(OSError):
            runs.parent.mkdir(parents=True, exist_ok=True)
            with runs.open("ab") as counted:
                counted.write(b".")
                return counted.tell() > _RUNS_WITHOUT
        return False

    def keep(self, made: Path) -> None:
        """Take a finished archive over, and remove those that it replaces."""
        with contextlib.suppress(OSError):
            made.replace(self.archive)
            self.archive.with_suffix(".runs").unlink(missing_ok=True)
            for older in self.archive.parent.glob("*.jsa"):
                if older != self.archive:
                    older.unlink()


def class_path_of(jars: Path) -> ClassPath:
    """The class path of a folder of jars. What can't be kept costs time only."""
    found = [jar.absolute() for jar in sorted(jars.glob("*.jar"))]
    state = [[str(jar), jar.stat().st_size, jar.stat().st_mtime_ns] for jar in found]
    folder = user_folder() / "planner" / hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16]
    inner = next((made for jar in found if jar.name.startswith(_LOADER) and (made := _unpacked(jar, folder))), None)
    if inner is not None:
        found = [*(jar for jar in found if not jar.name.startswith(_LOADER)), inner]
    return ClassPath(tuple(str(jar) for jar in found), folder / f"{_ours()}.jsa")


def _ours() -> str:
    """The classes of ours that stand before Flink's, and the JVM: an archive fits no others."""
    made = hashlib.sha256(os.environ.get("JAVA_HOME", "").encode())
    for jar in sorted(Path(__file__).parents[2].rglob("*.jar")):
        made.update(f"{jar} {jar.stat().st_mtime_ns}".encode())
    return made.hexdigest()[:16]


def _unpacked(loader: Path, folder: Path) -> Path | None:
    """The planner's own jar, taken out of its loader once."""
    path = folder / _INNER
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(loader) as archive:
            unfinished.write_bytes(archive.read(_INNER))
        unfinished.replace(path)
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    return path
