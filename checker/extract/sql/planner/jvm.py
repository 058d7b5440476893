"""The planner in the JVM of the child process, objects of classes of ours, and values that recorded calls ask for.

Runs in the child process, as every module of this package that takes ``jpype``.
"""

from collections.abc import Callable, Mapping, Sequence
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


class NotReplayedError(Exception):
    """A call that can't be made, with the reason."""


def plain_overload(receiver: Any, call: str, arguments: Sequence[Any]) -> Any:
    """Java's choice where a method of any number of arguments would do as well: that without, or that of the array.

    None where none is.
    """
    import jpype

    if not arguments or isinstance(receiver, jpype.JClass):
        return None
    methods = [method for method in receiver.getClass().getMethods() if str(method.getName()) == call]
    if not any(bool(method.isVarArgs()) for method in methods):
        return None
    for method in methods:
        types = list(method.getParameterTypes())
        last = arguments[-1]
        as_array = bool(method.isVarArgs()) and hasattr(last, "getClass") and last.getClass() == types[-1]
        if len(types) != len(arguments) or (bool(method.isVarArgs()) and not as_array):
            continue
        if all(hasattr(a, "getClass") and bool(t.isInstance(a)) for t, a in zip(types, arguments, strict=True)):
            return method
    return None


def class_named(name: str) -> Any:
    """A class by its name, or by those that it may have (``a.B|c.B``); a nested one may be written with a dot."""
    import jpype

    name, *others = name.split("|")
    while True:
        try:
            return jpype.JClass(name)
        except TypeError:
            if others:
                return class_named("|".join(others))
            outer, _, inner = name.rpartition(".")
            if not outer.rpartition(".")[2][:1].isupper():
                raise NotReplayedError(f"this Flink has no class {name}") from None
            name = f"{outer}${inner}"


def literal(value: Any, kind: str) -> Any:
    """A constant as Java's value of that type."""
    import jpype

    if value is None:
        return None
    if kind == "bytes":
        return jpype.JArray(jpype.JByte)(bytes(value, "ascii"))
    boxes: Mapping[str, Callable[[Any], Any]] = {
        "int": jpype.JInt, "Integer": jpype.JInt, "long": jpype.JLong, "Long": jpype.JLong, "double": jpype.JDouble,
        "Double": jpype.JDouble, "float": jpype.JFloat, "boolean": jpype.JBoolean, "Boolean": jpype.JBoolean,
        "short": jpype.JShort, "byte": jpype.JByte, "char": jpype.JChar,
    }  # fmt: skip
    box = boxes.get(kind)
    return jpype.JString(value) if box is None else box(value)
