"""What an iteration over a value meets: in loops, by iterators, and in calls that take any collection.

A collection that changes while it is iterated over is not known: most throw then, which a deployed program does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.java.library import streams
from checker.extract.java.library.contents import (
    Elements,
    NotKnown,
    in_order,
    sure,
    unchanged,
)
from checker.extract.java.library.streams import JavaStream
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    ListValue,
    OptionalValue,
    Value,
    is_null,
)


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
        return in_order(value)
    if isinstance(value, OptionalValue):
        return (value.value,) if value.value is not None else ()
    return None


def rounds(run: Run, value: Value, site: Site) -> Iterator[Value] | None:
    """What a loop over a value meets, round by round; None where that is not known. An array shows its changes."""
    elements = elements_of(run, value, site)
    return _rounds(value, elements) if elements is not None else None


def _rounds(value: Value, elements: Elements) -> Iterator[Value]:
    source = value if isinstance(value, ListValue) and value.kind != "Stream" else None
    version = source.version if source is not None else None
    for place, element in enumerate(elements):
        now = source.elements if source is not None else None
        if source is not None and source.kind in ("array", "args"):
            yield now[place] if now is not None and place < len(now) else element
            continue
        if source is not None:
            unchanged(source, version)
        yield element


def every(run: Run, value: Value, call: Call) -> Elements:
    """All elements of what a call is given. Throws for null; raises NotKnown."""
    value = run.settle(value)
    if is_null(value):
        throw("NullPointerException")
    return sure(ordered(run, value, call))
