"""The JVM of a child process: how it is started, and Flink's classes and interfaces inside of it."""

import contextlib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from checker.model.nested import Json

CAPTURE = Path(__file__).parent / "java" / "capture.jar"
_OPENED = ("java.lang", "java.lang.reflect", "java.net", "java.io", "java.text", "java.time", "java.util",
           "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks")  # fmt: skip
"""Packages of ``java.base`` that Flink's own start scripts open."""


def start(class_path: Sequence[str], folder: str, memory_mb: int, *options: str) -> None:
    """Start it. Raises what JPype raises where there is no JVM: OSError, RuntimeError, ValueError."""
    import jpype

    jpype.startJVM(
        jpype.getDefaultJVMPath(),
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
        f"-Xmx{memory_mb}m",
        "-Xss8m",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        f"-Djava.io.tmpdir={folder}",
        "-Dfile.encoding=UTF-8",
        "-Djava.awt.headless=true",
        *options,
        classpath=[str(CAPTURE), *class_path],
        ignoreUnrecognized=True,
        convertStrings=False,
    )


def java(name: str) -> Any:
    """A class by name; a name without package dots up to the class is one of Flink's."""
    import jpype

    return jpype.JClass(name if name.startswith(("java.", "checker.")) else f"org.apache.flink.{name}")


_of_program: list[Any] = []


def remember_loader(loader: Any) -> None:
    """Have ``user_loader`` give this one, whatever the program sets later."""
    _of_program.append(loader)


def user_loader() -> Any:
    """The class loader of the program, by default the thread's."""
    return _of_program[0] if _of_program else java("java.lang.Thread").currentThread().getContextClassLoader()


def has_class(name: str) -> bool:
    """Whether this Flink has the class."""
    with contextlib.suppress(TypeError):
        java(name)
        return True
    return False


def private(target: Any, name: str) -> Any:
    """The value of a private field, looked up through the superclasses; None where there is no such field."""
    cls = target.getClass()
    while cls is not None:
        for field in cls.getDeclaredFields():
            if str(field.getName()) == name:
                field.setAccessible(True)
                return field.get(target)
        cls = cls.getSuperclass()
    return None


def comes_with_flink(cls: Any) -> bool:
    """Whether a class is of the distribution's jars: connectors in the user's jars are not."""
    return bool(cls.getClassLoader() == java("api.common.functions.Function").class_.getClassLoader())


def proxy(interfaces: Sequence[str], instance: object) -> Any:
    """An object of Flink's interfaces whose methods are those of a Python object."""
    import jpype

    return jpype.JProxy([java(name) for name in interfaces], inst=instance)


def always(answer: Any) -> Callable[..., Any]:
    """A method of such an object with a constant answer."""
    return lambda *_: answer


def array_list(values: Sequence[Any]) -> Any:
    """A ``java.util.ArrayList``."""
    found = java("java.util.ArrayList")()
    for value in values:
        found.add(value)
    return found


def causes(error: Any) -> Iterator[Any]:
    """A Java exception and what caused it, outermost first."""
    for _ in range(20):
        if error is None:
            return
        yield error
        error = error.getCause()


def thrown(error: Any) -> list[Json]:
    """The same as plain data, each with where it came from."""
    return [
        {
            "class": str(cause.getClass().getName()),
            "message": None if cause.getMessage() is None else str(cause.getMessage()),
            "frames": [str(frame) for frame in cause.getStackTrace()][:40],
        }
        for cause in causes(error)
    ]


class Executor:
    """PipelineExecutorServiceLoader, PipelineExecutorFactory and PipelineExecutor in one: never runs what it is given.

    ``taken`` gets each pipeline and makes the client of its job. The names of the methods are Java's.
    """

    def __init__(self, taken: Callable[[Any], Any]) -> None:
        self._taken = taken

    getName = always("capture")
    isCompatibleWith = always(True)

    def getExecutorNames(self) -> Any:
        return java("java.util.stream.Stream").empty()

    def getExecutorFactory(self, _configuration: Any) -> Any:
        return proxy(["core.execution.PipelineExecutorFactory"], self)

    def getExecutor(self, _configuration: Any) -> Any:
        return proxy(["core.execution.PipelineExecutor"], self)

    def execute(self, pipeline: Any, _configuration: Any, _class_loader: Any) -> Any:
        return java("java.util.concurrent.CompletableFuture").completedFuture(self._taken(pipeline))


def submit_to(executor: Executor) -> Any:
    """Have every environment that is made without a service of its own submit its jobs to an executor: the service."""
    service = proxy(["core.execution.PipelineExecutorServiceLoader"], executor)
    java("core.execution.DefaultExecutorServiceLoader").recorder = service
    return service


_ONLY_NEWER = "scala/collection/immutable/LazyList.class"
"""A class of Scala's library from 2.13, which Scala 3 uses too."""


def without_old_scala(jars: list[Path], program: Iterable[Path]) -> list[Path]:
    """The distribution's jars for a program: without ``flink-scala`` where the program's jars bring a newer Scala."""
    if not any(_holds(jar, _ONLY_NEWER) for jar in program):
        return jars
    return [jar for jar in jars if not jar.name.startswith("flink-scala_2.12")]


def _holds(jar: Path, name: str) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return name in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False  # the JVM says what is wrong with it
