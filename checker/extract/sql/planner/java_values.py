"""Values and methods of Java that a recorded call of the Table API asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from checker.extract.runtime.capture.jvm import java

_INFORMATION = {
    "BOOLEAN": "BOOLEAN", "TINYINT": "BYTE", "SMALLINT": "SHORT", "INT": "INT", "BIGINT": "LONG", "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE", "STRING": "STRING", "DATE": "SQL_DATE", "TIME(0)": "SQL_TIME", "TIMESTAMP(3)": "SQL_TIMESTAMP",
    "TIMESTAMP_LTZ(3)": "INSTANT", "DECIMAL(38, 18)": "BIG_DEC",
}  # fmt: skip
"""Types of SQL that functions in Python took as type information until 1.15, by their constants in ``Types``."""


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


def as_information(given: Any) -> Any:
    """A data type, or an array of them, as the type information that PyFlink makes of it (``_to_java_type``)."""
    import jpype

    types = java("api.common.typeinfo.Types")
    if isinstance(given, jpype.JArray) and given and isinstance(given[0], java("table.types.DataType")):
        return jpype.JArray(java("api.common.typeinfo.TypeInformation"))([as_information(each) for each in given])
    if not isinstance(given, java("table.types.DataType")):
        return given
    kind = str(given.getLogicalType().copy(True).asSummaryString())
    inner = [as_information(child) for child in given.getChildren()]
    match str(given.getLogicalType().getTypeRoot().name()):
        case "ROW":
            return types.ROW_NAMED([str(name) for name in given.getLogicalType().getFieldNames()], *inner)
        case "ARRAY":
            return types.OBJECT_ARRAY(*inner)
        case "MAP":
            return types.MAP(*inner)
    if kind not in _INFORMATION:
        raise NotReplayedError(f"cannot tell what a function in Python makes of the type {given} until Flink 1.15")
    return getattr(types, _INFORMATION[kind])


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
