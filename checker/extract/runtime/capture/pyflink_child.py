"""The child process of a PyFlink capture: runs a script in the interpreter that has PyFlink, and records its jobs.

Stands alone, for that interpreter has none of our packages: ``python pyflink_child.py REQUEST RESULT`` with the same
files and records as ``child.py``. ``execute`` hands the stream graph to the recorder instead of to a cluster.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
import traceback
from typing import Any, Dict  # noqa: UP035 - see Record

Record = Dict[str, Any]  # noqa: UP006 - runs on the oldest Python that PyFlink takes


class Recorder:
    """Appends records to the result file, each whole and flushed."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "w", encoding="ascii")  # noqa: SIM115 - open until the process ends

    def write(self, record: Record) -> None:
        """One line of JSON."""
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()


class Finished:
    """What ``execute`` returns: any question about the job's result has no answer."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **keywords: None


def _list(jvm: Any, collection: Any) -> list[Any]:
    return list(jvm.java.util.ArrayList(collection))


def _node(jvm: Any, node: Any, graph: Any, max_parallelism: Any) -> Record:
    factory = node.getOperatorFactory()
    generator = jvm.org.apache.flink.streaming.api.graph.StreamingJobGraphGenerator
    record = {
        "id": node.getId(),
        "name": node.getOperatorName(),
        "uid": node.getTransformationUID(),
        "uid_hash": node.getUserHash(),
        "parallelism": node.getParallelism(),
        "max_parallelism": max_parallelism.get(node),
        "slot_sharing_group": node.getSlotSharingGroup(),
        "co_location_group": node.getCoLocationGroup(),
        "chaining": None if factory is None else factory.getChainingStrategy().toString().lower().replace("_", "-"),
        "keyed": node.getStateKeySerializer() is not None,
        "in": [{"from": e.getSourceId(), "type": e.getTypeNumber()} for e in _list(jvm, node.getInEdges())],
        "out": [
            {
                "to": edge.getTargetId(),
                "type": edge.getTypeNumber(),
                "partitioner": edge.getPartitioner().toString(),
                "partitioner_class": edge.getPartitioner().getClass().getSimpleName(),
                "exchange": edge.getExchangeMode().toString(),
                "tag": None if edge.getOutputTag() is None else edge.getOutputTag().getId(),
                "chainable": generator.isChainable(edge, graph),
            }
            for edge in _list(jvm, node.getOutEdges())
        ],
    }
    if factory is not None:
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        operator = factory.getStreamOperatorClass(loader)
        yielding = factory.getClass().getInterfaces()
        record.update(
            {
                "factory": factory.getClass().getName(),
                "operator": operator.getName(),
                "yielding": any(i.getSimpleName() == "YieldingOperatorFactory" for i in yielding),
                "legacy_source": operator.getSimpleName() != "SourceOperator",
                "function": None,
                "state": [],
                "stateful": {"unknown": "the state of Python functions is not seen in the JVM"},
            }
        )
    return record


def _vertex(jvm: Any, vertex: Any) -> Record:
    return {
        "id": vertex.getID().toString(),
        "name": vertex.getName(),
        "parallelism": vertex.getParallelism(),
        "max_parallelism": vertex.getMaxParallelism(),
        "operators": [
            {"generated": pair.getGeneratedOperatorID().toString(), "user": _user(pair)}
            for pair in _list(jvm, vertex.getOperatorIDs())
        ],
        "inputs": [
            {
                "from": edge.getSource().getProducer().getID().toString(),
                "ship": edge.getShipStrategyName(),
                "pattern": edge.getDistributionPattern().toString(),
                "result": edge.getSource().getResultType().toString(),
            }
            for edge in _list(jvm, vertex.getInputs())
        ],
        "coordinators": [],
    }


def _user(pair: Any) -> Any:
    given = pair.getUserDefinedOperatorID()
    return given.get().toString() if given.isPresent() else None


def stream_graph(jvm: Any, graph: Any) -> Record:
    """Everything that matters of a stream graph, in the form of ``graph_dump.stream_graph``."""
    nodes = sorted(_list(jvm, graph.getStreamNodes()), key=lambda node: node.getId())
    config = graph.getExecutionConfig()
    field = nodes[0].getClass().getDeclaredField("maxParallelism")
    field.setAccessible(True)
    option = "isChainingOfOperatorsWithDifferentMaxParallelismEnabled"
    has_option = any(m.getName() == option for m in graph.getClass().getMethods())
    return {
        "job_name": graph.getJobName(),
        "chaining": graph.isChainingEnabled(),
        "batch": graph.getJobType().toString() == "BATCH",
        "sources": _list(jvm, graph.getSourceIDs()),
        "sinks": _list(jvm, graph.getSinkIDs()),
        "max_parallelism": config.getMaxParallelism(),
        "auto_generate_uids": config.hasAutoGeneratedUIDsEnabled(),
        "chain_different_max_parallelism": getattr(graph, option)() if has_option else True,
        "nodes": [_node(jvm, node, graph, field) for node in nodes],
    }


def _captured(recorder: Recorder, jvm: Any, java_error: Any, graph: Any) -> Finished:
    """Record a stream graph and the job graph that Flink makes of it. Raises what Flink raises."""
    record = stream_graph(jvm, graph)
    try:
        hasher = jvm.org.apache.flink.streaming.api.graph.StreamGraphHasherV2()
        hashes = hasher.traverseStreamGraphAndGenerateHashes(graph)
        record["operator_ids"] = {str(key): bytes(hashes[key]).hex() for key in hashes}
        found = graph.getJobGraph().getVerticesSortedTopologicallyFromSources()
        record["vertices"] = [_vertex(jvm, vertex) for vertex in _list(jvm, found)]
    except java_error as refused:
        error = refused.java_exception
        record["refused"] = [{"class": error.getClass().getName(), "message": error.getMessage(), "frames": []}]
        raise
    finally:
        recorder.write({"graph": record})
    return Finished()


def _executing(recorder: Recorder, get_gateway: Any, java_error: Any) -> Any:
    def execute(self: Any, job_name: Any = None) -> Finished:
        return _captured(recorder, get_gateway().jvm, java_error, self._generate_stream_graph(True, job_name))

    return execute


def _collecting(recorder: Recorder, get_gateway: Any, java_error: Any) -> Any:
    """``DataStream.execute_and_collect`` as PyFlink writes it, up to the stream graph that Flink would execute."""

    def execute_and_collect(self: Any, job_execution_name: Any = None, limit: Any = None) -> Any:
        jvm = get_gateway().jvm
        environment = self._j_data_stream.getExecutionEnvironment()
        jvm.org.apache.flink.python.util.PythonConfigUtil.configPythonOperator(environment)
        self._apply_chaining_optimization()
        self._j_data_stream.collectAsync()
        graph = environment.getStreamGraph(True)
        graph.setJobName(job_execution_name or "DataStream Collect")
        _captured(recorder, jvm, java_error, graph)
        return [] if limit is not None else Collected()

    return execute_and_collect


class Collected:
    """The elements of a job that did not run: none."""

    def __iter__(self) -> Any:
        return iter(())

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *ended: Any) -> None:
        return None

    def close(self) -> None:
        """Nothing to close."""


DECLARES = ("CREATE", "DROP", "ALTER", "USE", "SET", "RESET", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "LOAD", "ADD")
"""First words of the SQL statements that submit no job."""


def _refuse_tables() -> None:
    """Jobs of the Table API would run in a cluster of their own: they end the script with what to do instead."""
    try:
        tables = importlib.import_module("pyflink.table")
    except ImportError:
        return
    declaring = tables.TableEnvironment.execute_sql

    def refused(self: Any, *arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError("jobs of PyFlink's Table API are not captured, and are not run either")

    def execute_sql(self: Any, stmt: str) -> Any:
        words = stmt.upper().split()
        if words and words[0] in DECLARES and "SELECT" not in words:
            return declaring(self, stmt)
        return refused(self)

    tables.TableEnvironment.execute_sql = execute_sql
    for owner, name in (("Table", "execute"), ("Table", "execute_insert"), ("StatementSet", "execute"),
                        ("Table", "to_pandas")):  # fmt: skip
        setattr(getattr(tables, owner), name, refused)


def install(recorder: Recorder, parallelism: int) -> None:
    """Put the recorder in front of PyFlink. Raises ImportError where there is none."""
    java_error = importlib.import_module("py4j.protocol").Py4JJavaError
    get_gateway = importlib.import_module("pyflink.java_gateway").get_gateway
    datastream = importlib.import_module("pyflink.datastream")
    environment_class = datastream.StreamExecutionEnvironment
    executing = _executing(recorder, get_gateway, java_error)
    environment_class.execute = executing
    environment_class.execute_async = executing
    if hasattr(datastream, "DataStream"):
        datastream.DataStream.execute_and_collect = _collecting(recorder, get_gateway, java_error)
    _refuse_tables()
    original = environment_class.get_execution_environment

    def get_execution_environment(configuration: Any = None) -> Any:
        environment = original() if configuration is None else original(configuration)
        if configuration is None or not configuration.contains_key("parallelism.default"):
            environment.set_parallelism(parallelism)
        return environment

    environment_class.get_execution_environment = staticmethod(get_execution_environment)


def run(request: Record, recorder: Recorder) -> None:
    """Import PyFlink, put the recorder in front of it, and run the script as ``__main__``."""
    try:
        install(recorder, request["parallelism"])
    except ImportError as missing:
        recorder.write({"end": "no-pyflink", "message": str(missing)})
        return
    sys.argv = [request["main"], *request["args"]]
    sys.path.insert(0, os.path.dirname(request["main"]))
    recorder.write({"started": True})
    try:
        runpy.run_path(request["main"], run_name="__main__")
    except SystemExit:
        pass
    except BaseException as error:
        frames = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        thrown = {"class": type(error).__name__, "message": str(error)[:2000], "frames": frames[-1:]}
        recorder.write({"end": "threw", "thrown": [thrown]})
        return
    recorder.write({"end": "returned"})


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as stream:
        asked = json.load(stream)
    run(asked, Recorder(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)
