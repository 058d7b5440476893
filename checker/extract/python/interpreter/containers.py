"""Collections that a script builds: their elements, and what code from outside may have done to them."""

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from checker.extract.interpreting.bounds import MAX_ELEMENTS
from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError, of_python, stopped
from checker.extract.python.interpreter.values import Bound, Class, Guarded, Instance, Opaque, Value, unknown
from checker.model.unknowns import Cause, Location, Unknown

_MAX_VISITED = 2_000
_PLAIN = frozenset({int, float, bool, str, bytes, type(None)})


def changed_of(run: Run, collection: Value, reason: Unknown) -> None:
    """The elements of a collection are not known from here on."""
    run.changed[id(collection)] = (collection, reason)


def current(run: Run, collection: Value) -> Value:
    """A collection, or an unknown value where its elements may have been changed by somebody."""
    changed = run.changed.get(id(collection))
    return collection if changed is None else Opaque(changed[1])


def changed_inside(run: Run, *values: Value) -> Unknown | None:
    """Why a collection among values, or inside of them, may have been changed by somebody."""
    if not run.changed:
        return None
    changed = (run.changed.get(id(item)) for item in inside(*values))
    return next((change[1] for change in changed if change is not None), None)


class Unordered(set[Any]):
    """A set as Python keeps it, whose order differs from run to run unless it holds numbers only."""

    def __iter__(self) -> Iterator[Any]:
        if len(self) > 1 and not all(type(element) is int for element in set.__iter__(self)):
            raise UnclearError(Unknown("the order of a set is different in every run", Cause.NON_DETERMINISTIC))
        return set.__iter__(self)

    def pop(self) -> Any:
        """An element."""
        iter(self)
        return set.pop(self)


class UnorderedConstant(frozenset[Any]):
    """The same of a ``frozenset``."""

    def __iter__(self) -> Iterator[Any]:
        return iter(Unordered(frozenset.__iter__(self)))


def guarded_sets(item: Value) -> Value:
    """A set that Python made as one whose order is not known."""
    if type(item) is set:
        return Unordered(item)
    return UnorderedConstant(item) if type(item) is frozenset else item


def without_order(item: Value) -> Value:
    """A set as a list in some order, for functions to which the order does not matter."""
    if isinstance(item, Unordered):
        return list(set.__iter__(item))
    return list(frozenset.__iter__(item)) if isinstance(item, UnorderedConstant) else item


def elements(run: Run, collection: Value, place: Location) -> Iterator[Value] | Opaque:
    """The elements as a loop meets them, or why they are not known. Raises RaiseSignal for what has none."""
    content = current(run, collection)
    if isinstance(content, Opaque):
        return content
    if isinstance(content, Class) and (constants := content.constants()) is not None:
        content = constants
    if isinstance(content, Guarded) and not isinstance(content, Instance):
        return unknown("an unknown collection", Cause.COLLECTION, place)
    try:
        return _met(run, iter(content), place)
    except UnclearError as unclear:
        return Opaque(replace(unclear.unknown, location=unclear.unknown.location or place))
    except TypeError as error:
        raise of_python(error) from None


def _met(run: Run, items: Iterator[Value], place: Location) -> Iterator[Value]:
    while True:
        run.limits.steps -= 1
        if run.limits.steps < 0:
            raise stopped("the script takes too many steps to be followed", Cause.LIMIT, place)
        try:
            item = next(items)
        except StopIteration:
            return
        except (RuntimeError, TypeError, ValueError) as error:
            raise of_python(error) from None
        yield item


def all_elements(run: Run, collection: Value, place: Location) -> list[Value] | Opaque:
    """All elements at once; unknown where there are too many."""
    items = elements(run, collection, place)
    if isinstance(items, Opaque):
        return items
    found: list[Value] = []
    try:
        for item in items:
            found.append(item)
            if len(found) > MAX_ELEMENTS:
                return unknown("a collection that is too long", Cause.LIMIT, place)
    except UnclearError as unclear:
        if holds_flink(found):
            raise
        return Opaque(unclear.unknown)
    return found


def inside(*values: Value) -> Iterator[Value]:
    """Values and what they hold, objects of the repository too, without texts and numbers inside; bounded."""
    pending, seen = list(values), set[int]()
    while pending and len(seen) < _MAX_VISITED:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, dict):
            pending.extend(_objects(item.values()))
        elif isinstance(item, list | tuple | deque):
            pending.extend(_objects(item))
        elif isinstance(item, set | frozenset):
            pending.extend(_objects(without_order(item)))
        elif isinstance(item, Instance):
            pending.extend(item.attributes.values())
        elif isinstance(item, Bound):
            pending.append(item.owner)


def _objects(parts: Collection[Value]) -> list[Value]:
    """What of the parts of a collection may hold something, or stand for something else."""
    if _PLAIN.issuperset(map(type, parts)):
        return []
    return [part for part in parts if type(part) not in _PLAIN]


def holds_flink(*values: Value) -> bool:
    """Whether a stream, sink or environment is among values or inside of them."""
    return any(isinstance(item, FLINK_OBJECTS) for item in inside(*values))
