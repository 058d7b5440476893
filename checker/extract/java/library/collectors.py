"""``java.util.stream.Collectors``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from checker.extract.java.library import contents, maps
from checker.extract.java.library.contents import NotKnown
from checker.extract.java.library.function_objects import apply, test
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    ListValue,
    MapValue,
    Value,
    boolean,
    is_null,
)
from checker.extract.java.syntax.class_index import External

Fold = Callable[[Run, Sequence[Value], Call], Value]


class Collector(ExternalObject):
    """A collector, as a function of all elements."""

    __slots__ = ("accept", "finish")

    def __init__(self, finish: Fold, accept: Callable[[Run, Value, Call], list[Value]] | None = None) -> None:
        ExternalObject.__init__(self, External(("java.util.stream.Collector",)))
        self.finish, self.accept = finish, accept


def collect(run: Run, collector: Value, values: Iterator[Value], call: Call) -> Value | None:
    """``stream.collect(collector)``: what a collector does to each element is done as it comes."""
    if not isinstance(collector, Collector):
        return None
    found: list[Value] = []
    for value in values:
        found.extend(_accepted(run, collector, boxed(value), call))
        if len(found) > contents.MAX_ELEMENTS:
            raise NotKnown
    return collector.finish(run, found, call)


def _accepted(run: Run, collector: Collector, value: Value, call: Call) -> list[Value]:
    return collector.accept(run, value, call) if collector.accept is not None else [value]


def static(run: Run, name: str, given: Sequence[Value]) -> Value | None:
    """``Collectors.name(...)``."""
    made = _made(run, name, given)
    if made is not None:
        made.arguments, made.calls = tuple(given), ((name, ()),)
    return made


def _made(run: Run, name: str, given: Sequence[Value]) -> Collector | None:
    match name, len(given):
        case "toList", 0:
            return Collector(lambda run, found, call: ListValue(tuple(found), "List"))
        case "toUnmodifiableList", 0:
            return Collector(lambda run, found, call: ListValue(tuple(found), "Immutable"))
        case (("toSet" | "toUnmodifiableSet"), 0):
            kind = "HashSet" if name == "toSet" else "RandomSet"
            return Collector(lambda run, found, call: _filled(run, ListValue((), kind), found, call))
        case "toCollection", 1:
            return Collector(lambda run, found, call: _filled(run, apply(run, given[0], [], call), found, call))
        case "joining", 0 | 1 | 2 | 3:
            return Collector(lambda run, found, call: _joined(run, found, given))
        case "counting", 0:
            return Collector(lambda run, found, call: Constant(len(found), "Long"))
        case "mapping", 2:
            return _after(given[1], lambda run, value, call: [apply(run, given[0], [value], call)])
        case "collectingAndThen", 2:
            inner = _inner(given[0])
            return Collector(
                lambda run, found, call: apply(run, given[1], [inner.finish(run, found, call)], call), inner.accept
            )
        case "partitioningBy", 1 | 2:
            return Collector(lambda run, found, call: _partitioned(run, found, given, call))
        case "groupingBy", 1 | 2 | 3:
            return Collector(lambda run, found, call: _grouped(run, found, given, call))
        case (("toMap" | "toUnmodifiableMap"), 2 | 3 | 4):
            return Collector(lambda run, found, call: _to_map(run, found, given, name, call))
    return None


def _inner(value: Value) -> Collector:
    if not isinstance(value, Collector):
        raise NotKnown
    return value


def _after(value: Value, first: Callable[[Run, Value, Call], list[Value]]) -> Collector:
    inner = _inner(value)

    def accept(run: Run, value: Value, call: Call) -> list[Value]:
        return [got for element in first(run, value, call) for got in _accepted(run, inner, element, call)]

    return Collector(inner.finish, accept)


def _filled(run: Run, target: Value, found: Sequence[Value], call: Call) -> Value:
    if not isinstance(target, ListValue):
        raise NotKnown
    if target.kind == "RandomSet":
        return ListValue(contents.added_all(run, ListValue((), "Set"), found, call), "RandomSet")
    for value in found:
        run.interpreter.invoke(target, call.having(name="add", arguments=[value]))
    return target


def _joined(run: Run, found: Sequence[Value], given: Sequence[Value]) -> Value:

    around = [value.text for value in given if isinstance(value, Constant)]
    if len(around) != len(given):
        raise NotKnown
    glue, prefix, suffix = (*around, "", "", "")[:3]
    return operators.joined(run, [operators.as_text(run, value) for value in found], glue, prefix, suffix)


def _partitioned(run: Run, found: Sequence[Value], given: Sequence[Value], call: Call) -> Value:
    inner = _inner(given[1]) if len(given) > 1 else _inner(static(run, "toList", ()) or NULL)
    sides: dict[bool, list[Value]] = {False: [], True: []}
    for value in found:
        verdict = test(run, given[0], [value], call)
        sides[verdict].extend(_accepted(run, inner, value, call))
    entries = tuple((boxed(boolean(side)), inner.finish(run, values, call)) for side, values in sides.items())
    return MapValue(entries, "insertion")


def _grouped(run: Run, found: Sequence[Value], given: Sequence[Value], call: Call) -> Value:
    inner = _inner(given[-1]) if len(given) > 1 else _inner(static(run, "toList", ()) or NULL)
    result: Value = apply(run, given[1], [], call) if len(given) == 3 else MapValue((), "hash")
    if not isinstance(result, MapValue):
        raise NotKnown
    groups: list[tuple[Value, list[Value]]] = []
    for value in found:
        key = apply(run, given[0], [value], call)
        if is_null(key):
            throw("NullPointerException", "element cannot be mapped to a null key")
        place = contents.place_of(run, tuple(known for known, _ in groups), key, call)
        if place is None:
            groups.append((key, []))
            place = len(groups) - 1
        groups[place][1].extend(_accepted(run, inner, value, call))
    for key, values in groups:
        place = maps.find(run, result, key, call)
        entries = contents.sure(result.entries)
        made = (key, inner.finish(run, values, call))
        maps.replace(run, result, (*entries, made) if place is None else entries)
    return result


def _to_map(run: Run, found: Sequence[Value], given: Sequence[Value], name: str, call: Call) -> Value:
    result: Value = apply(run, given[3], [], call) if len(given) == 4 else MapValue((), "hash")
    if not isinstance(result, MapValue):
        raise NotKnown
    for element in found:
        key, value = apply(run, given[0], [element], call), apply(run, given[1], [element], call)
        if is_null(value):
            throw("NullPointerException")
        contents.sure(result.entries)
        place = maps.find(run, result, key, call)
        if place is not None and len(given) == 2:
            throw("IllegalStateException")
        if len(given) == 2:
            run.interpreter.invoke(result, call.having(name="put", arguments=[key, value]))
        else:
            run.interpreter.invoke(result, call.having(name="merge", arguments=[key, value, given[2]]))
    if name == "toUnmodifiableMap":
        return MapValue(result.entries, "random", immutable=True)
    return result
