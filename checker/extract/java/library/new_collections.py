"""``new`` of lists, sets, queues and maps."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from checker.extract.java.library import maps
from checker.extract.java.library.contents import UNORDERED, Elements, NotKnown, added_all, known
from checker.extract.java.library.function_objects import is_function
from checker.extract.java.library.iteration import every
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_text
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import ClassLiteral, Constant, ListValue, MapValue, Value, is_null, unknown_of

_LISTS: Final = {
    "ArrayList": "List", "LinkedList": "LinkedList", "CopyOnWriteArrayList": "CopyList", "ArrayDeque": "Deque",
    "Vector": "List", "Stack": "List", "HashSet": "HashSet", "LinkedHashSet": "Set", "TreeSet": "TreeSet",
    "PriorityQueue": "Queue", "ConcurrentLinkedQueue": "Deque", "ConcurrentLinkedDeque": "Deque",
    "ConcurrentSkipListSet": "TreeSet", "CopyOnWriteArraySet": "Set",
}  # fmt: skip
_MAPS: Final = {
    "HashMap": "hash", "LinkedHashMap": "insertion", "TreeMap": "sorted", "ConcurrentHashMap": "random",
    "Properties": "random", "EnumMap": "sorted", "Hashtable": "random", "ConcurrentSkipListMap": "sorted",
}  # fmt: skip


def create(run: Run, simple: str, call: Call) -> Value | None:
    """``new`` of a collection, None where the class is not modelled."""
    if simple not in _LISTS and simple not in _MAPS:
        return None
    given = [run.settle(value) for value in call.arguments]
    try:
        if simple not in _LISTS:
            return _new_map(run, simple, given, call)
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
        if size < 0:
            throw("IllegalArgumentException")
        made.kind = "UnorderedSet" if kind == "HashSet" else kind
        return made
    if kind in ("TreeSet", "Queue") and (is_null(given[0]) or is_function(given[0])):
        made.comparator = given[0]
        return made
    if is_null(given[0]):
        throw("NullPointerException")
    source = given[0]
    if isinstance(source, ListValue):
        made.depends = source.depends
        if kind == "TreeSet" and source.kind == "TreeSet":
            made.comparator = source.comparator
    unordered = isinstance(source, ListValue) and source.kind in UNORDERED and kind in (*UNORDERED, "TreeSet")
    elements: Elements = known(source) if unordered and isinstance(source, ListValue) else every(run, source, call)
    made.elements = added_all(run, made, elements, call)
    return made


def _new_map(run: Run, simple: str, given: list[Value], call: Call) -> Value:
    order = _MAPS[simple]
    made = MapValue((), order)
    if not given or isinstance(given[0], ClassLiteral):
        return made
    size = _size(given[0])
    if size is not None:
        made.order = "random" if order == "hash" else order
        return made
    if order == "sorted" and (is_null(given[0]) or is_function(given[0])):
        made.comparator = given[0]
        return made
    if is_null(given[0]):
        throw("NullPointerException")
    source = given[0]
    if not isinstance(source, MapValue):
        raise NotKnown
    if simple == "Properties":
        made.defaults = source
        return made
    entries = maps.in_order(run, source, call) if order == "insertion" else source.entries
    if entries is None:
        raise NotKnown
    if order == "sorted" and source.order == "sorted":
        made.comparator = source.comparator
    made.entries = entries
    made.order = "random" if order == "hash" else order  # the table is made for them
    return made
