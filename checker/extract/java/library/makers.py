"""What makes and changes collections, arrays and other objects of libraries.

``new`` of modelled classes and what their plain objects answer; ``Collections``, ``List.of``, ``Arrays``.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from checker.extract.java.library import holders, lang, maps, resources, strings
from checker.extract.java.library.contents import (
    ARRAYS,
    UNORDERED,
    Elements,
    NotKnown,
    View,
    added_all,
    every,
    known,
    varargs,
)
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_text, unknown_after
from checker.extract.java.machine.numbers import boxed, convert, nanoseconds, unboxed, whole
from checker.extract.java.machine.operators import joined
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    ListValue,
    MapValue,
    Settings,
    Value,
    boolean,
    integer,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
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
_MOST_NUMBERS = 64
"""More than the branches of a job: long ranges are of data that a program makes."""


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
    return ListValue(every(run, given[0])) if name == "copyOf" else None


def _stream(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    return ListValue(tuple(map(boxed, known(varargs(given)))), "Stream") if name == "of" else None


def _numbers(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name not in ("range", "rangeClosed"):
        return None
    first, last = (whole(run.settle(value)) for value in given)
    if first is None or last is None or last - first > _MOST_NUMBERS:
        raise NotKnown
    numbers = range(first, last + (name == "rangeClosed"))
    return ListValue(tuple(boxed(integer(number)) for number in numbers), "Stream")


def _set(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name not in ("of", "copyOf"):
        return None
    elements = every(run, given[0]) if name == "copyOf" else tuple(map(boxed, known(varargs(given))))
    return ListValue(added_all(run, ListValue((), "Set"), elements, call), "RandomSet")


def _map(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of" and len(given) % 2 == 0:
        pairs = tuple((boxed(k), boxed(v)) for k, v in zip(given[::2], given[1::2], strict=True))
    elif name == "entry" and len(given) == 2:
        return EntryValue((("getKey", boxed(given[0])), ("getValue", boxed(given[1]))))
    elif name == "copyOf" and isinstance(copied := run.settle(given[0]), MapValue) and copied.entries is not None:
        pairs = copied.entries
    else:
        return None
    return MapValue(pairs, "hash")


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
    if not isinstance(array, ListValue) or array.kind not in ARRAYS:
        return None
    elements = known(array)
    match name, len(given):
        case "toString", 1:
            return joined(run, [operators.as_text(run, e) for e in elements], ", ", "[", "]")
        case "stream", 1:
            return ListValue(tuple(map(boxed, elements)), "Stream")
    return None


def _as_list(given: list[Value]) -> Value:
    array = varargs(given)
    if array is None:
        raise NotKnown
    if array.elements is not None and array.elements and primitive_array(array):
        return ListValue((array,), "List")
    return View(array, "List", lambda _: array.elements) if array is given[0] else ListValue(array.elements, "List")


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
    "Stream": _stream, "IntStream": _numbers,
}  # fmt: skip


_SAME_FILE = frozenset(
    {"getPath", "getFile", "getAbsolutePath", "getAbsoluteFile", "getCanonicalPath", "normalize", "openStream",
     "toAbsolutePath", "toFile", "toPath", "toURI"}
)  # fmt: skip


def create(run: Run, external: External, call: Call) -> Value | None:
    """A new object of a library class, None where the class is not modelled."""
    given = call.arguments
    simple = external.simple
    made = create_collection(run, simple, call)
    if made is not None:
        return made
    if simple in ("StringBuilder", "StringBuffer"):
        return holders.create_builder(call.arguments)
    if simple == "String" and given and (text := resources.text_of(run, *given)) is not None:
        return text
    if simple == "String":
        return strings.create(call.arguments)
    if simple == "Configuration":
        if given and isinstance(given[0], Settings):
            return Settings(dict(given[0].values), given[0].complete, given[0].source)
        return Settings()
    if simple in ("Integer", "Long", "Boolean", "Double") and call.arguments:
        return lang.static(run, simple, call.having(name="valueOf"))
    if simple in ("Tuple2", "Tuple3", "Tuple4", "Tuple5") and given:
        return EntryValue(tuple((f"f{place}", value) for place, value in enumerate(given)))
    return None


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """The result of a modelled call of a library object; None for everything else."""
    if call.name == "isZero" and (nanos := nanoseconds(receiver)) is not None:
        return boolean(nanos == 0)
    if receiver.type == resources.STREAM and call.name == "readAllBytes":
        return receiver  # the bytes of the same file
    if receiver.type.simple == "OutputTag" and call.name == "getId" and receiver.arguments:
        return receiver.arguments[0]
    if call.name in _SAME_FILE and not call.arguments and resources.path_of(run, receiver):
        return receiver  # another name of the same file
    if call.name in ("getContextClassLoader", "getClassLoader"):
        return resources.class_loader()
    if receiver.type.simple == "ClassLoader" and call.name in ("getResourceAsStream", "getResource") and call.arguments:
        return resources.named(run, call.arguments[0], call.frame)
    return None


_LISTS: Final = {
    "ArrayList": "List", "LinkedList": "LinkedList", "HashSet": "HashSet", "LinkedHashSet": "Set",
}  # fmt: skip
_MAPS: Final = {
    "HashMap": "hash", "LinkedHashMap": "insertion", "ConcurrentHashMap": "hash", "EnumMap": "constants",
    "Properties": "hash", "Hashtable": "hash", "TreeMap": "hash",
}  # fmt: skip


def create_collection(run: Run, simple: str, call: Call) -> Value | None:
    """``new`` of a collection, None where the class is not modelled."""
    if simple not in _LISTS and simple not in _MAPS:
        return None
    given = [run.settle(value) for value in call.arguments]
    try:
        if simple not in _LISTS:
            return _new_map(simple, given)
        return _new_list(run, _LISTS[simple], given, call)
    except NotKnown:
        unknown = next((u for u in map(unknown_of, given) if u is not None), None)
        if unknown is not None:
            expression = f"new {simple}({', '.join(map(described_as, given))})"
            unknown = replace(unknown, derived_from=expression_text(expression, unknown.cause))
        if simple in _LISTS:
            return ListValue(None, _LISTS[simple], unknown)
        return MapValue(None, _MAPS[simple], unknown)


def _size(value: Value) -> int | None:
    return whole(value) if isinstance(value, Constant) else None


def _new_list(run: Run, kind: str, given: list[Value], call: Call) -> Value:
    made = ListValue((), kind)
    if not given:
        return made
    size = _size(given[0])
    if size is not None:
        return made
    source = given[0]
    unordered = isinstance(source, ListValue) and source.kind in UNORDERED and kind in UNORDERED
    elements: Elements = known(source) if unordered and isinstance(source, ListValue) else every(run, source)
    made.elements = added_all(run, made, elements, call)
    return made


def _new_map(simple: str, given: list[Value]) -> Value:
    order = _MAPS[simple]
    made = MapValue((), order)
    if not given or isinstance(given[0], ClassLiteral):
        return made
    size = _size(given[0])
    if size is not None:
        return made
    source = given[0]
    if not isinstance(source, MapValue) or simple == "Properties":
        raise NotKnown
    entries = maps.in_order(source) if order == "insertion" else source.entries
    if entries is None:
        raise NotKnown
    made.entries = entries
    return made
