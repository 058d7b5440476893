"""The child process of a capture: starts a JVM, runs a program's main class and records every graph it submits.

Run as ``python -m checker.extract.runtime.capture.child REQUEST RESULT``: REQUEST is a JSON file as ``capture.py``
writes it, RESULT gets one JSON object a line: ``graph`` for each submitted job as soon as it is known (a program may
end the JVM any time later), and a last ``end``. From what is missing at the end the parent knows how the child died.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checker.extract.runtime import sql_script
from checker.extract.runtime.capture import graph_dump

PARENT_FIRST = (
    "java.", "scala.", "org.apache.flink.", "com.esotericsoftware.kryo", "org.apache.hadoop.", "javax.annotation.",
    "org.xml", "javax.xml", "org.apache.xerces", "org.w3c", "org.rocksdb.", "org.slf4j", "org.apache.log4j",
    "org.apache.logging", "org.apache.commons.logging", "ch.qos.logback",
)  # fmt: skip
"""``classloader.parent-first-patterns.default`` of Flink: everything else comes from the user's jars first."""

OPENED = ("java.lang", "java.lang.reflect", "java.net", "java.io", "java.text", "java.time", "java.util",
          "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks")  # fmt: skip
"""Packages of ``java.base`` that Flink's own start scripts open."""

Record = dict[str, Any]
Rehearse = Callable[[Any], Record]
"""Runs a job that was recorded, and says what came of it."""


class Recorder:
    """Appends records to the result file, each whole and flushed: a killed child leaves what it had."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "w", encoding="ascii")  # noqa: SIM115 - open until the process ends

    def write(self, record: Record) -> None:
        """One line of JSON."""
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()


class _ServiceLoader:
    """PipelineExecutorServiceLoader, PipelineExecutorFactory and PipelineExecutor in one: records and never runs."""

    def __init__(self, jpype: Any, recorder: Recorder, rehearse: Rehearse | None) -> None:
        self._jpype = jpype
        self._rehearse = rehearse
        self._recorder = recorder
        self._future = jpype.JClass("java.util.concurrent.CompletableFuture")

    def getExecutorFactory(self, _configuration: Any) -> Any:  # noqa: N802 - Java's names from here on
        return self._as("PipelineExecutorFactory")

    def getExecutorNames(self) -> Any:  # noqa: N802
        return self._jpype.JClass("java.util.stream.Stream").empty()

    def getName(self) -> str:  # noqa: N802
        return "capture"

    def isCompatibleWith(self, _configuration: Any) -> bool:  # noqa: N802
        return True

    def getExecutor(self, _configuration: Any) -> Any:  # noqa: N802
        return self._as("PipelineExecutor")

    def execute(self, pipeline: Any, _configuration: Any, _class_loader: Any) -> Any:
        record = graph_dump.stream_graph(pipeline)
        names: frozenset[str] = frozenset()
        try:
            if "unsupported" not in record:
                names = graph_dump.result_names(pipeline)
                record["operator_ids"] = graph_dump.operator_ids(pipeline)
                record["vertices"] = graph_dump.vertices(pipeline)
                if self._rehearse is not None and not record["batch"]:
                    record["rehearsal"] = self._rehearse(pipeline)
        except self._jpype.JException as refused:
            # Flink's client would refuse the job here as well; the program sees the same exception.
            record["refused"] = _thrown(refused)
            raise
        finally:
            self._recorder.write({"graph": record})
        return self._future.completedFuture(_job_client(self._jpype, names))

    def _as(self, interface: str) -> Any:
        return self._jpype.JProxy(f"org.apache.flink.core.execution.{interface}", inst=self)


def _job_client(jpype: Any, result_names: frozenset[str]) -> Any:
    """A client of a job that has finished without a result: ``execute`` returns, ``executeAndCollect`` is empty."""
    future = jpype.JClass("java.util.concurrent.CompletableFuture")
    job_id = jpype.JClass("org.apache.flink.api.common.JobID")()
    empty = jpype.JClass("java.util.HashMap")
    accumulators = jpype.JProxy(
        "java.util.Map", dict={"get": _nothing_collected(jpype, result_names), "toString": lambda: "{}"}
    )
    result = jpype.JClass("org.apache.flink.api.common.JobExecutionResult")(job_id, 0, accumulators)
    status = jpype.JClass("org.apache.flink.api.common.JobStatus").FINISHED

    class _Client:
        def getJobID(self) -> Any:  # noqa: N802
            return job_id

        def getJobStatus(self) -> Any:  # noqa: N802
            return future.completedFuture(status)

        def getJobExecutionResult(self) -> Any:  # noqa: N802
            return future.completedFuture(result)

        def getAccumulators(self) -> Any:  # noqa: N802
            return future.completedFuture(empty())

        def cancel(self) -> Any:
            return future.completedFuture(None)

        def stopWithSavepoint(self, *_: Any) -> Any:  # noqa: N802
            return future.completedFuture(None)

        def triggerSavepoint(self, *_: Any) -> Any:  # noqa: N802
            return future.completedFuture(None)

        def reportHeartbeat(self, _time: Any) -> None:  # noqa: N802
            pass

        def sendCoordinationRequest(self, *_: Any) -> Any:  # noqa: N802
            failed = future()
            failed.completeExceptionally(
                jpype.JClass("java.lang.IllegalStateException")("the job was captured, not run")
            )
            return failed

    names = ("org.apache.flink.core.execution.JobClient",)
    gateway = "org.apache.flink.runtime.operators.coordination.CoordinationRequestGateway"
    return jpype.JProxy([*names, gateway], inst=_Client())


def _nothing_collected(jpype: Any, result_names: frozenset[str]) -> Any:
    """Accumulators of a finished job: none, but for those from which results are fetched, which hold no rows."""
    streaming = "org.apache.flink.streaming.api.operators.collect"
    no_rows = jpype.JClass("java.util.ArrayList")()
    response = jpype.JClass(f"{streaming}.CollectSinkFunction").serializeAccumulatorResult(0, "", 0, no_rows)
    accumulator = jpype.JClass("org.apache.flink.api.common.accumulators.SerializedListAccumulator")()
    serializer = "org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer"
    accumulator.add(response, jpype.JClass(serializer).INSTANCE)
    empty = jpype.JClass("org.apache.flink.util.OptionalFailure").of(accumulator.getLocalValue())

    def get(name: Any) -> Any:
        return empty if str(name) in result_names else None

    return get


def _thrown(error: Any) -> list[Record]:
    """A Java exception and its causes, outermost first, with where in the program each came from."""
    chain: list[Record] = []
    seen: set[int] = set()
    while error is not None and int(error.hashCode()) not in seen and len(chain) < 12:
        seen.add(int(error.hashCode()))
        frames = [str(frame) for frame in error.getStackTrace()]
        message = error.getMessage()
        chain.append(
            {
                "class": str(error.getClass().getName()),
                "message": None if message is None else str(message),
                "frames": frames[:40],
            }
        )
        error = error.getCause()
    return chain


def _start(jpype: Any, request: Record) -> None:
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    capture = str(Path(__file__).parent / "java" / "capture.jar")
    jpype.startJVM(
        request.get("jvm") or jpype.getDefaultJVMPath(),
        *opens,
        f"-Xmx{request['memory_mb']}m",
        "-Xss8m",
        "-XX:TieredStopAtLevel=1",
        f"-Djava.io.tmpdir={request['folder']}",
        "-Dfile.encoding=UTF-8",
        "-Djava.awt.headless=true",
        classpath=[capture, *request["flink_jars"]],
        ignoreUnrecognized=True,
        convertStrings=False,
    )


def _class_loader(jpype: Any, request: Record) -> Any:
    """The loader of the user's jars, as a Flink client makes it."""
    file = jpype.JClass("java.io.File")
    url = jpype.JClass("java.net.URL")
    urls = jpype.JArray(url)([file(path).toURI().toURL() for path in request["jars"]])
    patterns = jpype.JArray(jpype.JString)(list(PARENT_FIRST))
    ignore = jpype.JProxy("java.util.function.Consumer", dict={"accept": lambda _: None})
    parent = jpype.JClass("java.lang.ClassLoader").getSystemClassLoader()
    return jpype.JClass("org.apache.flink.util.ChildFirstClassLoader")(urls, parent, patterns, ignore)


def _install(jpype: Any, request: Record, recorder: _ServiceLoader, loader: Any) -> None:
    """Have every environment, the program's own included, submit to the recorder.

    With ``client`` as under ``flink run``: the environment is given, and making a local or remote one is refused.
    Without it as a plain Java program, where any environment may be made.
    """
    service = jpype.JProxy("org.apache.flink.core.execution.PipelineExecutorServiceLoader", inst=recorder)
    jpype.JClass("org.apache.flink.core.execution.DefaultExecutorServiceLoader").recorder = service
    environment = jpype.JClass("org.apache.flink.streaming.api.environment.StreamExecutionEnvironment")
    if not request["client"]:
        environment.setDefaultLocalParallelism(int(request["configuration"]["parallelism.default"]))
        return
    configuration = jpype.JClass("org.apache.flink.configuration.Configuration")
    base = configuration()
    for key, value in request["configuration"].items():
        base.setString(key, value)

    def create(given: Any) -> Any:
        merged = configuration()
        merged.addAll(base)
        merged.addAll(given)
        return environment(service, merged, loader)

    factory = jpype.JProxy(
        "org.apache.flink.streaming.api.environment.StreamExecutionEnvironmentFactory",
        dict={"createExecutionEnvironment": create},
    )
    # The method is protected: it is what Flink's own client calls.
    for method in environment.class_.getDeclaredMethods():
        if str(method.getName()) == "initializeContextEnvironment":
            method.setAccessible(True)
            method.invoke(None, factory)


def _run_main(jpype: Any, request: Record, loader: Any) -> None:
    main_class = jpype.JClass("java.lang.Class").forName(request["main"], True, loader)
    strings = jpype.JArray(jpype.JString)
    method = main_class.getMethod("main", strings.class_)
    if not jpype.JClass("java.lang.reflect.Modifier").isStatic(method.getModifiers()):
        raise AttributeError("main is not static")
    method.setAccessible(True)
    method.invoke(None, jpype.JArray(jpype.JObject)([strings(request["args"])]))


def _run_sql(jpype: Any, request: Record) -> None:
    """The statements of a SQL script one after the other, each insert or statement set a job."""
    table = "org.apache.flink.table.api"
    settings = jpype.JClass(f"{table}.EnvironmentSettings").newInstance().inStreamingMode().build()
    tables = jpype.JClass(f"{table}.TableEnvironment").create(settings)
    for command in sql_script.commands(request["sql"]):
        if isinstance(command, sql_script.Setting):
            tables.getConfig().getConfiguration().setString(command.key, command.value)
        elif isinstance(command, sql_script.Statement):
            tables.executeSql(command.text)
        else:
            together = tables.createStatementSet()
            for insert in command.inserts:
                together.addInsertSql(insert)
            together.execute()


def run(request: Record, recorder: Recorder, rehearse: Rehearse | None = None) -> None:
    """Start the JVM and the program; the last record says how it ended."""
    import jpype

    try:
        _start(jpype, request)
    except Exception as error:  # JPype raises what it likes: OSError, JVMNotFoundException, RuntimeError
        recorder.write({"end": "no-jvm", "message": str(error)})
        return
    try:
        loader = _class_loader(jpype, request)
        jpype.JClass("java.lang.Thread").currentThread().setContextClassLoader(loader)
        _install(jpype, request, _ServiceLoader(jpype, recorder, rehearse), loader)
    except (jpype.JException, TypeError, AttributeError) as error:
        recorder.write({"end": "no-flink", "message": str(error)})
        return
    recorder.write({"started": True})
    try:
        if request["sql"] is None:
            _run_main(jpype, request, loader)
        else:
            _run_sql(jpype, request)
    except jpype.JException as error:
        recorder.write({"end": "threw", "thrown": _thrown(error)})
    except (TypeError, AttributeError) as error:
        recorder.write({"end": "no-main", "message": str(error)})
    else:
        recorder.write({"end": "returned"})


if __name__ == "__main__":
    run(json.loads(Path(sys.argv[1]).read_text("utf-8")), Recorder(sys.argv[2]))
    sys.stdout.flush()
    # Threads that the program left behind must not keep the process alive.
    os._exit(0)
