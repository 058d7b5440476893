"""What Spark's Java, and every Python that it starts, may see of the command's surroundings.

Settings of Spark, of Hadoop and of stores come from the user's environment; Spark itself is the one of this Python
unless ``SPARK_HOME`` names another. No Python imports anything from its current folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from checker.cache import private_folder, user_folder
from checker.processes.starting import printed
from checker.processes.surroundings import LOCALE, NETWORK, USER, environment, java, python_module

SEEN = (
    *LOCALE, *USER, *NETWORK, "SPARK_*", "PYSPARK_*", "HADOOP_*", "YARN_*", "KRB5*", "KUBECONFIG", "AWS_*", "AZURE_*",
    "GOOGLE_*", "SAVEPOINT_CHECKER_*", "PYTHONPATH",
)  # fmt: skip
_COMPILER = ("-XX:TieredStopAtLevel=1",)
"""Java compiled quickly instead of well: the work is done in Python, Java's part never earns the better compiler."""


def spark_environment(*, local: bool) -> dict[str, str]:
    """Variables for Spark's start scripts. ``local``: nobody on another machine is to reach it."""
    found = {"PYSPARK_PYTHON": sys.executable, **environment(*SEEN)}
    if "SPARK_HOME" not in found:
        # Spark's own search begins in the folder above the current one.
        spec = find_spec("pyspark")
        assert spec is not None
        assert spec.origin is not None
        found["SPARK_HOME"] = str(Path(spec.origin).parent)
    if local:
        found["SPARK_LOCAL_IP"] = "127.0.0.1"
    return found | {"PYTHONSAFEPATH": "1", "SPARK_SUBMIT_OPTS": java_options()}


def archive_path() -> Path | None:
    """Where the archive for this JDK and this PySpark is or would be; None when either is missing."""
    found = java()
    if found is None or not os.path.exists(found):
        return None
    java_path = Path(found).resolve()
    try:
        import pyspark
    except ImportError:
        return None
    modules = java_path.parent.parent / "lib" / "modules"
    size = modules.stat().st_size if modules.exists() else 0
    home = Path(environment("SPARK_HOME").get("SPARK_HOME", pyspark.__file__))
    # Java names it through whatever link.
    text = "\0".join((str(java_path), str(size), pyspark.__version__, str(home.resolve())))
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return user_folder() / f"spark-{pyspark.__version__}-{digest}.jsa"


def java_options() -> str:
    """Options of the driver's Java, before those that the user's environment has."""
    # Class data sharing is a matter of luck (same JDK, same jars): nothing is said when it does not work out.
    options = [*_COMPILER, "-Xlog:disable", "-Xlog:all=error:stderr", "-Xshare:auto"]
    archive = archive_path()
    if archive is not None and archive.exists():
        options.append(f"-XX:SharedArchiveFile={archive}")
    return " ".join([*options, os.environ.get("SPARK_SUBMIT_OPTS", "")]).strip()


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
