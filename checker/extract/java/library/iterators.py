"""Iterators over collections, which throw where a collection changed behind their back."""

from __future__ import annotations

from checker.extract.java.library import equality
from checker.extract.java.library.contents import IMMUTABLE, NotKnown, View, replace, sure
from checker.extract.java.library.function_objects import apply
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, EntryValue, IteratorValue, ListValue, Value, boolean, integer


def iterator_call(run: Run, receiver: IteratorValue, request: Call) -> Value | None:
    """A method of an iterator."""
    name, given = request.name, [boxed(value) for value in request.arguments]
    source = receiver.source
    if not isinstance(receiver.place, int) or receiver.place < 0 or receiver.elements is None:
        raise NotKnown  # moved on one side of a condition, or in a loop of unknown length
    match name, len(given):
        case (("hasNext" | "hasMoreElements"), 0):
            size = len(receiver.elements)
            if source is not None and source.version is not receiver.version and equality.is_list(source):
                if source.elements is None:
                    return None
                size = len(source.elements)  # ArrayList compares its place with its size
            return boolean(receiver.place != size)
        case (("next" | "nextElement"), 0):
            _check(receiver)
            if receiver.place >= len(receiver.elements):
                throw("NoSuchElementException")
            _move(run, receiver, receiver.place + 1, receiver.place)
            return receiver.elements[receiver.place - 1]
        case "hasPrevious", 0:
            return boolean(receiver.place > 0)
        case "previous", 0:
            _check(receiver)
            if receiver.place <= 0:
                throw("NoSuchElementException")
            _move(run, receiver, receiver.place - 1, receiver.place - 1)
            return receiver.elements[receiver.place]
        case "nextIndex", 0:
            return integer(receiver.place)
        case "previousIndex", 0:
            return integer(receiver.place - 1)
        case "remove", 0:
            return _iterator_remove(run, receiver, request)
        case (("set" | "add"), 1):
            return _iterator_write(run, receiver, name, given[0])
        case "forEachRemaining", 1:
            for element in receiver.elements[receiver.place :]:
                _check(receiver)
                apply(run, given[0], [element], request)
            run.memory.assign(receiver, "place", len(receiver.elements))
            return NULL
    return None


def _check(receiver: IteratorValue) -> None:
    if receiver.source is not None and receiver.source.version is not receiver.version:
        if receiver.source.version is None or receiver.version is None:
            raise NotKnown
        if receiver.source.kind in ("Queue", "Deque"):
            raise NotKnown
        throw("ConcurrentModificationException")


def _move(run: Run, receiver: IteratorValue, place: int, last: int | None) -> None:
    run.memory.assign(receiver, "place", place)
    run.memory.assign(receiver, "last", last)


def _changeable(receiver: IteratorValue) -> ListValue:
    source = receiver.source
    if source is None or source.kind in IMMUTABLE or (isinstance(source, View) and source.write is None):
        throw("UnsupportedOperationException")
    return source


def _iterator_remove(run: Run, receiver: IteratorValue, request: Call) -> Value:
    source = _changeable(receiver)
    if source.kind == "FixedList":
        throw("UnsupportedOperationException")
    if receiver.last is None:
        throw("IllegalStateException")
    _check(receiver)
    gone, elements = receiver.elements[receiver.last], sure(source.elements)
    place = receiver.last
    if place >= len(elements) or elements[place] is not gone:
        place = next((i for i, element in enumerate(elements) if same_element(element, gone)), -1)
    if place < 0:
        raise NotKnown
    replace(run, source, (*elements[:place], *elements[place + 1 :]))
    run.memory.assign(
        receiver, "elements", (*receiver.elements[: receiver.last], *receiver.elements[receiver.last + 1 :])
    )
    run.memory.assign(receiver, "version", source.version)
    _move(run, receiver, receiver.place - (receiver.last < receiver.place), None)
    return NULL


def same_element(left: Value, right: Value) -> bool:
    """The same object; entries of a map are the same where their keys are."""
    if isinstance(left, EntryValue) and isinstance(right, EntryValue):
        return left.parts[0][1] is right.parts[0][1]
    return left is right


def _iterator_write(run: Run, receiver: IteratorValue, name: str, value: Value) -> Value:
    source = _changeable(receiver)
    _check(receiver)
    elements = source.elements
    if elements is None or not equality.is_list(source):
        raise NotKnown
    if name == "set":
        if receiver.last is None:
            throw("IllegalStateException")
        new = (*elements[: receiver.last], value, *elements[receiver.last + 1 :])
        replace(run, source, new, structural=False)
        run.memory.assign(receiver, "elements", new)
        return NULL
    if source.kind == "FixedList":
        throw("UnsupportedOperationException")
    new = (*elements[: receiver.place], value, *elements[receiver.place :])
    replace(run, source, new)
    run.memory.assign(receiver, "elements", new)
    run.memory.assign(receiver, "version", source.version)
    _move(run, receiver, receiver.place + 1, None)
    return NULL
