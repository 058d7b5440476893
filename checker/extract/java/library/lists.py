"""Calls on lists, sets, queues and arrays.

What fails in a JVM (a change of ``List.of``, an index out of bounds) is not known here: a deployed program does not do
it, and a handler of exceptions is followed as one that may run.
"""

from __future__ import annotations

from typing import Final

from checker.extract.java.library import equality, streams
from checker.extract.java.library.contents import (
    IMMUTABLE,
    Elements,
    NotKnown,
    View,
    added,
    forget,
    has,
    in_order,
    index_in,
    place_of,
    replace,
    sort,
    sure,
    unchangeable,
    unchanged,
    unknown_content,
)
from checker.extract.java.library.function_objects import apply, test
from checker.extract.java.library.iteration import every
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import unknown_after
from checker.extract.java.machine.exceptions import OF_COLLECTIONS, LimitSignal, throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    IteratorValue,
    ListValue,
    Opaque,
    Value,
    boolean,
    depends_of,
    integer,
)
from checker.model.unknowns import Cause


def call(run: Run, receiver: ListValue, request: Call) -> Value | None:
    """A method of a collection or array; None where it is not modelled."""
    try:
        return _call(run, receiver, request)
    except NotKnown:
        return _not_known(run, receiver, request)


CHANGES: Final = frozenset(
    {
        "add", "addAll", "remove", "clear", "set", "addFirst", "addLast", "push", "offer", "offerLast", "offerFirst",
        "sort", "removeIf", "removeAll", "retainAll", "replaceAll", "poll", "pop", "pollFirst", "pollLast",
        "removeFirst", "removeLast", "addElement", "insertElementAt", "removeElement", "removeAllElements",
        "removeFirstOccurrence", "removeLastOccurrence", "setElementAt",
    }
)  # fmt: skip

WRITING_VIEWS: Final = frozenset({"subList", "subSet", "headSet", "tailSet", "listIterator"})
"""What is changed through the result of these, changes in the list or set itself."""


def _not_known(run: Run, receiver: ListValue, request: Call) -> Value:
    unknown = unknown_content(run, request, "cannot tell the elements of a collection")
    run.may_throw_any(OF_COLLECTIONS, unknown, receiver, *request.arguments)
    if request.name in CHANGES or request.name in WRITING_VIEWS:
        forget(run, receiver, unknown_after(receiver, request, unknown))
    return Opaque(unknown, run.fresh(request.name), None, receiver.depends | depends_of(*request.arguments))


def _call(run: Run, receiver: ListValue, request: Call) -> Value | None:
    name, given = request.name, [boxed(value) for value in request.arguments]
    if receiver.elements is None:
        return None
    if name in CHANGES:
        return _change(run, receiver, receiver.elements, name, given, request)
    if unchangeable(receiver) and NULL in given and name in ("contains", "containsAll", "indexOf", "lastIndexOf"):
        raise NotKnown  # what List.of made throws
    if name in ("size", "isEmpty"):
        size = len(receiver.elements)
        return integer(size, receiver.depends) if name == "size" else boolean(not size, receiver.depends)
    if name in ("contains", "containsAll"):
        wanted = [given[0]] if name == "contains" else every(run, given[0], request)
        found = [has(run, receiver, receiver.elements, value, request) is not None for value in wanted]
        return boolean(all(found), receiver.depends | depends_of(*given))
    if name == "equals" and len(given) == 1 and receiver.kind in ("array", "args"):
        return boolean(receiver is given[0]) if isinstance(given[0], ListValue) else None
    if name in ("equals", "hashCode"):
        return equality.asked(run, receiver, request)
    elements = in_order(run, receiver, request)
    if elements is None:
        why = run.unknown("cannot tell the order of a set's elements", Cause.COLLECTION, request.site)
        unordered = name in ("stream", "iterator", "toArray")
        return ListValue(None, "Stream" if name == "stream" else "List", why) if unordered else None
    if name in _ENDS and not given:
        return _end(run, receiver, name, request)
    return _query(run, receiver, elements, name, given, request)


def _query(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    """What the elements say, in their order; None where the method is not modelled."""
    depends = receiver.depends
    match name, len(given):
        case (("get" | "elementAt"), 1):
            return elements[index_in(given[0], len(elements))]
        case "indexOf", 1:
            place = place_of(run, elements, given[0], request)
            return integer(-1 if place is None else place, depends)
        case (("stream" | "parallelStream"), 0):
            return streams.of(receiver)
        case "iterator", 0:
            return IteratorValue(elements, source=receiver, version=receiver.version)
        case "forEach", 1:
            version = receiver.version
            for element in elements:
                apply(run, given[0], [element], request)
                unchanged(receiver, version)
            return NULL
        case "toArray", _:
            return ListValue(elements, "array", depends=depends)
    return None


def _change(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    if receiver.kind in IMMUTABLE:
        throw("UnsupportedOperationException")
    if isinstance(receiver, View) and receiver.refuses:
        raise LimitSignal("a change of a collection that refuses most changes")
    if isinstance(receiver, View) or (receiver.kind == "FixedList" and name not in ("set", "sort")):
        raise NotKnown
    match name, len(given):
        case (("add" | "addLast" | "offer" | "offerLast" | "addElement"), 1):
            new = added(run, receiver, elements, given[0], request)
            if new is not elements:
                replace(run, receiver, new)
            return boolean(new is not elements) if name in ("add", "offer", "offerLast") else NULL
        case (("push" | "addFirst" | "offerFirst"), 1):
            if receiver.kind == "List":  # java.util.Stack pushes at its end
                replace(run, receiver, (*elements, given[0]))
                return given[0]
            replace(run, receiver, (given[0], *elements))
            return boolean(True) if name == "offerFirst" else NULL
        case "add", 2:
            place = index_in(given[0], len(elements) + 1)
            replace(run, receiver, (*elements[:place], given[1], *elements[place:]))
            return NULL
        case "set", 2:
            place = index_in(given[0], len(elements))
            replace(run, receiver, (*elements[:place], given[1], *elements[place + 1 :]))
            return elements[place]
        case "addAll", 1:
            return _add_all(run, receiver, elements, given, request)
        case "clear" | "removeAllElements", 0:
            replace(run, receiver, ())
            return NULL
        case "sort", 1:
            replace(run, receiver, sort(run, elements, given[0], request))
            return NULL
        case "removeIf", 1:
            return _remove_many(run, receiver, given[0], request)
    return _remove(run, receiver, elements, name, given, request)


def _add_all(run: Run, receiver: ListValue, elements: Elements, given: list[Value], request: Call) -> Value:
    more = every(run, given[-1], request)
    new = elements
    for value in more:
        new = added(run, receiver, new, value, request)
    replace(run, receiver, new)
    return boolean(len(new) > len(elements))


def _remove_many(run: Run, receiver: ListValue, condition: Value, request: Call) -> Value:
    elements = sure(in_order(run, receiver, request))
    kept = tuple(element for element in elements if not test(run, condition, [element], request))
    if len(kept) == len(elements):
        return boolean(False)
    replace(run, receiver, kept)
    return boolean(True)


_PLACES: Final = frozenset({"int", "short", "byte", "char"})
_ENDS: Final = {
    "remove": 0, "poll": 0, "pop": 0, "pollFirst": 0, "pollLast": -1, "removeFirst": 0, "removeLast": -1,
    "getFirst": 0, "getLast": -1, "peek": 0, "peekFirst": 0, "peekLast": -1, "element": 0, "first": 0, "last": -1,
    "firstElement": 0, "lastElement": -1,
}  # fmt: skip


def _remove(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    if name in ("remove", "removeElement", "removeFirstOccurrence") and len(given) == 1:
        argument = request.arguments[0]
        by_place = name == "remove" and equality.is_list(receiver)
        if by_place and isinstance(argument, Opaque) and argument.type is None:
            raise NotKnown
        by_place = by_place and isinstance(argument, Constant) and argument.java in _PLACES
        place = index_in(given[0], len(elements)) if by_place else has(run, receiver, elements, given[0], request)
        if place is None:
            return boolean(False)
        replace(run, receiver, (*elements[:place], *elements[place + 1 :]))
        return elements[place] if by_place else boolean(True)
    if given or name not in _ENDS:
        return None
    return _end(run, receiver, name, request)


def _end(run: Run, receiver: ListValue, name: str, request: Call) -> Value | None:
    """The first or last element, removed or only looked at."""
    elements = receiver.elements
    assert elements is not None
    if receiver.kind == "Queue":
        elements = sort(run, elements, receiver.comparator, request)
    elif equality.is_set(receiver):
        elements = sure(in_order(run, receiver, request))
    if not elements:
        if name in ("peek", "peekFirst", "peekLast", "poll", "pollFirst", "pollLast") and receiver.kind != "List":
            return NULL
        throw("NoSuchElementException")
    stack = receiver.kind == "List" and name in ("pop", "peek")
    gone = elements[-1 if stack else _ENDS[name]]
    if name.startswith(("remove", "poll", "pop")):
        everything = receiver.elements or ()
        places = [place for place, element in enumerate(everything) if element is gone]
        place = places[-1 if stack else _ENDS[name]]
        replace(run, receiver, (*everything[:place], *everything[place + 1 :]))
    return gone
