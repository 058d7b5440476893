"""``new`` of lists, sets, queues and maps."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from checker.extract.java.library import equality, function_objects, map_contents
from checker.extract.java.library.contents import Elements, NotKnown, added_all, hash_order, known, made_for, table_for
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
        if kind == "HashSet":
            made.table = table_for(max(size, 1))
        return made
    if kind in ("TreeSet", "Queue") and (is_null(given[0]) or is_function(given[0]) or _is_comparator(given[0])):
        made.comparator = given[0]
        return made
    if is_null(given[0]):
        throw("NullPointerException")
    source = given[0]
    if isinstance(source, ListValue):
        made.depends = source.depends
        if kind == "TreeSet" and source.kind == "TreeSet":
            made.comparator = source.comparator
    if isinstance(source, ListValue) and source.kind == "RandomSet" and (equality.is_set(made) and kind == "TreeSet"):
        elements: Elements = known(source)
    elif isinstance(source, ListValue) and source.kind == "RandomSet" and kind == "HashSet":
        elements = known(source)
        if hash_order(run, elements, made_for(len(elements)), call) != hash_order(
            run, elements[::-1], made_for(len(elements)), call
        ):
            raise NotKnown
    else:
        elements = every(run, source, call)
    made.elements = added_all(run, made, elements, call)
    if kind == "HashSet":
        made.table = made_for(len(elements))
    return made


def _is_comparator(value: Value) -> bool:
    return isinstance(value, function_objects.LibraryFunction)


def _new_map(run: Run, simple: str, given: list[Value], call: Call) -> Value:
    order = _MAPS[simple]
    made = MapValue((), order)
    if not given or isinstance(given[0], ClassLiteral):
        return made
    size = _size(given[0])
    if size is not None:
        made.table = table_for(max(size, 1))
        return made
    if order == "sorted" and (is_null(given[0]) or is_function(given[0]) or _is_comparator(given[0])):
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
    entries = map_contents.in_order(run, source, call)
    if entries is None and source.entries is not None:
        entries = _order_free(run, order, source, call)
    if entries is None:
        raise NotKnown
    if order == "sorted" and source.order == "sorted":
        made.comparator = source.comparator
    if order == "hash":
        made.table = max(1, table_for(int(len(entries) / 0.75 + 1)))
    made.entries = entries
    return made


def _order_free(run: Run, order: str, source: MapValue, call: Call) -> map_contents.Entries | None:
    """The entries of a map without order, where the new one's order does not depend on it."""
    entries = source.entries or ()
    if order in ("sorted", "random"):
        return entries
    if order == "hash":
        keys = tuple(key for key, _ in entries)
        table = max(1, table_for(int(len(entries) / 0.75 + 1)))
        forward, backward = hash_order(run, keys, table, call), hash_order(run, keys[::-1], table, call)
        return entries if forward is not None and forward == backward else None
    return None
