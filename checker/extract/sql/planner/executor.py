"""An executor of Flink that keeps the jobs it is given and never runs them."""

from __future__ import annotations

from typing import Any

from checker.extract.sql.planner import jvm


class Executor:
    """PipelineExecutorServiceLoader, PipelineExecutorFactory and PipelineExecutor in one: keeps and never runs.

    The names of its methods are Java's.
    """

    def __init__(self) -> None:
        self.pipelines: list[Any] = []

    def getExecutorFactory(self, _configuration: Any) -> Any:
        return jvm.proxy(["core.execution.PipelineExecutorFactory"], self)

    def getExecutorNames(self) -> Any:
        return jvm.java("java.util.stream.Stream").empty()

    def getName(self) -> str:
        return "planner"

    def isCompatibleWith(self, _configuration: Any) -> bool:
        return True

    def getExecutor(self, _configuration: Any) -> Any:
        return jvm.proxy(["core.execution.PipelineExecutor"], self)

    def execute(self, pipeline: Any, _configuration: Any, _class_loader: Any) -> Any:
        self.pipelines.append(pipeline)
        interfaces = ("core.execution.JobClient", "runtime.operators.coordination.CoordinationRequestGateway")
        completed = jvm.java("java.util.concurrent.CompletableFuture").completedFuture
        job = jvm.java("api.common.JobID")()
        result = jvm.java("api.common.JobExecutionResult")(job, 0, jvm.java("java.util.HashMap")())
        answers = {"getJobID": job, "getJobExecutionResult": completed(result)}  # asked for with table.dml-sync
        return completed(jvm.stand_in(answers, *interfaces))
