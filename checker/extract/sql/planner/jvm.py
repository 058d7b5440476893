"""The planner in the JVM of the child process, and objects of classes of ours that stand before Flink's.

Runs in the child process, as every module of this package that takes ``jpype``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.jvm import has_class, java, private

STAND_INS = Path(__file__).with_name("java") / "stand-ins.jar"


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


def flink_minor() -> tuple[int, int]:
    """The minor version of this Flink."""
    major, minor = str(java("runtime.util.EnvironmentInformation").getVersion()).split(".")[:2]
    return int(major), int(minor)


def stand_in(answers: Mapping[str, Any], *interfaces: str) -> Any:
    """A serializable object of Flink's interfaces with constant answers."""
    import jpype

    table = java("java.util.HashMap")()
    for name, answer in answers.items():
        table.put(name, answer)
    return java("checker.StandIn").of(
        table, jpype.JArray(java("java.lang.Class"))([java(i).class_ for i in interfaces])
    )
