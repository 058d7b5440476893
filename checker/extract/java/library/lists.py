"""Calls on lists, sets, queues and arrays: every change and every exception as Java makes them."""

from __future__ import annotations

from typing import Final

from checker.extract.java.library import equality
from checker.extract.java.library.contents import (
    IMMUTABLE,
    Elements,
    NotKnown,
    Rigid,
    View,
    added,
    forget,
    has,
    in_order,
    index_in,
    no_nulls,
    place_of,
    refuses_null,
    replace,
    sort,
    sure,
    unknown_content,
)
from checker.extract.java.library.function_objects import apply, test
from checker.extract.java.library.iteration import every
from checker.extract.java.library.list_queries import bounds, query
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import unknown_after
from checker.extract.java.machine.exceptions import OF_COLLECTIONS, throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ListValue,
    Opaque,
    Value,
    boolean,
    depends_of,
    integer,
    is_null,
)
from checker.model.unknowns import Cause, Unknown


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
    unknown = unknown_content(run, request, "the elements of a collection are not known here")
    run.may_throw_any(OF_COLLECTIONS, unknown, receiver, *request.arguments)
    if request.name in CHANGES or request.name in WRITING_VIEWS:
        forget(run, receiver, unknown_after(receiver, request, unknown))
    return Opaque(unknown, run.fresh(request.name), None, receiver.depends | depends_of(*request.arguments))


def _call(run: Run, receiver: ListValue, request: Call) -> Value | None:
    name, given = request.name, [boxed(value) for value in request.arguments]
    if receiver.elements is None:
        return None
    immutable = receiver.kind in IMMUTABLE or (isinstance(receiver, View) and receiver.write is None)
    if name in CHANGES:
        if immutable:
            return throw("UnsupportedOperationException")
        if isinstance(receiver, Rigid) and _refused(receiver, name, request):
            return throw("UnsupportedOperationException")
        return _change(run, receiver, name, given, request)
    if name in ("size", "isEmpty"):
        size = len(receiver.elements)
        return integer(size, receiver.depends) if name == "size" else boolean(not size, receiver.depends)
    if name in ("contains", "containsAll"):
        if is_null(given[0]) and refuses_null(receiver):
            throw("NullPointerException")
        wanted = [given[0]] if name == "contains" else every(run, given[0], request)
        found = [has(run, receiver, receiver.elements, value, request) is not None for value in wanted]
        return boolean(all(found), receiver.depends | depends_of(*given))
    if name == "equals" and len(given) == 1 and receiver.kind in ("array", "args"):
        return boolean(receiver is given[0]) if isinstance(given[0], ListValue) else None
    if name in ("equals", "hashCode"):
        return equality.asked(run, receiver, request)
    elements = in_order(run, receiver, request)
    if elements is None:
        why = Unknown("the order of a set's elements is not known", Cause.COLLECTION, None, run.location(request.site))
        unordered = name in ("stream", "iterator", "toArray")
        return ListValue(None, "Stream" if name == "stream" else "List", why) if unordered else None
    if name in _ENDS and not given:
        return _end(run, receiver, name, request)
    return query(run, receiver, elements, name, given, request)


def _refused(receiver: Rigid, name: str, request: Call) -> bool:
    """Whether a rigid collection refuses a change without looking at what it would change."""
    if name in ("add", "set") or (name == "removeIf" and receiver.single):
        return True
    if name in ("replaceAll", "sort"):
        return bool(receiver.elements) and not (receiver.single and name == "sort")
    first = request.arguments[0] if request.arguments else None
    return name == "remove" and equality.is_list(receiver) and isinstance(first, Constant) and first.java in _PLACES


_PLACES: Final = frozenset({"int", "short", "byte", "char"})


def _change(run: Run, receiver: ListValue, name: str, given: list[Value], request: Call) -> Value | None:
    elements = receiver.elements
    assert elements is not None
    fixed = receiver.kind == "FixedList"
    match name, len(given):
        case (("add" | "addLast" | "offer" | "offerLast" | "addElement"), 1):
            if fixed:
                throw("UnsupportedOperationException")
            new = added(run, receiver, elements, given[0], request)
            if new is not elements:
                replace(run, receiver, new)
            return boolean(new is not elements) if name in ("add", "offer", "offerLast") else NULL
        case (("push" | "addFirst" | "offerFirst"), 1):
            if receiver.kind == "List":  # java.util.Stack pushes at its end
                replace(run, receiver, (*elements, given[0]))
                return given[0]
            no_nulls(receiver, given[0])
            replace(run, receiver, (given[0], *elements))
            return boolean(True) if name == "offerFirst" else NULL
        case (("add" | "insertElementAt"), 2):
            if fixed:
                throw("UnsupportedOperationException")
            if name != "add":
                given.reverse()
            thrown = "ArrayIndexOutOfBoundsException" if receiver.vector else "IndexOutOfBoundsException"
            place = index_in(given[0], len(elements) + 1, thrown)
            replace(run, receiver, (*elements[:place], given[1], *elements[place:]))
            return NULL
        case (("set" | "setElementAt"), 2):
            if name != "set":
                given.reverse()
            place = index_in(given[0], len(elements), bounds(receiver, len(elements)))
            replace(run, receiver, (*elements[:place], given[1], *elements[place + 1 :]), structural=False)
            return elements[place] if name == "set" else NULL
        case "addAll", 1 | 2:
            return _add_all(run, receiver, elements, given, request)
        case "clear" | "removeAllElements", 0:
            if fixed and elements:
                throw("UnsupportedOperationException")
            replace(run, receiver, ())
            return NULL
        case "sort", 1:
            ordered = sort(run, elements, given[0], request)
            replace(run, receiver, ordered, structural=receiver.kind == "List")
            return NULL
        case "replaceAll", 1:
            return _replace_all(run, receiver, given[0], request)
        case "removeIf" | "removeAll" | "retainAll", 1:
            return _remove_many(run, receiver, name, given[0], request)
    return _remove(run, receiver, elements, name, given, request)


def _replace_all(run: Run, receiver: ListValue, function: Value, request: Call) -> Value:
    """Element by element, as ``ArrayList.replaceAll`` does it: the function may look at the list."""
    version, place = receiver.version, 0
    while receiver.elements is not None and place < len(receiver.elements):
        new = apply(run, function, [receiver.elements[place]], request)
        now = receiver.elements
        if receiver.version is not version or now is None:
            raise NotKnown
        replace(run, receiver, (*now[:place], new, *now[place + 1 :]), structural=False)
        version, place = receiver.version, place + 1
    return NULL


def _add_all(run: Run, receiver: ListValue, elements: Elements, given: list[Value], request: Call) -> Value:
    more = every(run, given[-1], request)
    if receiver.kind == "FixedList":
        if not more:
            return boolean(False)
        throw("UnsupportedOperationException")
    if len(given) == 2:
        thrown = "ArrayIndexOutOfBoundsException" if receiver.vector else "IndexOutOfBoundsException"
        place = index_in(given[0], len(elements) + 1, thrown)
        replace(run, receiver, (*elements[:place], *more, *elements[place:]))
        return boolean(bool(more))
    new = elements
    for value in more:
        new = added(run, receiver, new, value, request)
    replace(run, receiver, new, structural=new is not elements or receiver.kind == "List")
    return boolean(len(new) > len(elements))


def _remove_many(run: Run, receiver: ListValue, name: str, given: Value, request: Call) -> Value:
    elements = sure(in_order(run, receiver, request))
    if name == "removeIf":
        gone = [test(run, given, [element], request) for element in elements]
    else:
        named = every(run, given, request)
        gone = [(place_of(run, named, element, request) is not None) is (name == "removeAll") for element in elements]
    if not any(gone):
        return boolean(False)
    if receiver.kind == "FixedList":
        throw("UnsupportedOperationException")
    kept = [element for element, leaves in zip(elements, gone, strict=True) if not leaves]
    if equality.is_set(receiver) and not isinstance(receiver, View):
        # In their old order, which decides the order within a bucket.
        kept = [e for e in receiver.elements or () if any(e is named for named in kept)]
    replace(run, receiver, tuple(kept))
    return boolean(True)


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
        by_place = isinstance(argument, Constant) and argument.java in _PLACES
        if name == "remove" and equality.is_list(receiver) and by_place:
            if receiver.kind == "FixedList":
                throw("UnsupportedOperationException")
            place: int | None = index_in(given[0], len(elements), bounds(receiver, len(elements)))
        elif name == "remove" and equality.is_list(receiver) and isinstance(argument, Opaque) and argument.type is None:
            raise NotKnown
        else:
            place = has(run, receiver, elements, given[0], request)
        if place is None:
            return boolean(False)
        if receiver.kind == "FixedList":
            throw("UnsupportedOperationException")
        replace(run, receiver, (*elements[:place], *elements[place + 1 :]))
        return elements[place] if equality.is_list(receiver) and by_place and name == "remove" else boolean(True)
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
    stack = receiver.kind == "List"
    if name in ("pop", "peek") and stack:
        if not elements:
            throw("EmptyStackException")
        place = len(elements) - 1
    elif not elements:
        if name in ("peek", "peekFirst", "peekLast", "poll", "pollFirst", "pollLast"):
            return NULL
        throw("NoSuchElementException")
    else:
        place = 0 if _ENDS[name] == 0 else len(elements) - 1
    if name.startswith(("remove", "poll", "pop")):
        gone = elements[place]
        kept = (*elements[:place], *elements[place + 1 :])
        if equality.is_set(receiver):
            kept = tuple(e for e in receiver.elements or () if e is not gone)
        replace(run, receiver, kept)
    return elements[place]
