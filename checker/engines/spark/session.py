"""One Spark session for one command: started quietly and fast, and gone when the command ends.

A driver JVM is started only where the driver is ours (``--spark-master``); with Spark Connect the session is the
server's. What Spark logs goes to a temporary file, of which an error shows the end; ``verbose`` lets it through.

Settings of Spark, of Hadoop and of stores come from the user's environment; Spark itself is the one of this Python
unless ``SPARK_HOME`` names another. No Python imports anything from its current folder.
"""

import logging
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import checker
from checker.engines.progress import say
from checker.errors import CheckerError
from checker.processes.starting import LOCALE, NETWORK, USER, as_own_environment, empty_folder, environment, waited

SEEN = (
    *LOCALE, *USER, *NETWORK, "SPARK_*", "PYSPARK_*", "HADOOP_*", "YARN_*", "KRB5*", "KUBECONFIG", "AWS_*", "AZURE_*",
    "GOOGLE_*", "SAVEPOINT_CHECKER_*", "PYTHONPATH",
)  # fmt: skip
_COMPILER = ("-XX:TieredStopAtLevel=1",)
"""Java compiled quickly instead of well: the work is done in Python, Java's part never earns the better compiler."""


def spark_environment(*, local: bool) -> dict[str, str]:
    """Variables for Spark's start scripts. ``local``: nobody on another machine is to reach it."""
    found = {"PYSPARK_PYTHON": sys.executable, **environment(*SEEN)}
    if "SPARK_HOME" not in found:
        # Spark's own search begins in the folder above the current one.
        spec = find_spec("pyspark")
        assert spec is not None
        assert spec.origin is not None
        found["SPARK_HOME"] = str(Path(spec.origin).parent)
    if local:
        found["SPARK_LOCAL_IP"] = "127.0.0.1"
    return found | {"PYTHONSAFEPATH": "1", "SPARK_SUBMIT_OPTS": java_options()}


def java_options() -> str:
    """Options of the driver's Java, before those that the user's environment has."""
    options = [*_COMPILER, "-Xlog:disable", "-Xlog:all=error:stderr"]
    return " ".join([*options, os.environ.get("SPARK_SUBMIT_OPTS", "")]).strip()


CONFIGURATION = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Generated Java pays off over millions of rows; here every expression runs a few thousand times at most.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.catalogImplementation": "in-memory",
}
WORKERS = {"spark.python.daemon.module": "checker.engines.spark.workers"}
AT_HOME = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", **WORKERS}
ATTEMPTS = 3
"""How often a local session begins a task whose worker process dies."""
_LOCAL = re.compile(r"local(?:\[(\d+|\*)\])?")
_CONNECT_SLOTS = 8


class SparkError(CheckerError):
    """Spark itself did not do the work: no master, no executors, a lost connection."""


@dataclass(frozen=True)
class SparkRun:
    """A running session and what a job needs to know about it."""

    session: Any
    slots: int
    """Tasks that run at the same time."""
    local: bool
    """Whether executors share this machine's files and interpreter."""


@contextmanager
def spark_run(*, master: str, remote: str | None, verbose: bool) -> Iterator[SparkRun]:
    """A session, stopped at the end whatever happens. Raises SparkError when there can't be one."""
    os.environ["PYSPARK_PYTHON"] = environment("PYSPARK_PYTHON").get("PYSPARK_PYTHON", sys.executable)
    if not logging.getLogger().handlers:
        # py4j logs to the root logger about connections that end because the JVM does.
        logging.getLogger().addHandler(logging.NullHandler())
    with warnings.catch_warnings(), tempfile.TemporaryFile() as log:
        warnings.simplefilter("ignore", FutureWarning)
        say("starting Spark" if remote is None else f"connecting to {remote}")
        run = _connected(remote) if remote is not None else _started(master, sys.stderr if verbose else log)
        try:
            with package_zip(needed=not run.local) as package:
                if package is not None and remote is not None:
                    run.session.addArtifacts(package, pyfile=True)
                elif package is not None:
                    run.session.sparkContext.addPyFile(package)
                yield run
        except Exception as error:
            if _interrupted(error):
                raise KeyboardInterrupt from None
            raise explained(error, log) from error
        finally:
            _stopped(run.session, connect=remote is not None)


def _connected(remote: str) -> SparkRun:
    address = urlsplit(remote)
    if address.scheme != "sc" or address.hostname is None:
        raise SparkError(f"--spark-remote {remote}: must look like sc://host:15002")
    try:
        # The client would try again for ten minutes before it says that nobody is there.
        socket.create_connection((address.hostname, address.port or 15002), timeout=10).close()
    except (OSError, ValueError) as error:
        raise SparkError(f"--spark-remote {remote}: no Spark Connect server answers there: {error}") from None
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
        from pyspark.sql.connect.session import SparkSession as _  # noqa: F401
    except ImportError as error:
        raise SparkError(f"--spark-remote needs pip install 'pyspark[connect]': {error}") from None
    try:
        session: Any = SparkSession.builder.remote(remote).create()
        session.version  # noqa: B018
    except PySparkException as error:
        raise SparkError(f"--spark-remote {remote}: {_first_line(error)}") from None
    return SparkRun(session=session, slots=_CONNECT_SLOTS, local=False)


def _started(master: str, output: IO[Any]) -> SparkRun:
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    local = master.startswith("local")
    plain = _LOCAL.fullmatch(master)
    asked = master if plain is None else f"local[{plain[1] or 1},{ATTEMPTS}]"
    conf = SparkConf(loadDefaults=False).setMaster(asked).setAppName("savepoint-checker")
    for key, value in {**CONFIGURATION, **(AT_HOME if local else {})}.items():
        conf.set(key, value)
    gateway: Any = None
    try:
        with as_own_environment(spark_environment(local=local)), _interrupts_wait():
            gateway = launch_gateway(  # type: ignore[no-untyped-call]
                conf, popen_kwargs={"stdout": output, "stderr": output, "cwd": empty_folder()}
            )
        context = SparkContext(conf=conf, gateway=gateway)
        session = SparkSession(context)
    except BaseException as error:
        if gateway is not None:
            _end_gateway(gateway)
        _forget_gateway()
        if gateway is None and isinstance(error, PySparkException):
            raise SparkError(f"Spark's Java process ended at once: {_tail(output)}") from None
        if isinstance(error, (Py4JError, PySparkException, ValueError)):
            raise SparkError(f"--spark-master {master}: {_first_line(error)}") from None
        raise
    return SparkRun(session=session, slots=max(1, int(context.defaultParallelism)), local=local)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Let an interrupt wait for the end of the block.

    An interrupted ``launch_gateway`` takes the folder away in which Java wants to say its port; that Java would then
    live on, without any process that knows it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupted: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: interrupted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted:
        raise KeyboardInterrupt


def _stopped(session: Any, *, connect: bool) -> None:
    if connect:
        session.stop()
        return
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = session.sparkContext
    server = context._accumulatorServer
    server.handle_error = lambda *_: None  # its connection ends with the JVM
    with suppress(Py4JError, OSError):
        context._jsc.stop()
    _end_gateway(SparkContext._gateway)
    # This server's thread looks up only now and then: nobody waits for it.
    threading.Thread(target=server.shutdown, daemon=True).start()
    context._jsc = context._accumulatorServer = None
    context.stop()
    SparkSession._instantiatedSession = None
    SparkSession._activeSession = None
    _forget_gateway()


def _end_gateway(gateway: Any) -> None:
    """End the driver JVM: it leaves when its standard input closes, and is made to when it does not."""
    process = getattr(gateway, "proc", None)
    if process is None:
        return
    process.stdin.close()
    if waited(process, 15) is None:
        process.kill()
        process.wait()


def _forget_gateway() -> None:
    from pyspark import SparkContext

    SparkContext._gateway = None
    SparkContext._jvm = None


def explained(error: Exception, log: IO[Any]) -> Exception:
    """Spark's failures as ours, with the end of its log; everything else as it is."""
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException, PythonException
    except ImportError:
        return error
    if isinstance(error, PythonException):
        return error
    if isinstance(error, (PySparkException, Py4JError)):
        return SparkError(f"Spark failed: {_first_line(error)}; {_tail(log)}")
    return error


def _interrupted(error: BaseException | None) -> bool:
    """Whether it came of an interrupt: PySpark cancels its jobs then, and may fail with that instead."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("An error occurred while calling", "at "))]
    return (telling or lines or [type(error).__name__])[0].removeprefix(": ")[:500]


def _tail(log: IO[Any]) -> str:
    advice = "see Spark's log with --verbose, or do the same without Spark: --engine in-process"
    if log is sys.stderr:
        return advice
    log.seek(0)
    lines = [line.decode("utf-8", "replace").strip() for line in log.readlines()]
    errors = [line for line in lines if " ERROR " in line or "Exception" in line or line.startswith("Error")]
    return f"{errors[-1][:300]}; {advice}" if errors else advice


@contextmanager
def package_zip(*, needed: bool) -> Iterator[str | None]:
    """The path of a zip with the package's own code for executors elsewhere, as long as the context lasts, or None."""
    if not needed:
        yield None
        return
    root = Path(checker.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"savepoint_checker-{checker.__version__}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(root.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, Path("checker") / file.relative_to(root))
        yield str(path)
