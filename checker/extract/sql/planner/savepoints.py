"""An empty savepoint of a planned job: Flink's own list of its states, with the serializers that it writes.

The job runs for a moment on a cluster inside of the JVM. Its sources emit nothing, so keyed operators register their
states when they open and keep no entry.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from checker.extract.sql.planner.jvm import array_list, causes, java
from checker.extract.sql.planner.stand_ins import idle_source

Record = dict[str, Any]

_PATIENCE = 30.0
"""Seconds that a job has until all of its tasks run."""
_CLUSTER = {
    "rest.port": "0",
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

    def __init__(self, folder: str) -> None:
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
            builder.setConfiguration(configuration).setNumTaskManagers(1).setNumSlotsPerTaskManager(4)
            self._cluster = java(f"{package}.MiniCluster")(builder.build())
            self._cluster.start()
        return self._cluster

    def savepoint(self, pipeline: Any, classes: str) -> Record:
        """The path of the savepoint and the id there of each node; or why there is none.

        ``classes`` is a URL of classes that its tasks need. The graph runs with parallelism 1, which changes ids: the
        result names them by node.
        """
        import jpype

        try:
            found = self._savepoint(pipeline, classes)
        except jpype.JException as error:
            last = list(causes(error))[-1]
            found = {"failure": f"{last.getClass().getSimpleName()}: {last.getMessage()}"}
        if "failure" in found and self._cluster is not None:
            self._cluster.closeAsync()  # what is left of the job must not take the slots of the next one
            self._cluster = None
        return found

    def _savepoint(self, pipeline: Any, classes: str) -> Record:
        import jpype

        prepare(pipeline, self.idle_folder)
        hashes = java("streaming.api.graph.StreamGraphHasherV2")().traverseStreamGraphAndGenerateHashes(pipeline)
        ids = {str(entry.getKey()): bytes(entry.getValue()).hex() for entry in hashes.entrySet()}
        job = pipeline.getJobGraph()
        job.setClasspaths(array_list([java("java.net.URL")(classes)]))
        cluster = self._started()
        number = job.getJobID()
        cluster.submitJob(job).get()
        failure = self._wait_until_running(number)
        if failure is not None:
            return {"failure": failure}
        self._count += 1
        target = self._root / str(self._count)
        target.mkdir(parents=True)
        try:
            canonical = java("core.execution.SavepointFormatType").CANONICAL
            path = cluster.triggerSavepoint(number, target.as_uri(), False, canonical).get()
        except jpype.JException:
            failure = cluster.getExecutionGraph(number).get().getFailureInfo()
            if failure is None:
                raise
            return {"failure": _last_message(str(failure.getExceptionAsString()))}
        finally:
            cluster.cancelJob(number)
        return {"path": str(path), "ids": ids}

    def _wait_until_running(self, job: Any) -> str | None:
        import jpype

        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            time.sleep(0.005)
            try:
                graph = self._cluster.getExecutionGraph(job).get()
            except jpype.JException:
                continue
            if bool(graph.getState().isGloballyTerminalState()):
                failure = graph.getFailureInfo()
                return (
                    "the planned job ended" if failure is None else _last_message(str(failure.getExceptionAsString()))
                )
            states = [
                str(execution.getExecutionState())
                for vertex in graph.getVerticesTopologically()
                for execution in vertex.getTaskVertices()
            ]
            if states and all(state in ("RUNNING", "FINISHED") for state in states):
                return None
        return "the planned job did not start in time"

    def close(self) -> None:
        """Nothing is waited for: the process ends with its JVM."""


def _last_message(trace: str) -> str:
    """The message of the innermost exception of a stack trace."""
    return trace.rpartition("Caused by: ")[2].partition("\n")[0][:500]


def prepare(pipeline: Any, idle_folder: str) -> None:
    """One subtask for each operator, and sources that emit nothing."""
    one = java("java.lang.Integer").valueOf(1)
    for node in pipeline.getStreamNodes():
        node.setParallelism(one)
        factory = node.getOperatorFactory()
        if factory is not None and str(factory.getClass().getSimpleName()) == "SourceOperatorFactory":
            watermarks = java("api.common.eventtime.WatermarkStrategy").noWatermarks()
            idle = java("streaming.api.operators.SourceOperatorFactory")(idle_source(idle_folder), watermarks)
            idle.setChainingStrategy(factory.getChainingStrategy())
            _replace_factory(node, idle)
    pipeline.getCheckpointConfig().setCheckpointInterval(86_400_000)


def _replace_factory(node: Any, factory: Any) -> None:
    field = java("streaming.api.graph.StreamNode").class_.getDeclaredField("operatorFactory")
    field.setAccessible(True)
    field.set(node, factory)
