"""Has Flink set a program's job up, without its sources and sinks, to learn which states its functions register.

What can't be set up here, for lack of a database for instance, is taken out: the others are set up without it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from checker.extract.runtime.capture.jvm import java
from checker.extract.runtime.capture.registered_states import states_in
from checker.extract.sql.planner.jvm import stand_in
from checker.extract.sql.planner.savepoints import Cluster, replace_factory, without_connectors

Record = dict[str, Any]

_OPERATORS = "streaming.api.operators"


def set_up(pipeline: Any, cluster: Cluster, classes: Sequence[str], seconds: float) -> Record:
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
            found = cluster.savepoint(pipeline, classes, kind="NATIVE")
            if "path" in found:
                by_id = states_in(found["path"].removeprefix("file:"))
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
    factory = node.getOperatorFactory()
    idle = java(f"{_OPERATORS}.SimpleOperatorFactory").of(nothing)
    idle.setChainingStrategy(factory.getChainingStrategy())
    replace_factory(node, idle)
    return True
