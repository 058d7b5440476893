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
        case "toSet", 0:
            return Collector(lambda run, found, call: _set(run, found, call))
        case "joining", 0 | 1 | 2 | 3:
            return Collector(lambda run, found, call: _joined(run, found, given))
        case "toMap", 2:
            return Collector(lambda run, found, call: _to_map(run, found, given, call))
    return None


def _set(run: Run, found: Sequence[Value], call: Call) -> Value:
    target = ListValue((), "HashSet")
    target.elements = contents.added_all(run, target, found, call)
    return target


def _joined(run: Run, found: Sequence[Value], given: Sequence[Value]) -> Value:

    around = [value.text for value in given if isinstance(value, Constant)]
    if len(around) != len(given):
        raise NotKnown
    glue, prefix, suffix = (*around, "", "", "")[:3]
    return operators.joined(run, [operators.as_text(run, value) for value in found], glue, prefix, suffix)


def _to_map(run: Run, found: Sequence[Value], given: Sequence[Value], call: Call) -> Value:
    result = MapValue((), "hash")
    for element in found:
        key, value = apply(run, given[0], [element], call), apply(run, given[1], [element], call)
        if is_null(value):
            throw("NullPointerException")
        contents.sure(result.entries)
        if maps.find(run, result, key, call) is not None:
            throw("IllegalStateException")
        run.interpreter.invoke(result, call.having(name="put", arguments=[key, value]))
    return result
