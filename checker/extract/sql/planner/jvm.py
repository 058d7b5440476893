"""The JVM of the planner: started with Flink's jars and the few classes of ours that stand before them.

Runs in the child process, as every module of this package that takes ``jpype``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.child import OPENED
from checker.extract.runtime.capture.private_fields import private

STAND_INS = Path(__file__).with_name("java") / "stand-ins.jar"
_CAPTURE = Path(__file__).parents[2] / "runtime" / "capture" / "java" / "capture.jar"


def start(
    flink_jars: Sequence[str], folder: str, memory_mb: int, options: Sequence[str], jvm: str | None = None
) -> None:
    """Start it. Raises what JPype raises where there is no JVM: OSError, RuntimeError, ValueError."""
    import jpype

    jpype.startJVM(
        jvm or jpype.getDefaultJVMPath(),
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
        f"-Xmx{memory_mb}m",
        "-Xss8m",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        f"-Djava.io.tmpdir={folder}",
        "-Dfile.encoding=UTF-8",
        "-Djava.awt.headless=true",
        "-Dlog4j2.level=OFF",
        *options,
        classpath=[str(_CAPTURE), str(STAND_INS), *flink_jars],
        ignoreUnrecognized=True,
        convertStrings=False,
    )
    loader = java("java.lang.ClassLoader").getSystemClassLoader()
    java("java.lang.Thread").currentThread().setContextClassLoader(loader)


def planner_loader() -> Any:
    """The class loader of the planner: one of its own where it lies inside of ``flink-table-planner-loader`` only.

    ``PlannerModule`` shows nothing: from 2.2 on it is part of the API's jar, wherever the planner is.
    """
    if has_class("table.planner.delegation.StreamPlanner"):
        return java("java.lang.ClassLoader").getSystemClassLoader()
    module = java("table.planner.loader.PlannerModule").class_
    get = module.getDeclaredMethod("getInstance")
    get.setAccessible(True)
    return private(get.invoke(None), "submoduleClassLoader")


def reset_node_ids() -> None:
    """The planner numbers its nodes by one counter for the JVM; a new session of a deployment begins at 1.

    So are transformations numbered: from 2.0 on the sink of ``collect()`` has a uid with its number.
    """
    transformation = java("api.dag.Transformation").class_
    for counter in transformation.getDeclaredFields():
        if str(counter.getName()) == "ID_COUNTER":
            counter.setAccessible(True)
            counter.get(None).set(0)
    context = "org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext"
    import jpype

    try:
        reset = java("java.lang.Class").forName(context, True, planner_loader()).getDeclaredMethod("resetIdCounter")
    except jpype.JException:
        return  # until 1.14, whose nodes have no numbers
    reset.setAccessible(True)
    reset.invoke(None)


def class_path() -> str:
    """The class path of the JVM."""
    return str(java("java.lang.System").getProperty("java.class.path"))


def java(name: str) -> Any:
    """A class by name; a name without package dots up to the class is one of Flink's."""
    import jpype

    return jpype.JClass(name if name.startswith(("java.", "checker.")) else f"org.apache.flink.{name}")


def has_class(name: str) -> bool:
    """Whether this Flink has the class."""
    with contextlib.suppress(TypeError):
        java(name)
        return True
    return False


def flink_minor() -> tuple[int, int]:
    """The minor version of this Flink."""
    major, minor = str(java("runtime.util.EnvironmentInformation").getVersion()).split(".")[:2]
    return int(major), int(minor)


def proxy(interfaces: Sequence[str], instance: object) -> Any:
    """An object of Flink's interfaces whose methods are those of a Python object."""
    import jpype

    return jpype.JProxy([java(name) for name in interfaces], inst=instance)


def stand_in(answers: Mapping[str, Any], *interfaces: str) -> Any:
    """A serializable object of Flink's interfaces with constant answers."""
    import jpype

    table = java("java.util.HashMap")()
    for name, answer in answers.items():
        table.put(name, answer)
    return java("checker.StandIn").of(
        table, jpype.JArray(java("java.lang.Class"))([java(i).class_ for i in interfaces])
    )


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
