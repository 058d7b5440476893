"""Which Scala a program brings: Flink's own jar of Scala 2.12 has to leave ``lib`` for a program of any other.

Flink loads ``scala.`` classes from its distribution first. From 1.15 it says: remove ``flink-scala_2.12`` from ``lib``
to use Scala 2.13 or 3 in jobs, which is what a cluster that runs such a job has done.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

_ONLY_NEWER = "scala/collection/immutable/LazyList.class"
"""A class of Scala's library from 2.13, which Scala 3 uses too."""


def without_old_scala(distribution: Iterable[Path], program: Iterable[Path]) -> list[Path]:
    """The distribution's jars for a program: without ``flink-scala`` where the program's jars bring a newer Scala."""
    jars = sorted(distribution)
    if not any(_holds(jar, _ONLY_NEWER) for jar in program):
        return jars
    return [jar for jar in jars if not jar.name.startswith("flink-scala_2.12")]


def _holds(jar: Path, name: str) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return name in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False  # the JVM says what is wrong with it
