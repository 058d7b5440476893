"""Calls on collections, maps, iterators, entries and streams; what loops meet in them."""

from __future__ import annotations

from typing import Final

from checker.extract.java.library import lists, maps, streams
from checker.extract.java.library.contents import NotKnown, forget, only_asks
from checker.extract.java.library.streams import JavaStream
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import unknown_after
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    EntryValue,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    Value,
    depends_of,
    unknown_of,
)
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Unknown


def call(run: Run, receiver: ListValue | MapValue | EntryValue, request: Call) -> Value | None:
    """A method of a collection; None where it is not modelled."""
    if isinstance(receiver, EntryValue):
        return maps.entry_call(run, receiver, request)
    if isinstance(receiver, MapValue):
        found = maps.call(run, receiver, request)
        return found if found is not None or receiver.entries is not None else _on_unknown_map(run, receiver, request)
    if isinstance(receiver, JavaStream):
        try:
            return streams.call(run, receiver, request)
        except NotKnown:
            return None
    if receiver.elements is None:
        return _on_unknown(run, receiver, request)
    return lists.call(run, receiver, request)


_FUNCTIONS: Final = (Lambda, MethodRef, Instance)
_STREAMS: Final = frozenset(
    {
        "stream", "parallelStream", "map", "flatMap", "filter", "peek", "mapToObj", "mapToInt", "sorted", "distinct",
        "boxed", "limit", "skip",
    }
)  # fmt: skip
_LISTS: Final = frozenset({"iterator", "toArray", "collect", "toList", "subList", "listIterator"})
_WITH_FUNCTION: Final = frozenset(
    {
        "forEach", "map", "filter", "flatMap", "anyMatch", "allMatch", "noneMatch", "mapToObj", "peek",
        "removeIf", "forEachOrdered", "mapToInt", "collect", "sorted", "replaceAll",
    }
)  # fmt: skip


def _on_unknown(run: Run, receiver: ListValue, request: Call) -> Value | None:
    """A call on a collection whose elements are not known: a function runs as the body of a loop of unknown length.

    None for one of several functions, or with a result that they build up: nothing is known of either.
    """
    name, given = request.name, request.arguments
    unknown = receiver.unknown or run.unknown(
        "cannot tell the elements of a collection", Cause.COLLECTION, request.site
    )
    made = None
    if given and (name == "reduce" or sum(isinstance(value, _FUNCTIONS) for value in given) > 1):
        return None
    if name in _WITH_FUNCTION and given and isinstance(given[-1], _FUNCTIONS):
        function, element = given[-1], Opaque(unknown, run.fresh("element"))

        def once(inner: object) -> None:
            run.interpreter.call_function(function, request.having(arguments=[element]))

        made = run.interpreter.unknown_loop(once, unknown, request.site, receiver)
    if name in ("forEach", "forEachOrdered"):
        return NULL
    after = unknown_after(receiver, request, unknown, made)
    symbol = _symbol(run, receiver, after, request)
    if not only_asks(name):
        forget(run, receiver, after)
    if name in _STREAMS:
        return ListValue(None, "Stream", after)
    if name in _LISTS:
        return ListValue(None, "array" if name == "toArray" else "List", after)
    return Opaque(unknown, symbol, None, receiver.depends | depends_of(*given))


def _symbol(run: Run, receiver: ListValue | MapValue, after: Unknown, request: Call) -> str:
    """A result by what it is made of: one symbol as long as the collection stays as it is, where a call only asks."""
    made = f"({after.derived_from})" if after.derived_from != NEEDS_CODE else request.name
    if not only_asks(request.name) or not all(isinstance(value, Constant) for value in request.arguments):
        return run.fresh(made)
    texts = ", ".join(value.text for value in request.arguments if isinstance(value, Constant))
    return f"{made}#{run.number(receiver)}.{request.name}({texts})#{run.number(receiver.unknown)}"


def _on_unknown_map(run: Run, receiver: MapValue, request: Call) -> Value:
    name, given = request.name, request.arguments
    unknown = receiver.unknown or run.unknown("cannot tell the entries of a map", Cause.COLLECTION, request.site)
    made = None
    if given and isinstance(given[-1], _FUNCTIONS):
        function = given[-1]
        arguments: list[Value] = [Opaque(unknown, run.fresh("key")), Opaque(unknown, run.fresh("value"))]
        single = name in ("computeIfAbsent",)

        def once(inner: object) -> None:
            run.interpreter.call_function(function, request.having(arguments=arguments[:1] if single else arguments))

        made = run.interpreter.unknown_loop(once, unknown, request.site, receiver)
        if name == "forEach":
            return NULL
    after = unknown_after(receiver, request, unknown, made)
    if name in ("entrySet", "keySet", "values", "stringPropertyNames"):
        return ListValue(None, "Set", after)
    reason = next((u for u in map(unknown_of, given) if u is not None), None) or unknown
    symbol = _symbol(run, receiver, after, request)
    if not only_asks(name):
        forget(run, receiver, after)
    return Opaque(reason, symbol, None, depends_of(*given))
