"""What an iteration over a value meets: in loops, and in calls that take any collection."""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.java.library import streams
from checker.extract.java.library.contents import Elements, NotKnown, in_order, sure
from checker.extract.java.library.streams import JavaStream
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import IteratorValue, ListValue, OptionalValue, Value, is_null


def elements_of(run: Run, value: Value, site: Site) -> Elements | None:
    """The elements that an iteration over a value meets now, None where they are not known."""
    try:
        return ordered(run, value, Call("iterator", [], site))
    except NotKnown:
        return None


def ordered(run: Run, value: Value, call: Call) -> Elements | None:
    """The same in the course of a call. Raises NotKnown, too."""
    if isinstance(value, JavaStream):
        return streams.elements(run, value, call)
    if isinstance(value, ListValue):
        return in_order(run, value, call)
    if isinstance(value, IteratorValue):
        return value.elements[value.place :]
    if isinstance(value, OptionalValue):
        return (value.value,) if value.value is not None else ()
    return None


def rounds(run: Run, value: Value, site: Site) -> Iterator[Value] | None:
    """What a loop over a value meets, round by round; None where that is not known.

    A list that changes meanwhile throws as its iterator does; an array shows its changes.
    """
    elements = elements_of(run, value, site)
    if elements is None:
        return None
    return _rounds(value, elements)


def _rounds(value: Value, elements: Elements) -> Iterator[Value]:
    source = value if isinstance(value, ListValue) and value.kind not in ("CopyList", "Stream") else None
    version = source.version if source is not None else None
    for place, element in enumerate(elements):
        now = source.elements if source is not None else None
        if source is not None and source.kind in ("array", "args"):
            yield now[place] if now is not None and place < len(now) else element
            continue
        if source is not None and source.version is not version:
            if now is not None and len(now) == place and source.kind in ("List", "LinkedList"):
                return
            _changed(source)
        yield element
    if source is not None and source.version is not version and source.kind in ("List", "LinkedList", "Deque"):
        now = source.elements
        if now is None or len(now) != len(elements):
            _changed(source)


def _changed(source: ListValue) -> None:
    if source.version is not None and source.kind not in ("Deque", "Queue"):
        throw("ConcurrentModificationException")


def every(run: Run, value: Value, call: Call) -> Elements:
    """All elements of what a call is given. Throws for null; raises NotKnown."""
    value = run.settle(value)
    if is_null(value):
        throw("NullPointerException")
    return sure(ordered(run, value, call))
