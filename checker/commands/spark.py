"""``spark``: a local Spark that stays, and what makes Spark start faster."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from checker.commands.options import SparkMaster
from checker.engines.choice import missing_for_spark
from checker.errors import UsageError

What = Annotated[str, typer.Argument(metavar="WHAT", help="start, stop, status or archive.")]


def spark(what: What, spark_master: SparkMaster = "local[*]") -> None:
    """Keep a local Spark running for the next commands, or make its start faster once and for all.

    \b
    savepoint-checker spark start       a Spark Connect server on the loopback address; commands with Spark use it
    savepoint-checker spark stop
    savepoint-checker spark archive     classes of Spark as Java loads them fastest (150 MB in the user's cache folder)
    """
    if what not in ("start", "stop", "status", "archive"):
        raise UsageError(f"spark {what}: must be start, stop, status or archive")
    missing = missing_for_spark(None)
    if missing is not None:
        raise UsageError(missing)
    from checker.engines.spark import standing, surroundings

    if what == "start":
        if not spark_master.startswith("local"):
            raise UsageError(f"--spark-master {spark_master}: a Spark that stays is local, for example local[2]")
        print("starting Spark, which takes a few seconds", file=sys.stderr)
        found = standing.start(spark_master)
        print(f"Spark runs on 127.0.0.1:{found.port} (process {found.process}) until 'savepoint-checker spark stop'")
    elif what == "stop":
        print("Spark is stopped" if standing.stop() else "no Spark was running")
    elif what == "status":
        running = standing.standing()
        print("no Spark is running" if running is None else f"Spark runs on 127.0.0.1:{running.port}")
    else:
        print("starting Spark once to see which classes it loads", file=sys.stderr)
        path = surroundings.make_archive()
        print("this Java makes no archives of classes" if path is None else str(path))
