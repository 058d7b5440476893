"""A class-data archive of Spark's JVM: made once, it halves the start of every later session.

``savepoint-checker spark archive`` makes it (about 20 s, 150 MB in the user's cache folder). A JVM that can't use it
(another JDK, other jars) starts without it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from checker.cache import private_folder
from checker.engines.spark.surroundings import SEEN, archive_path
from checker.processes.starting import printed
from checker.processes.surroundings import environment, python_module


def make_archive() -> Path | None:
    """Run a small check on Spark and have the JVM write the classes it loaded; None when it would not."""
    path = archive_path()
    if path is None:
        return None
    path.unlink(missing_ok=True)  # or Java would begin with it
    with tempfile.TemporaryDirectory(dir=private_folder(path.parent)) as folder:
        part = Path(folder) / path.name
        seen = environment(*SEEN, own={"SPARK_SUBMIT_OPTS": f"-XX:ArchiveClassesAtExit={part}"})
        status, _, complaints = printed(python_module("checker.engines.spark.training"), environment=seen)
        if status:
            print(complaints.decode("utf-8", "replace"), end="", file=sys.stderr)
        if not part.exists():
            return None
        part.replace(path)
    return path


if __name__ == "__main__":
    made = make_archive()
    if made is None:
        sys.exit("no archive was made: Java or PySpark is missing, or this JDK has no dynamic class-data archives")
    print(f"{made}: {made.stat().st_size // 1024 // 1024} MiB")
