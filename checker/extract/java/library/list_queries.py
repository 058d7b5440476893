"""Calls of lists, queues and deques that ask and change nothing."""

from __future__ import annotations

from checker.extract.java.library import streams
from checker.extract.java.library.contents import (
    IMMUTABLE,
    Elements,
    NotKnown,
    Rigid,
    SubList,
    View,
    index_in,
    order,
    place_of,
    refuses_null,
    replace,
    snapshot,
    sure,
)
from checker.extract.java.library.function_objects import apply
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, IteratorValue, ListValue, Value, integer, is_null


def bounds(receiver: ListValue, size: int) -> str:
    """What an index out of bounds throws: ``List.of`` of three and more, ``Arrays.asList`` and vectors ask an array."""
    in_array = receiver.vector or receiver.of_stream or receiver.kind == "FixedList"
    in_array = in_array or (receiver.kind in IMMUTABLE and size not in (1, 2))
    in_array = in_array and not isinstance(receiver, SubList)
    return "ArrayIndexOutOfBoundsException" if in_array else "IndexOutOfBoundsException"


def query(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    """What the elements say, in their order; None where the method is not modelled."""
    depends = receiver.depends
    match name, len(given):
        case (("get" | "elementAt"), 1):
            return elements[index_in(given[0], len(elements), bounds(receiver, len(elements)))]
        case (("indexOf" | "lastIndexOf"), 1) if is_null(given[0]) and refuses_null(receiver):
            throw("NullPointerException")
        case "indexOf", 1:
            place = place_of(run, elements, given[0], request)
            return integer(-1 if place is None else place, depends)
        case "lastIndexOf", 1:
            place = place_of(run, elements[::-1], given[0], request)
            return integer(-1 if place is None else len(elements) - 1 - place, depends)
        case (("stream" | "parallelStream"), 0):
            return streams.of(receiver)
        case "iterator" | "listIterator", 0:
            source = receiver if not isinstance(receiver, View) or receiver.write is not None else None
            return IteratorValue(elements, 0, source=source or receiver, version=receiver.version)
        case "listIterator", 1:
            return IteratorValue(
                elements, index_in(given[0], len(elements) + 1), source=receiver, version=receiver.version
            )
        case "descendingIterator", 0:
            return IteratorValue(elements[::-1], 0, source=receiver, version=receiver.version)
        case "forEach", 1:
            return _for_each(run, receiver, elements, given[0], request)
        case "toArray", _:
            return ListValue(elements, "array", depends=depends)
        case "clone", 0:
            if receiver.kind in ("array", "args"):
                return ListValue(elements, "array", depends=depends)
            made = ListValue(receiver.elements, receiver.kind, depends=depends, comparator=receiver.comparator)
            made.table = receiver.table
            return made
        case "subList", 2:
            return _sub_list(receiver, elements, given)
        case (("descendingSet" | "headSet" | "tailSet" | "subSet" | "ceiling" | "floor" | "higher" | "lower"), _):
            return navigate(run, receiver, elements, name, given, request)
        case "asIterator", 0:
            return IteratorValue(elements)
    return None


def _for_each(run: Run, receiver: ListValue, elements: Elements, function: Value, request: Call) -> Value:
    version = receiver.version
    for element in elements:
        apply(run, function, [element], request)
        if receiver.version is not version and receiver.kind in ("List", "Deque", "Set"):
            if receiver.version is None or version is None or receiver.kind != "List":
                raise NotKnown
            throw("ConcurrentModificationException")
    if receiver.version is not version:
        if receiver.version is None or version is None:
            raise NotKnown
        throw("ConcurrentModificationException")
    return NULL


def _sub_list(receiver: ListValue, elements: Elements, given: list[Value]) -> Value:
    low, high = (sure(whole(value)) for value in given)
    size = len(elements)
    if low < 0:
        throw("IndexOutOfBoundsException", f"fromIndex = {low}")
    if high > size:
        throw("IndexOutOfBoundsException", f"toIndex = {high}")
    if low > high:
        throw("IllegalArgumentException", f"fromIndex({low}) > toIndex({high})")
    if receiver.kind in IMMUTABLE or (isinstance(receiver, View) and receiver.write is None):
        return SubList(receiver, receiver.kind, lambda: (receiver.elements or ())[low:high])
    if isinstance(receiver, Rigid):
        return Rigid(receiver, receiver.kind, lambda: (receiver.elements or ())[low:high])
    rest = size - high

    def read() -> Elements | None:
        now = receiver.elements
        return now[low : len(now) - rest] if now is not None and len(now) >= low + rest else None

    def write(run: Run, new: Elements) -> None:
        now = receiver.elements
        assert now is not None
        replace(run, receiver, (*now[:low], *new, *now[len(now) - rest :]))

    return SubList(receiver, receiver.kind, read, write)


def navigate(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    """Steps of an ordered set: ``floor``, ``headSet`` and the like; None where it is no such method."""
    if receiver.kind != "TreeSet":
        return None
    if name == "descendingSet":
        return snapshot(receiver, "Set", elements[::-1])
    orders = [order(run, element, given[0], receiver.comparator, request) for element in elements]
    pairs = list(zip(elements, orders, strict=True))
    match name, len(given):
        case "ceiling", 1:
            return next((e for e, o in pairs if o >= 0), NULL)
        case "higher", 1:
            return next((e for e, o in pairs if o > 0), NULL)
        case "floor", 1:
            return next((e for e, o in reversed(pairs) if o <= 0), NULL)
        case "lower", 1:
            return next((e for e, o in reversed(pairs) if o < 0), NULL)
        case "headSet", 1:
            return snapshot(receiver, "Set", tuple(e for e, o in pairs if o < 0))
        case "tailSet", 1:
            return snapshot(receiver, "Set", tuple(e for e, o in pairs if o >= 0))
    return None
