"""Static methods that make and change collections and arrays: ``Collections``, ``List.of``, Guava's, ``Arrays``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from checker.extract.java.library import streams
from checker.extract.java.library.contents import (
    ARRAYS,
    NotKnown,
    View,
    added_all,
    known,
    varargs,
)
from checker.extract.java.library.streams import every
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import unknown_after
from checker.extract.java.machine.numbers import boxed, convert, unboxed
from checker.extract.java.machine.operators import joined
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    EntryValue,
    ListValue,
    MapValue,
    Value,
    is_null,
    string,
    unknown_of,
)
from checker.model.unknowns import Cause

Handler = Callable[[Run, str, list[Value], Call], Value | None]


def static(run: Run, simple: str, call: Call) -> Value | None:
    """A static method of a class of collections or streams; None where it is not modelled."""
    handler = _CLASSES.get(simple)
    if handler is None:
        return None
    try:
        return handler(run, call.name, list(call.arguments), call)
    except NotKnown:
        return _unknown(run, simple, call)


_MAKES: Final = {"Stream": "Stream", "IntStream": "Stream", "List": "List", "Set": "Set"}


def _unknown(run: Run, simple: str, call: Call) -> Value | None:
    of_argument = next((u for u in map(unknown_of, call.arguments) if u is not None), None)
    unknown = of_argument or run.unknown("cannot tell the elements of a collection", Cause.COLLECTION, call.site)
    if simple in _MAKES or call.name == "asList":
        return ListValue(None, _MAKES.get(simple, "List"), unknown_after(None, call, unknown))
    return None


# -- List, Set, Map ------------------------------------------------------------------------------------------------


def _list(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of":
        elements = tuple(boxed(value) for value in known(varargs(given)))
        return ListValue(elements)
    return None


def _set(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of":
        elements = tuple(boxed(value) for value in known(varargs(given)))
        return ListValue(added_all(run, ListValue((), "Set"), elements, call), "RandomSet")
    return None


def _map(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of" and len(given) % 2 == 0:
        pairs = tuple((boxed(k), boxed(v)) for k, v in zip(given[::2], given[1::2], strict=True))
    elif name == "entry" and len(given) == 2:
        return EntryValue((("getKey", boxed(given[0])), ("getValue", boxed(given[1]))))
    else:
        return None
    return MapValue(pairs, "random")


def _of_guava(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    """``Lists.newArrayList(...)`` and ``Sets.newHashSet(...)``."""
    kind = {"newArrayList": "List", "newHashSet": "HashSet"}.get(name)
    if kind is None:
        return None
    content = run.settle(given[0]) if len(given) == 1 else None
    elements = every(run, content, call) if isinstance(content, ListValue) else tuple(boxed(v) for v in given)
    return ListValue(added_all(run, ListValue((), kind), elements, call), kind)


# -- Collections ---------------------------------------------------------------------------------------------------

CHANGES: Final = frozenset(
    {"sort", "reverse", "addAll", "fill", "swap", "rotate", "shuffle", "setAll", "replaceAll", "parallelSort"}
)


def _collections(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    first = run.settle(given[0]) if given else NULL
    match name:
        case "emptyList" | "emptySet":
            return ListValue((), "List" if name == "emptyList" else "Set")
        case "singletonList" | "singleton":
            return ListValue((boxed(given[0]),), "List" if name == "singletonList" else "Set")
        case "emptyMap":
            return MapValue(())
        case "singletonMap":
            return MapValue(((boxed(given[0]), boxed(given[1])),))
    if name.startswith(("unmodifiable", "synchronized", "checked")):
        return first  # what refuses changes: a program that is deployed makes none
    return None


def static_of_arrays(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
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
        case "stream", 1:
            return streams.of(array)
    return None


def _as_list(given: list[Value]) -> Value:
    array = varargs(given)
    if array is None:
        return ListValue(None, "List", unknown_of(given[0]))
    if array.elements is not None and array.elements and primitive_array(array):
        return ListValue((array,), "List")
    return View(array, "List", lambda: array.elements) if array is given[0] else ListValue(array.elements, "List")


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


_CLASSES: Final[dict[str, Handler]] = {
    "List": _list, "Set": _set, "Map": _map, "Collections": _collections, "Arrays": static_of_arrays,
    "Stream": streams.static, "IntStream": streams.of_numbers,
    "Lists": _of_guava, "Sets": _of_guava,
}  # fmt: skip
