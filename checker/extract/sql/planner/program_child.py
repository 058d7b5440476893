"""The child process of a capture: Flink sets the recorded jobs up, for their states.

Run as ``python -m checker.extract.sql.planner.program_child REQUEST RESULT``. Sources and sinks are replaced by ones
that keep and emit nothing. The program's other functions are opened, without records: what can't be opened here, for
lack of a database for instance, is taken out, and the others are set up without it.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture import child
from checker.extract.runtime.capture.jvm import java
from checker.extract.sql.planner.cluster import NEVER, Cluster, replace_factory, without_connectors
from checker.extract.sql.planner.jvm import STAND_INS, stand_in
from checker.extract.sql.planner.savepoint_files import states_in
from checker.model.nested import Json

_OPERATORS = "streaming.api.operators"


def main(request: Json, result: str) -> None:
    """Run the program."""
    cluster = Cluster(request["folder"], request["seconds"] / 4)
    jars = [Path(jar).as_uri() for jar in request["jars"]]
    if any(Path(jar).name.startswith("flink-dist-2") for jar in request["flink_jars"]):
        # From 2.0 on graphs are made with what it decides.
        request["configuration"].setdefault("execution.checkpointing.interval", f"{NEVER} ms")
    request["flink_jars"] = [str(STAND_INS), *request["flink_jars"]]
    child.run(request, child.Recorder(result), lambda job: _set_up(job, cluster, jars, request["seconds"] / 2))


def _set_up(pipeline: Any, cluster: Cluster, classes: Sequence[str], seconds: float) -> Json:
    """``states`` of each node by its id, ``failures`` by node, and ``failure`` where there is nothing of the job.

    ``pipeline`` is changed: its parallelisms, its edges, and what its nodes run. Each operator has a task of its
    own, so that a task that fails, or does not come up, names its operator. No attempt begins after ``seconds``.
    """
    import jpype

    failures: dict[str, str] = {}
    why = ""
    try:
        without_connectors(pipeline)
        for node in pipeline.getStreamNodes():
            for edge in node.getOutEdges():
                if str(edge.getPartitioner().getClass().getSimpleName()).startswith("Forward"):
                    edge.setPartitioner(java("streaming.runtime.partitioner.RebalancePartitioner")())
            factory = node.getOperatorFactory()
            if factory is not None and "CommitterOperator" in str(factory.getClass().getSimpleName()):
                _take_out(node)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = cluster.savepoint(pipeline, classes)
            if "path" in found:
                by_id = states_in(Path(found["path"].removeprefix("file:")))
                states = {node: by_id.get(operator, []) for node, operator in found["ids"].items()}
                return {"states": states, "failures": failures}
            why = _why(found["failure"])
            nodes = {str(node.getId()): node for node in pipeline.getStreamNodes()}
            failed = [node for node, operator in found["ids"].items() if operator in found.get("vertices", ())]
            if not failed or not all(_take_out(nodes[node]) for node in failed):
                break
            failures |= dict.fromkeys(failed, why)
    except (jpype.JException, AttributeError, TypeError) as error:  # the latter where a Flink has no such method
        why = _why(str(error))
    return {"failure": why}


def _why(failure: str) -> str:
    return f"Flink could not set the function up here: {failure}"


def _take_out(node: Any) -> bool:
    """Replace an operator by one that sees no records. Returns whether there is one with as many inputs."""
    inputs = {int(edge.getTypeNumber()) for edge in node.getInEdges()}
    if inputs == {0}:
        nothing = java(f"{_OPERATORS}.StreamFilter")(stand_in({}, "api.common.functions.FilterFunction"))
    elif inputs == {1, 2}:
        function = stand_in({}, "streaming.api.functions.co.CoFlatMapFunction")
        nothing = java(f"{_OPERATORS}.co.CoStreamFlatMap")(function)
    else:
        return False
    replace_factory(node, java(f"{_OPERATORS}.SimpleOperatorFactory").of(nothing))
    return True


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text("utf-8")), sys.argv[2])
    sys.stdout.flush()
    # Threads that the program or the cluster left behind must not keep the process alive.
    os._exit(0)
