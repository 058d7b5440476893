"""Collections that a script builds: their elements, and what code from outside may have done to them."""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Instance, Opaque, Partial, Value, unknown
from checker.model.topology import Cause, Location, Unknown

MAX_ELEMENTS = 100_000
_MAX_VISITED = 2_000


def changed_of(run: Run, collection: Value, reason: Unknown) -> None:
    """The elements of a collection are not known from here on."""
    run.changed[id(collection)] = (collection, reason)


def current(run: Run, collection: Value) -> Value:
    """A collection, or an unknown value where its elements may have been changed by somebody."""
    changed = run.changed.get(id(collection))
    return collection if changed is None else Opaque(changed[1])


def elements(run: Run, collection: Value, place: Location) -> list[Value] | range | Opaque:
    """The elements that a loop meets, or why they are not known."""
    held = current(run, collection)
    if isinstance(held, Opaque):
        return held
    if isinstance(held, set):
        if len(held) > 1 and not all(isinstance(one, int) for one in held):
            return unknown("the order of a set is another one in every run", Cause.NON_DETERMINISTIC, place)
        return sorted(held)
    if isinstance(held, range):
        return held
    if isinstance(held, list | tuple | dict | str):
        return list(held)
    return unknown("a collection that is not known", Cause.COLLECTION, place)


def inside(*values: Value) -> Iterator[Value]:
    """Values and what they hold, objects of the repository too; bounded."""
    pending, seen = list(values), set[int]()
    while pending and len(seen) < _MAX_VISITED:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, dict):
            pending.extend(one.values())
        elif isinstance(one, list | tuple):
            pending.extend(one)
        elif isinstance(one, Instance):
            pending.extend(one.attributes.values())
        elif isinstance(one, Partial):
            pending.extend((one.function, *one.positional, *(held for _, held in one.keywords)))


def holds_flink(*values: Value) -> bool:
    """Whether a stream, sink or environment is among values or inside of them."""
    return any(isinstance(one, FLINK_OBJECTS) for one in inside(*values))
