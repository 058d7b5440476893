"""The child process of the planner: plans scripts one after the other in one JVM and records the graphs of their jobs.

Run as ``python -m checker.extract.sql.planner.child REQUEST RESULT``: REQUEST is a JSON file as ``planning.py`` writes
it; RESULT gets one JSON object a line, for each script as soon as it is known. Nothing of the repository is executed:
connectors, catalogs and functions are stand-ins.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

from checker.extract.runtime.capture import graph_dump
from checker.extract.runtime.capture.jvm import Executor, java, start, submit_to
from checker.extract.sql.planner.cluster import Cluster
from checker.extract.sql.planner.functions import Functions
from checker.extract.sql.planner.jvm import STAND_INS, stand_in
from checker.extract.sql.planner.savepoint_files import accumulators, key_fields, retentions, stages, within
from checker.extract.sql.planner.session import Session
from checker.model.nested import Json


class _Limit:
    """Ends the process when a script takes too much processor time: how busy the machine is decides nothing."""

    def __init__(self, seconds: float, status: int) -> None:
        self._seconds, self._status = seconds, status
        self.begin()
        Thread(target=self._watch, daemon=True, name="limit").start()

    def begin(self) -> None:
        """The next script."""
        self._until = time.process_time() + self._seconds

    def _watch(self) -> None:
        while time.process_time() < self._until:
            time.sleep(0.2)
        os._exit(self._status)


def _described(pipeline: Any) -> Json:
    """The graph of a job as captured programs have it, with the description of each node."""
    record = graph_dump.stream_graph(pipeline)
    record["operator_ids"] = graph_dump.operator_ids(pipeline)
    record["vertices"] = graph_dump.vertices(pipeline)
    nodes = {int(node.getId()): node for node in pipeline.getStreamNodes()}
    for node in record["nodes"]:
        factory: Any = nodes[node["id"]].getOperatorFactory() if node["keyed"] else None
        operator = factory.getOperator() if hasattr(factory, "getOperator") else None
        node["retention"] = {} if operator is None else retentions(operator)
        node["stages"] = None if operator is None else stages(operator)
        node["within"] = None if operator is None else within(operator)
        if operator is not None and (of_python := accumulators(operator)) is not None:
            node["accumulators"] = of_python
        partitioners = nodes[node["id"]].getStatePartitioners() if node["keyed"] else ()
        node["key_fields"] = [None if s is None else key_fields(s) for s in partitioners]
    if not hasattr(java("streaming.api.graph.StreamNode"), "getOperatorDescription"):
        return record  # until 1.14 names are descriptions
    descriptions = {int(n.getId()): n.getOperatorDescription() for n in pipeline.getStreamNodes()}
    for node in record["nodes"]:
        described = descriptions[node["id"]]
        node["description"] = None if described is None else str(described)
    return record


def _job_client() -> Any:
    """The client of a job that never ran: ``table.dml-sync`` asks for its result."""
    job = java("api.common.JobID")()
    result = java("api.common.JobExecutionResult")(job, 0, java("java.util.HashMap")())
    ended = java("java.util.concurrent.CompletableFuture").completedFuture(result)
    interfaces = ("core.execution.JobClient", "runtime.operators.coordination.CoordinationRequestGateway")
    return stand_in({"getJobID": job, "getJobExecutionResult": ended}, *interfaces)


def main(request: Json, result: str) -> None:
    """Plan all scripts of a request; the last record says that the end was reached."""
    import jpype

    with open(result, "w", encoding="ascii") as stream:

        def write(record: Json) -> None:
            stream.write(json.dumps(record) + "\n")
            stream.flush()

        try:
            start(
                [str(STAND_INS), *request["flink_jars"]],
                request["folder"],
                request["memory_mb"],
                "-XX:+UseSerialGC",
                "-Dlog4j2.level=OFF",
                *request["jvm_options"],
                jvm=request.get("jvm"),
            )
            java("java.lang.Thread").currentThread().setContextClassLoader(
                java("java.lang.ClassLoader").getSystemClassLoader()
            )
        except Exception as error:  # JPype raises what it likes: OSError, JVMNotFoundException, RuntimeError
            write({"end": "no-jvm", "message": str(error)})
            return
        try:
            submitted: list[Any] = []

            def taken(pipeline: Any) -> Any:
                submitted.append(pipeline)
                return _job_client()

            submit_to(Executor(taken))
        except (jpype.JException, TypeError, AttributeError) as error:
            write({"end": "no-flink", "message": str(error)})
            return
        cluster = Cluster(request["folder"])
        limit = _Limit(request["seconds"], request["late"])
        for number, script in enumerate(request["scripts"]):
            limit.begin()
            functions = Functions(script["functions"], Path(request["folder"], "functions", str(number)))
            session = Session(script, request["connectors"], submitted, cluster.idle_folder, functions)
            jobs = session.replay(script["program"]) if script["program"] else session.run(script["statements"])
            for place, job in enumerate(jobs):
                pipeline = job.pop("pipeline", None)
                if pipeline is None:
                    continue
                job["graph"] = {**_described(pipeline), "time_zone": session.time_zone}
                rehearsed = script.get("rehearsed", {}).get(str(place))
                if rehearsed is not None:
                    job["rehearsal"] = cluster.rehearse(
                        pipeline, [functions.url], rehearsed, start=script["start"], given=script["given"]
                    )
                elif script["states"] and not job["graph"].get("batch"):
                    job["states"] = cluster.savepoint(pipeline, [functions.url])
            write({"script": number, "jobs": jobs, **session.tables()})
        cluster.close()
        write({"end": "returned"})


if __name__ == "__main__":
    REQUEST = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    main(REQUEST, sys.argv[2])
    sys.stdout.flush()
    if REQUEST["orderly_end"]:
        java("java.lang.Runtime").getRuntime().exit(0)
    # Threads of the cluster must not keep the process alive.
    os._exit(0)
