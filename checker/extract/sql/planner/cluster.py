"""A small cluster inside of the JVM, which takes an empty savepoint of a job.

Sources emit nothing, so keyed operators register their states when they open and keep no entry: a savepoint is Flink's
own list of a job's states, with the serializers that it writes.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.graph_dump import operator_ids
from checker.extract.runtime.capture.jvm import array_list, causes, comes_with_flink, has_class, java, private
from checker.extract.sql.planner.sinks import legacy_sink, stateless_sink
from checker.extract.sql.planner.sources import idle_source, legacy_source
from checker.model.nested import Json

_PATIENCE = 30.0
"""Seconds that a job has until all of its tasks run, unless less is given."""
NEVER = 86_400_000
"""Milliseconds between checkpoints: they have to be enabled for tasks to align savepoints, and none is wanted."""
_SLOTS = 4
_NATIVE = "NATIVE"
"""The format that states of the second API have, too."""
_CLUSTER = {
    "rest.port": "0",
    "rest.bind-address": "localhost",
    "jobmanager.bind-host": "localhost",
    "taskmanager.bind-host": "localhost",
    "web.submit.enable": "false",
    "taskmanager.memory.managed.size": "256m",
    "taskmanager.memory.network.min": "48m",
    "taskmanager.memory.network.max": "48m",
    "restart-strategy": "none",
    "restart-strategy.type": "none",
    "state.storage.fs.memory-threshold": "1mb",
    "execution.checkpointing.max-concurrent-checkpoints": "4",
    "akka.ask.timeout": "30 s",
}


class Cluster:
    """A MiniCluster that is started with the first job."""

    def __init__(self, folder: str, patience: float = _PATIENCE) -> None:
        self._patience = min(patience, _PATIENCE)
        self._root = Path(folder, "savepoints")
        idle = Path(folder, "idle")
        idle.mkdir(parents=True, exist_ok=True)
        self.idle_folder = idle.as_uri()
        self._cluster: Any = None
        self._count = 0

    def _started(self) -> Any:
        if self._cluster is None:
            configuration = java("configuration.Configuration")()
            for key, value in _CLUSTER.items():
                configuration.setString(key, value)
            package = "runtime.minicluster"
            builder = java(f"{package}.MiniClusterConfiguration$Builder")()
            builder.setConfiguration(configuration).setNumTaskManagers(1).setNumSlotsPerTaskManager(_SLOTS)
            self._cluster = java(f"{package}.MiniCluster")(builder.build())
            self._cluster.start()
            for component in private(self._cluster, "dispatcherResourceManagerComponents"):
                private(component, "webMonitorEndpoint").closeAsync().get()  # whoever reaches it can run code here
        return self._cluster

    def savepoint(self, pipeline: Any, classes: Sequence[str]) -> Json:
        """The path of the savepoint, or why there is none, and the id of each node.

        ``classes`` are URLs of classes that its tasks need. The graph runs with parallelism 1, which changes ids: the
        result names them by node.
        """
        import jpype

        self._count += 1
        _prepare(pipeline, self.idle_folder)
        ids = operator_ids(pipeline)
        try:
            found = self._submit(pipeline, classes, self._root / str(self._count))
        except jpype.JException as error:
            found = {"failure": _innermost(error)}
        if "failure" in found and self._cluster is not None:
            self._cluster.closeAsync()  # what is left of the job must not take the slots of the next one
            self._cluster = None
        return {**found, "ids": ids}

    def _submit(self, pipeline: Any, classes: Sequence[str], target: Path) -> Json:
        import jpype

        job = pipeline.getJobGraph()
        job.setClasspaths(array_list([java("java.net.URL")(url) for url in classes]))
        cluster = self._started()
        number = job.getJobID()
        cluster.submitJob(job).get()
        failure = self._wait_until_running(number)
        if failure is not None:
            return {"failure": _last_message(failure), "vertices": self._not_running(number)}
        try:
            target.mkdir(parents=True)
            kinds = "core.execution.SavepointFormatType"  # until 1.14 there is one only
            chosen = [java(kinds).valueOf(_NATIVE)] if has_class(kinds) else []
            future = cluster.triggerSavepoint(number, target.as_uri(), False, *chosen)
            return {"path": str(future.get(int(self._patience), java("java.util.concurrent.TimeUnit").SECONDS))}
        except jpype.JException:
            trace = cluster.getExecutionGraph(number).get().getFailureInfo()
            if trace is None:
                raise
            return {"failure": _last_message(str(trace.getExceptionAsString()))}
        finally:
            cluster.cancelJob(number)

    def _wait_until_running(self, job: Any) -> str | None:
        """None once all of its tasks run; the trace of its failure where it ends before."""
        import jpype

        until = time.monotonic() + self._patience
        while time.monotonic() < until:
            time.sleep(0.02)
            try:
                graph = self._cluster.getExecutionGraph(job).get()
            except jpype.JException:
                continue
            if bool(graph.getState().isGloballyTerminalState()):
                failure = graph.getFailureInfo()
                return "its job ended" if failure is None else str(failure.getExceptionAsString())
            states = [
                str(execution.getExecutionState())
                for vertex in graph.getVerticesTopologically()
                for execution in vertex.getTaskVertices()
            ]
            if states and all(state in ("RUNNING", "FINISHED") for state in states):
                return None
        return f"its tasks did not start within {self._patience:g} s"

    def _not_running(self, job: Any) -> list[str]:
        """The vertices whose tasks failed, else those whose tasks did not come up."""
        vertices = list(self._cluster.getExecutionGraph(job).get().getVerticesTopologically())
        failed, waiting = [], []
        for vertex in vertices:
            tasks = list(vertex.getTaskVertices())
            if any(str(task.getExecutionState()) == "FAILED" for task in tasks):
                failed.append(str(vertex.getJobVertexId()))
            elif any(str(task.getExecutionState()) not in ("RUNNING", "FINISHED", "CANCELED") for task in tasks):
                waiting.append(str(vertex.getJobVertexId()))
        return failed or waiting


def _innermost(error: Any) -> str:
    last = list(causes(error))[-1]
    return f"{last.getClass().getSimpleName()}: {last.getMessage()}"


def _last_message(trace: str) -> str:
    """The message of the innermost exception of a stack trace."""
    return trace.rpartition("Caused by: ")[2].partition("\n")[0][:500]


def _prepare(pipeline: Any, idle_folder: str) -> None:
    """Give a job the parallelism 1, and ends that emit and write nothing."""
    for node in pipeline.getStreamNodes():
        node.setParallelism(java("java.lang.Integer").valueOf(1))
        factory = node.getOperatorFactory()
        idle = None if factory is None else _idle(factory, idle_folder)
        if idle is not None:
            replace_factory(node, idle)
    pipeline.getCheckpointConfig().setCheckpointInterval(NEVER)


def without_connectors(pipeline: Any) -> None:
    """Replace what a program's own sources and sinks do by nothing: they reach for systems that are not there."""
    operators, sinks = "streaming.api.operators", "streaming.runtime.operators.sink"
    for node in pipeline.getStreamNodes():
        factory = node.getOperatorFactory()
        operator = factory.getOperator() if factory is not None and hasattr(factory, "getOperator") else None
        if factory is not None and str(factory.getClass().getSimpleName()) == "SinkWriterOperatorFactory":
            idle = java(f"{sinks}.SinkWriterOperatorFactory")(stateless_sink())
        elif isinstance(operator, java(f"{operators}.StreamSource")):
            if comes_with_flink(operator.getUserFunction().getClass()):
                continue
            idle = java(f"{operators}.SimpleOperatorFactory").of(java(f"{operators}.StreamSource")(legacy_source()))
        elif isinstance(operator, java(f"{operators}.StreamSink")):
            sink = java(f"{operators}.StreamSink")(legacy_sink(stateful=False))
            idle = java(f"{operators}.SimpleOperatorFactory").of(sink)
        else:
            continue
        replace_factory(node, idle)


def _idle(factory: Any, folder: str) -> Any:
    """The factory of a source that emits nothing or a sink that writes nothing, None for other operators."""
    operators = "streaming.api.operators"
    if str(factory.getClass().getSimpleName()) == "SourceOperatorFactory":
        watermarks = java("api.common.eventtime.WatermarkStrategy").noWatermarks()
        return java(f"{operators}.SourceOperatorFactory")(idle_source(folder), watermarks)
    source, written = java(f"{operators}.StreamSource"), java(f"{operators}.StreamSink")
    operator = factory.getOperator() if hasattr(factory, "getOperator") else None
    if isinstance(operator, source):
        idle = source(java("checker.IdleSource").of(operator.getUserFunction()))
    elif isinstance(operator, written) and comes_with_flink(operator.getUserFunction().getClass()):
        idle = written(legacy_sink(stateful=False))  # of tables with a 'connector.type', which Flink finds by itself
    else:
        return None
    return java(f"{operators}.SimpleOperatorFactory").of(idle)


def replace_factory(node: Any, factory: Any) -> None:
    """Have a node of the graph run another operator, chained as its own."""
    factory.setChainingStrategy(node.getOperatorFactory().getChainingStrategy())
    field = java("streaming.api.graph.StreamNode").class_.getDeclaredField("operatorFactory")
    field.setAccessible(True)
    field.set(node, factory)
