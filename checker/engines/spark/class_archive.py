"""A class-data archive of Spark's JVM: made once, it halves the start of every later session.

``python -m checker.engines.spark.class_archive`` makes it (about 20 s, 150 MB in the user's cache folder). A JVM that
can't use it (another JDK, other jars) starts without it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def archive_path() -> Path | None:
    """Where the archive for this JDK and this PySpark is or would be; None when either is missing."""
    java = _java()
    if java is None:
        return None
    try:
        import pyspark
    except ImportError:
        return None
    modules = java.parent.parent / "lib" / "modules"
    size = modules.stat().st_size if modules.exists() else 0
    home = Path(os.environ.get("SPARK_HOME", pyspark.__file__)).resolve()  # as Java names it, through whatever link
    text = "\0".join((str(java), str(size), pyspark.__version__, str(home)))
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "savepoint-checker" / f"spark-{pyspark.__version__}-{digest}.jsa"


def _java() -> Path | None:
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    return Path(found).resolve() if found and Path(found).exists() else None


def make_archive() -> Path | None:
    """Run a small check on Spark and have the JVM write the classes it loaded; None when it would not."""
    path = archive_path()
    if path is None:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        part = Path(folder) / path.name
        env = {**os.environ, "SPARK_SUBMIT_OPTS": f"-XX:ArchiveClassesAtExit={part}"}
        subprocess.run(
            [sys.executable, "-m", "checker.engines.spark.training"], env=env, check=True, stdin=subprocess.DEVNULL
        )
        if not part.exists():
            return None
        part.replace(path)
    return path


if __name__ == "__main__":
    made = make_archive()
    if made is None:
        sys.exit("no archive was made: Java or PySpark is missing, or this JDK has no dynamic class-data archives")
    print(f"{made}: {made.stat().st_size // 1024 // 1024} MiB")
