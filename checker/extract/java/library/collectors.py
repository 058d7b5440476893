"""``java.util.stream.Collectors``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from checker.extract.java.library import contents, maps
from checker.extract.java.library.contents import NotKnown
from checker.extract.java.library.function_objects import apply
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, ListValue, MapValue, Value, is_null
from checker.extract.java.syntax.class_index import External

Fold = Callable[[Run, Sequence[Value], Call], Value]


class Collector(ExternalObject):
    """A collector, as a function of all elements."""

    __slots__ = ("finish",)

    def __init__(self, finish: Fold) -> None:
        ExternalObject.__init__(self, External(("java.util.stream.Collector",)))
        self.finish = finish


def collect(run: Run, collector: Value, values: Iterator[Value], call: Call) -> Value | None:
    """``stream.collect(collector)``."""
    if not isinstance(collector, Collector):
        return None
    found: list[Value] = []
    for value in values:
        found.append(boxed(value))
        if len(found) > contents.MAX_ELEMENTS:
            raise NotKnown
    return collector.finish(run, found, call)


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
        case (("toMap" | "toUnmodifiableMap"), 2 | 3 | 4):
            return Collector(lambda run, found, call: _to_map(run, found, given, name, call))
    return None


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
