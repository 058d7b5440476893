"""The child process of a capture: Flink sets the recorded jobs up, for their states, and starts them in a rehearsal.

Run as ``python -m checker.extract.sql.planner.program_child REQUEST RESULT``. Sources and sinks are replaced by ones
that keep and emit nothing. The program's other functions are opened, without records.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import count
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture import child
from checker.extract.sql.planner.jvm import STAND_INS
from checker.extract.sql.planner.savepoints import NEVER, Cluster, without_connectors
from checker.extract.sql.planner.setting_up import set_up

Record = dict[str, Any]


def main(request: Record, result: str) -> None:
    """Run the program; the record of each job has what came of its run as ``rehearsal``."""
    import jpype

    cluster = Cluster(request["folder"], request["seconds"] / 4)
    jars = [Path(jar).as_uri() for jar in request["jars"]]
    numbers = count()

    def rehearse(pipeline: Any) -> Record:
        folder = Path(request["rehearsal"]["folder"], str(next(numbers)))
        try:
            without_connectors(pipeline)
            found = cluster.rehearse(pipeline, jars, str(folder), start=request["rehearsal"]["start"])
            if found.get("refused", True) or "failure" not in (alone := cluster.start_empty(pipeline, jars)):
                return found
            return {"failure": f"without any state the job does not start here either: {alone['failure']}"}
        except jpype.JException as error:
            return {"failure": str(error)}

    if any(Path(jar).name.startswith("flink-dist-2") for jar in request["flink_jars"]):
        # From 2.0 on graphs are made with what it decides.
        request["configuration"].setdefault("execution.checkpointing.interval", f"{NEVER} ms")
    request["flink_jars"] = [str(STAND_INS), *request["flink_jars"]]
    child.run(
        request,
        child.Recorder(result),
        lambda job: set_up(job, cluster, jars, request["seconds"] / 2),
        rehearse if "rehearsal" in request else None,
    )


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text("utf-8")), sys.argv[2])
    sys.stdout.flush()
    # Threads that the program or the cluster left behind must not keep the process alive.
    os._exit(0)
