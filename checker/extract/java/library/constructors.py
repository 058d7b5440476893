"""``new`` of library classes that are modelled, and what their plain objects answer."""

from __future__ import annotations

from collections.abc import Sequence

from checker.extract.java.interpreter import calls
from checker.extract.java.interpreter.call_record import Call
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
    NULL,
    Builder,
    Constant,
    EntryValue,
    ExternalObject,
    Holder,
    ListValue,
    MapValue,
    Settings,
    Value,
    integer,
    string,
    unknown_of,
)
from checker.extract.java.library import parameters, resources
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import TypeRef

_LISTS = {
    "ArrayList": "List", "LinkedList": "List", "CopyOnWriteArrayList": "List", "ArrayDeque": "List", "Vector": "List",
    "HashSet": "HashSet", "LinkedHashSet": "Set", "TreeSet": "TreeSet", "Stack": "List", "PriorityQueue": "TreeSet",
}  # fmt: skip
_MAPS = {
    "HashMap": "hash", "LinkedHashMap": "insertion", "TreeMap": "sorted", "ConcurrentHashMap": "random",
    "Properties": "random", "EnumMap": "random", "Hashtable": "random",
}  # fmt: skip
_HOLDERS = {"AtomicReference": NULL, "AtomicInteger": integer(0), "AtomicLong": Constant(0, "long"),
            "AtomicBoolean": Constant(False, "boolean")}  # fmt: skip


def create(run: Run, external: External, ref: TypeRef, call: Call) -> Value | None:
    """A new object of a library class, None where the class is not modelled."""
    given = call.arguments
    from checker.extract.java.flink_api import constructions

    simple = external.simple
    if simple in _LISTS:
        return _list(run, simple, given)
    if simple in _MAPS:
        return _map(simple, given)
    if simple in _HOLDERS:
        return Holder(given[0] if given else _HOLDERS[simple], simple)
    if simple in ("StringBuilder", "StringBuffer"):
        if given and isinstance(given[0], Constant) and given[0].java == "int":
            given = []
        return Builder(given[0] if given else string(""))
    if simple == "String":
        return given[0] if given else string("")
    if simple == "Configuration":
        if given and isinstance(given[0], Settings):
            return Settings(dict(given[0].values), given[0].complete, given[0].source)
        return Settings()
    if simple in ("Integer", "Long", "Boolean", "Double") and given:
        value = given[0]
        java = {"Integer": "int", "Long": "long", "Boolean": "boolean", "Double": "double"}[simple]
        if isinstance(value, Constant) and isinstance(value.value, str):
            return parameters.typed(run, value.value, java, value.depends, call.site)
        return value
    if simple in ("SimpleEntry", "AbstractMap.SimpleEntry", "SimpleImmutableEntry") and len(given) == 2:
        return EntryValue((("getKey", given[0]), ("getValue", given[1])))
    if simple in ("Tuple2", "Tuple3", "Tuple4", "Tuple5") and given:
        return EntryValue(tuple((f"f{place}", value) for place, value in enumerate(given)))
    return constructions.create(run, external, call.having(arguments=given))


def _list(run: Run, simple: str, given: Sequence[Value]) -> Value:
    kind = _LISTS[simple]
    if kind == "HashSet" and given:
        kind = "RandomSet" if not _grown(given[0]) else kind
    if given and isinstance(given[0], ListValue):
        return ListValue(given[0].elements, kind, given[0].unknown, given[0].depends)
    if given and not (isinstance(given[0], Constant) and given[0].java == "int"):
        return ListValue(None, kind, unknown_of(given[0]))
    return ListValue((), kind)


def _grown(origin: Value) -> bool:
    """Whether a hash table made of another collection is as large as one that grew entry by entry."""
    size: int | None = None
    if isinstance(origin, ListValue) and origin.elements is not None:
        size = len(origin.elements)
    elif isinstance(origin, MapValue) and origin.entries is not None:
        size = len(origin.entries)
    if size is None:
        return False
    grown = made = 16
    while size > grown * 0.75:
        grown *= 2
    while made < size / 0.75 + 1:
        made *= 2
    return grown == made


def _map(simple: str, given: Sequence[Value]) -> Value:
    order = _MAPS[simple]
    if order == "hash" and given and not _grown(given[0]):
        order = "random"
    if given and isinstance(given[0], MapValue):
        return MapValue(given[0].entries, order, given[0].unknown)
    if given and not isinstance(given[0], Constant):
        return MapValue(None, order, unknown_of(given[0]))
    return MapValue((), order)


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """What a library object answers that is not just passed on; None for everything else."""
    if receiver.type.simple == "Function" and call.name == "apply" and len(receiver.arguments) == 2:
        between = calls.call_function(run, receiver.arguments[0], call)
        return calls.call_function(run, receiver.arguments[1], call.having(arguments=[between]))
    if receiver.type.simple == "OutputTag" and call.name == "getId" and receiver.arguments:
        return receiver.arguments[0]
    if call.name in ("getContextClassLoader", "getClassLoader"):
        return resources.class_loader()
    if receiver.type.simple == "ClassLoader" and call.name in ("getResourceAsStream", "getResource") and call.arguments:
        return (
            resources.opened(run, call.arguments[0].text, call.frame)
            if isinstance(call.arguments[0], Constant)
            else None
        )
    return None
