"""Records the jobs of PyFlink scripts: ``execute`` hands the stream graph to the recorder instead of to a cluster.

Stands alone, for the interpreter that has PyFlink has none of our packages, and may be an old one.
"""

import importlib
from typing import Any, Dict, List  # noqa: UP035 - runs on the oldest Python that PyFlink takes

Record = Dict[str, Any]  # noqa: UP006


class Records(List[Record]):  # noqa: UP006
    """The graphs of the jobs that were executed."""


class Finished:
    """What ``execute`` returns: any question about the job's result has no answer."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **keywords: None


def _list(jvm: Any, collection: Any) -> list[Any]:
    return list(jvm.java.util.ArrayList(collection))


def _node(jvm: Any, node: Any, graph: Any, max_parallelism: Any) -> Record:
    factory = node.getOperatorFactory()
    generator = jvm.org.apache.flink.streaming.api.graph.StreamingJobGraphGenerator
    return {
        "id": node.getId(),
        "name": node.getOperatorName(),
        "uid": node.getTransformationUID(),
        "uid_hash": node.getUserHash(),
        "parallelism": node.getParallelism(),
        "max_parallelism": max_parallelism.get(node),
        "slot_sharing_group": node.getSlotSharingGroup(),
        "chaining": None if factory is None else factory.getChainingStrategy().toString().lower().replace("_", "-"),
        "out": [
            {
                "to": edge.getTargetId(),
                "type": edge.getTypeNumber(),
                "partitioner": edge.getPartitioner().toString(),
                "tag": None if edge.getOutputTag() is None else edge.getOutputTag().getId(),
                "chainable": generator.isChainable(edge, graph),
            }
            for edge in _list(jvm, node.getOutEdges())
        ],
    }


def _vertex(jvm: Any, vertex: Any) -> Record:
    return {
        "id": vertex.getID().toString(),
        "name": vertex.getName(),
        "parallelism": vertex.getParallelism(),
        "max_parallelism": vertex.getMaxParallelism(),
        "operators": [pair.getGeneratedOperatorID().toString() for pair in _list(jvm, vertex.getOperatorIDs())],
    }


def _captured(records: Records, jvm: Any, java_error: Any, graph: Any) -> Finished:
    """Record a stream graph and the job graph that Flink makes of it. Raises what Flink raises."""
    nodes = sorted(_list(jvm, graph.getStreamNodes()), key=lambda node: node.getId())
    field = nodes[0].getClass().getDeclaredField("maxParallelism")
    field.setAccessible(True)
    record = {"job_name": graph.getJobName(), "nodes": [_node(jvm, node, graph, field) for node in nodes]}
    records.append(record)
    try:
        found = graph.getJobGraph().getVerticesSortedTopologicallyFromSources()
        record["vertices"] = [_vertex(jvm, vertex) for vertex in _list(jvm, found)]
    except java_error as refused:
        error = refused.java_exception
        record["refused"] = [{"class": error.getClass().getName(), "message": error.getMessage(), "frames": []}]
        raise
    return Finished()


def _executing(records: Records, get_gateway: Any, java_error: Any) -> Any:
    def execute(self: Any, job_name: Any = None) -> Finished:
        return _captured(records, get_gateway().jvm, java_error, self._generate_stream_graph(True, job_name))

    return execute


def _collecting(records: Records, get_gateway: Any, java_error: Any) -> Any:
    """``DataStream.execute_and_collect`` as PyFlink writes it, up to the stream graph that Flink would execute."""

    def execute_and_collect(self: Any, job_execution_name: Any = None, limit: Any = None) -> Any:
        jvm = get_gateway().jvm
        environment = self._j_data_stream.getExecutionEnvironment()
        jvm.org.apache.flink.python.util.PythonConfigUtil.configPythonOperator(environment)
        self._apply_chaining_optimization()
        self._j_data_stream.collectAsync()
        graph = environment.getStreamGraph(True)
        graph.setJobName(job_execution_name or "DataStream Collect")
        _captured(records, jvm, java_error, graph)
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


def install(records: Records, parallelism: int) -> None:
    """Put the recorder in front of PyFlink. Raises ImportError where there is none."""
    java_error = importlib.import_module("py4j.protocol").Py4JJavaError
    get_gateway = importlib.import_module("pyflink.java_gateway").get_gateway
    datastream = importlib.import_module("pyflink.datastream")
    environment_class = datastream.StreamExecutionEnvironment
    executing = _executing(records, get_gateway, java_error)
    environment_class.execute = executing
    environment_class.execute_async = executing
    if hasattr(datastream, "DataStream"):
        datastream.DataStream.execute_and_collect = _collecting(records, get_gateway, java_error)
    original = environment_class.get_execution_environment

    def get_execution_environment(configuration: Any = None) -> Any:
        environment = original() if configuration is None else original(configuration)
        if configuration is None or not configuration.contains_key("parallelism.default"):
            environment.set_parallelism(parallelism)
        return environment

    environment_class.get_execution_environment = staticmethod(get_execution_environment)
