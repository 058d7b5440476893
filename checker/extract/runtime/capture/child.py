"""Inside of the child process of a capture: starts a JVM, runs a main class and records every graph it submits.

The request is a JSON file as ``capturing.py`` writes it. The result gets one JSON object a line: ``graph`` for each
submitted job as soon as it is known, once more with its states when Flink has set it up (the program's code may end the
JVM any time), and a last ``end``. From what is missing at the end the parent knows how the child died.
"""

import json
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from checker.extract.runtime.capture import graph_dump, user_functions
from checker.extract.runtime.capture.jvm import (
    Executor,
    always,
    java,
    remember_loader,
    start,
    submit_to,
    thrown,
    user_loader,
)
from checker.model.nested import Json

PARENT_FIRST = (
    "java.", "scala.", "org.apache.flink.", "com.esotericsoftware.kryo", "org.apache.hadoop.", "javax.annotation.",
    "org.xml", "javax.xml", "org.apache.xerces", "org.w3c", "org.rocksdb.", "org.slf4j", "org.apache.log4j",
    "org.apache.logging", "org.apache.commons.logging", "ch.qos.logback",
)  # fmt: skip
"""``classloader.parent-first-patterns.default`` of Flink: everything else comes from the user's jars first."""

RunJob = Callable[[Any], Json]
"""Runs a job that was recorded, and says what came of it."""


_ENDED = "the process ended before Flink had set its functions up"
_BATCH = "a batch job takes no savepoint"


class Recorder:
    """Appends records to the result file, each whole and flushed: a killed child leaves what it had."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "w", encoding="ascii")  # noqa: SIM115 - open until the process ends

    def write(self, record: Json) -> None:
        """One line of JSON."""
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()


def _recorded(jpype: Any, recorder: Recorder, set_up: RunJob) -> Callable[[Any], Any]:
    """Records a job instead of running it, and makes its client."""
    numbers = count()

    def write(number: int, record: Json, found: Json) -> None:
        states, failures = found.get("states", {}), found.get("failures", {})
        nodes = [
            user_functions.with_states(node, states.get(place, ()), found.get("failure") or failures.get(place))
            for node in record.get("nodes", ())
            for place in [str(node["id"])]
        ]
        recorder.write({"number": number, "graph": {**record, "nodes": nodes}})

    def taken(pipeline: Any) -> Any:
        number = next(numbers)
        record = graph_dump.stream_graph(pipeline)
        try:
            if "unsupported" not in record:
                record["operator_ids"] = graph_dump.operator_ids(pipeline)
                record["vertices"] = graph_dump.vertices(pipeline)
        except jpype.JException as refused:
            # Flink's client would refuse the job here as well; the program sees the same exception.
            record["refused"] = thrown(refused)
            raise
        finally:
            write(number, record, {"failure": _BATCH if record.get("batch") else _ENDED})
        if "unsupported" not in record and not record["batch"]:
            write(number, record, set_up(pipeline))
        return job_client()

    return taken


def job_client() -> Any:
    """A client of a job that has finished: ``execute`` returns; who asks for its rows gets an exception."""
    import jpype

    future = java("java.util.concurrent.CompletableFuture")
    job_id = java("api.common.JobID")()
    result = java("api.common.JobExecutionResult")(job_id, 0, java("java.util.HashMap")())
    not_run = future()
    not_run.completeExceptionally(java("java.lang.IllegalStateException")("the job was captured, not run"))
    answers = {
        "getJobStatus": java("api.common.JobStatus").FINISHED,
        "getJobExecutionResult": result,
        "getAccumulators": java("java.util.HashMap")(),
        "cancel": None,
        "stopWithSavepoint": None,
        "triggerSavepoint": None,
    }
    methods = {name: always(future.completedFuture(answer)) for name, answer in answers.items()}
    methods |= {"getJobID": always(job_id), "reportHeartbeat": always(None), "sendCoordinationRequest": always(not_run)}
    interfaces = ("core.execution.JobClient", "runtime.operators.coordination.CoordinationRequestGateway")
    return jpype.JProxy([java(name) for name in interfaces], dict=methods)


def _class_loader(jpype: Any, request: Json) -> Any:
    """The loader of the user's jars, as a Flink client makes it."""
    file = java("java.io.File")
    url = java("java.net.URL")
    urls = jpype.JArray(url)([file(path).toURI().toURL() for path in request["jars"]])
    patterns = jpype.JArray(jpype.JString)(list(PARENT_FIRST))
    ignore = jpype.JProxy("java.util.function.Consumer", dict={"accept": lambda _: None})
    parent = java("java.lang.ClassLoader").getSystemClassLoader()
    return java("util.ChildFirstClassLoader")(urls, parent, patterns, ignore)


def _install(jpype: Any, request: Json, service: Any, loader: Any) -> None:
    """Have the environment of the program submit to the recorder: as under ``flink run`` it is given.

    Making a local or remote one is refused.
    """
    environment = java("streaming.api.environment.StreamExecutionEnvironment")
    configuration = java("configuration.Configuration")
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


def _run_main(jpype: Any, request: Json, loader: Any) -> None:
    main_class = java("java.lang.Class").forName(request["main"], True, loader)
    strings = jpype.JArray(jpype.JString)
    method = main_class.getMethod("main", strings.class_)
    if not java("java.lang.reflect.Modifier").isStatic(method.getModifiers()):
        raise AttributeError("main is not static")
    method.setAccessible(True)
    method.invoke(None, jpype.JArray(jpype.JObject)([strings(request["args"])]))


def came_up(
    request: Json, recorder: Recorder, class_path: Sequence[str], prepare: Callable[[], object], *options: str
) -> bool:
    """Start the JVM and ``prepare`` Flink in it. False where that failed: the last record says so."""
    import jpype

    try:
        start(class_path, request["folder"], request["memory_mb"], *options)
    except Exception as error:  # JPype raises what it likes: OSError, JVMNotFoundException, RuntimeError
        recorder.write({"end": "no-jvm", "message": str(error)})
        return False
    try:
        prepare()
    except (jpype.JException, TypeError, AttributeError) as error:
        recorder.write({"end": "no-flink", "message": str(error)})
        return False
    return True


def run(request: Json, recorder: Recorder, set_up: RunJob) -> None:
    """Start the JVM and the program; the last record says how it ended."""
    import jpype

    def prepare() -> None:
        loader = _class_loader(jpype, request)
        java("java.lang.Thread").currentThread().setContextClassLoader(loader)
        remember_loader(loader)
        _install(jpype, request, submit_to(Executor(_recorded(jpype, recorder, set_up))), loader)

    if not came_up(request, recorder, request["flink_jars"], prepare):
        return
    recorder.write({"started": True})
    try:
        _run_main(jpype, request, user_loader())
    except jpype.JException as error:
        recorder.write({"end": "threw", "thrown": thrown(error)})
    except (TypeError, AttributeError) as error:
        recorder.write({"end": "no-main", "message": str(error)})
    else:
        recorder.write({"end": "returned"})
