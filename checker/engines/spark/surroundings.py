"""What Spark's Java, and every Python that it starts, may see of the command's surroundings.

Settings of Spark, of Hadoop and of stores come from the user's environment; Spark itself is the one of this Python
unless ``SPARK_HOME`` names another. No Python imports anything from its current folder.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from checker.processes.starting import LOCALE, NETWORK, USER, environment

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


def java_options() -> str:
    """Options of the driver's Java, before those that the user's environment has."""
    options = [*_COMPILER, "-Xlog:disable", "-Xlog:all=error:stderr"]
    return " ".join([*options, os.environ.get("SPARK_SUBMIT_OPTS", "")]).strip()
