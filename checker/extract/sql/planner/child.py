"""The child process of the planner: plans scripts one after the other in one JVM and records the graphs of their jobs.

Run as ``python -m checker.extract.sql.planner.child REQUEST RESULT``: REQUEST is a JSON file as ``planning.py`` writes
it; RESULT gets one JSON object a line, for each script as soon as it is known. Nothing of the repository is executed:
connectors, catalogs and functions are stand-ins.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture import graph_dump
from checker.extract.runtime.capture.child import Recorder, came_up, job_client
from checker.extract.runtime.capture.jvm import Executor, java, submit_to
from checker.extract.sql.planner.cluster import Cluster
from checker.extract.sql.planner.functions import Functions
from checker.extract.sql.planner.jvm import STAND_INS
from checker.extract.sql.planner.savepoint_files import accumulators, key_fields, retentions, stages, within
from checker.extract.sql.planner.session import Session
from checker.model.nested import Json
from checker.processes.confinement import confine


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


def main(request: Json, result: str) -> None:
    """Plan all scripts of a request; the last record says that the end was reached."""
    recorder = Recorder(result)
    submitted: list[Any] = []

    def taken(pipeline: Any) -> Any:
        submitted.append(pipeline)
        return job_client()

    def prepare() -> None:
        java("java.lang.Thread").currentThread().setContextClassLoader(
            java("java.lang.ClassLoader").getSystemClassLoader()
        )
        submit_to(Executor(taken))

    class_path = [str(STAND_INS), *request["flink_jars"]]
    if not came_up(request, recorder, class_path, prepare, "-Dlog4j2.level=OFF", "-Xverify:none"):
        return
    cluster = Cluster(request["folder"])
    for number, script in enumerate(request["scripts"]):
        functions = Functions(script["functions"], Path(request["folder"], "functions", str(number)))
        session = Session(script, request["connectors"], submitted, cluster.idle_folder, functions)
        jobs = session.replay(script["program"]) if script["program"] else session.run(script["statements"])
        for job in jobs:
            pipeline = job.pop("pipeline", None)
            if pipeline is None:
                continue
            job["graph"] = {**_described(pipeline), "time_zone": session.time_zone}
            if not job["graph"].get("batch"):
                job["states"] = cluster.savepoint(pipeline, [functions.url])
        recorder.write({"script": number, "jobs": jobs, **session.tables()})
    recorder.write({"end": "returned"})


if __name__ == "__main__":
    confine(Path(sys.argv[2]).parent)
    main(json.loads(Path(sys.argv[1]).read_text("utf-8")), sys.argv[2])
    sys.stdout.flush()
    # Threads of the cluster must not keep the process alive.
    os._exit(0)
