"""Values and methods of Java that a recorded call of the Table API asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


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
