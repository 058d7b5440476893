"""``java.util.Arrays``, and what an array keeps."""

from __future__ import annotations

from checker.extract.java.library import streams
from checker.extract.java.library.contents import ARRAYS, Elements, View, known, sort, sure, varargs
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.numbers import boxed, convert, unboxed, whole
from checker.extract.java.machine.operators import joined
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ListValue,
    Value,
    is_null,
    string,
    unknown_of,
)
from checker.extract.java.syntax.java_lang import BOXES


def static(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    """A static method of ``Arrays``. Raises NotKnown."""
    if name == "asList":
        return _as_list(given)
    array = run.settle(given[0]) if given else NULL
    if is_null(array) and name == "toString":
        return string("null")
    if not isinstance(array, ListValue) or array.kind not in ARRAYS:
        return None
    elements = known(array)
    match name, len(given):
        case "toString", 1:
            return joined(run, [operators.as_text(run, e) for e in elements], ", ", "[", "]")
        case "stream", 1 | 3:
            return _array_stream(array, elements, given)
        case (("sort" | "parallelSort"), 1 | 2):
            run.memory.assign(array, "elements", sort(run, elements, given[1] if len(given) == 2 else None, call))
            return NULL
        case "fill", 2:
            run.memory.assign(array, "elements", tuple(stored(e, given[1]) for e in elements))
            return NULL
    return None


def _as_list(given: list[Value]) -> Value:
    array = varargs(given)
    if array is None:
        return ListValue(None, "List", unknown_of(given[0]))
    if array.elements is not None and array.elements and primitive_array(array):
        return ListValue((array,), "FixedList")
    return (
        View(array, "FixedList", lambda: array.elements)
        if array is given[0]
        else ListValue(array.elements, "FixedList")
    )


def primitive_array(array: ListValue) -> bool:
    """Whether an array's elements are of a primitive type."""
    first = array.elements[0] if array.elements else None
    return isinstance(first, Constant) and first is not boxed(first)


def stored(old: Value, new: Value) -> Value:
    """A value as an array keeps it where another one of the same type was."""
    if isinstance(old, Constant) and isinstance(new, Constant) and old is not boxed(old):
        unboxed_one = unboxed(new)
        return convert(unboxed_one, old.java) if isinstance(unboxed_one, Constant) else new
    return boxed(new)


def _array_stream(array: ListValue, elements: Elements, given: list[Value]) -> Value:
    first = elements[0] if elements else None
    primitive = first.java if isinstance(first, Constant) and first is not boxed(first) else ""
    primitive = primitive or (array.element if array.element in BOXES else "")
    if len(given) == 3:
        low, high = sure(whole(given[1])), sure(whole(given[2]))
        return streams.of_values(elements[low:high], primitive)
    return streams.of(array, primitive)
