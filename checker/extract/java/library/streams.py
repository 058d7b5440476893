"""``java.util.stream``: lazy, element by element, as Java runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from checker.extract.java.library import collectors
from checker.extract.java.library.contents import (
    MAX_ELEMENTS,
    Elements,
    NotKnown,
    in_order,
    known,
    place_of,
    sort,
    sure,
    varargs,
)
from checker.extract.java.library.function_objects import apply, test
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import LimitSignal, throw
from checker.extract.java.machine.numbers import boxed, unboxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    IteratorValue,
    ListValue,
    OptionalValue,
    Value,
    boolean,
    is_null,
    string,
)

Pull = Callable[[Run, Call], Iterator[Value]]


class JavaStream(ListValue):
    """A stream that nothing has pulled from yet. ``primitive`` is ``int``, ``long``, ``double`` or empty."""

    __slots__ = ("parts", "primitive", "pull")

    def __init__(self, pull: Pull, primitive: str = "", parts: Sequence[Value] = ()) -> None:
        ListValue.__init__(self, (), "Stream")
        self.pull, self.primitive, self.parts = pull, primitive, tuple(parts)

    @property
    def contents(self) -> tuple[Value, ...]:
        """What it depends on: its source, and the functions that run when elements are pulled."""
        return tuple(v for part in self.parts for v in (part.contents if isinstance(part, JavaStream) else (part,)))

    def value(self, value: Value) -> Value:
        """An element as this stream hands it out."""
        if not self.primitive:
            return boxed(value)
        value = unboxed(value)
        return numbers.convert(value, self.primitive) if isinstance(value, Constant) else value


def of(source: ListValue, primitive: str = "") -> ListValue:
    """The stream of a collection."""
    if source.elements is None:
        return ListValue(None, "Stream", source.unknown, source.depends)

    def pull(run: Run, call: Call) -> Iterator[Value]:
        yield from sure(in_order(run, source, call))

    return JavaStream(pull, primitive, (source,))


def of_values(values: Sequence[Value], primitive: str = "") -> JavaStream:
    """A stream of some values."""
    return JavaStream(lambda run, call: iter([*values]), primitive, values)


def elements(run: Run, stream: JavaStream, call: Call) -> Elements:
    """All elements of a stream, computed now."""
    found: list[Value] = []
    for value in stream.pull(run, call):
        found.append(stream.value(value))
        if len(found) > MAX_ELEMENTS:
            raise LimitSignal(f"a stream of more than {MAX_ELEMENTS:,} elements")
    return tuple(found)


_KINDS: Final = {"Int": "int", "Long": "long", "Double": "double", "Obj": ""}
_OPTIONALS: Final = {"": "Optional", "int": "OptionalInt", "long": "OptionalLong", "double": "OptionalDouble"}


def call(run: Run, receiver: JavaStream, request: Call) -> Value | None:
    """A method of a stream; None where it is not modelled."""
    name, given = request.name, request.arguments
    made = _between(run, receiver, name, given)
    if made is None:
        return _terminal(run, receiver, name, given, request)
    made.parts = (receiver, string(name), *given)
    return made


def _between(run: Run, receiver: JavaStream, name: str, given: Sequence[Value]) -> JavaStream | None:
    source, primitive = receiver, receiver.primitive

    def mapped(target: str) -> JavaStream:
        return JavaStream(
            lambda run, call: (apply(run, given[0], [source.value(v)], call) for v in source.pull(run, call)), target
        )

    match name, len(given):
        case "map", 1:
            return mapped(primitive)
        case (("mapToObj" | "mapToInt" | "mapToLong" | "mapToDouble"), 1):
            return mapped(_KINDS[name.removeprefix("mapTo")])
        case "boxed", 0:
            return JavaStream(lambda run, call: (source.value(v) for v in source.pull(run, call)))
        case (("sequential" | "parallel" | "unordered" | "onClose"), _):
            return JavaStream(source.pull, primitive)
        case "filter", 1:
            return JavaStream(
                lambda run, call: (v for v in source.pull(run, call) if test(run, given[0], [source.value(v)], call)),
                primitive,
            )
        case (("flatMap" | "flatMapToInt"), 1):
            target = "int" if name == "flatMapToInt" else primitive
            return JavaStream(lambda run, call: _flat(run, source, given[0], call), target)
        case "distinct", 0:
            return JavaStream(lambda run, call: _distinct(run, source, call), primitive)
        case "sorted", 0 | 1:
            order = given[0] if given else None
            return JavaStream(
                lambda run, call: iter(sort(run, [boxed(v) for v in elements(run, source, call)], order, call)),
                primitive,
            )
    return None


def _flat(run: Run, source: JavaStream, function: Value, call: Call) -> Iterator[Value]:
    for value in source.pull(run, call):
        inner = run.settle(apply(run, function, [source.value(value)], call))
        if is_null(inner):
            continue
        if not isinstance(inner, JavaStream):
            raise NotKnown
        yield from (inner.value(v) for v in inner.pull(run, call))


def _distinct(run: Run, source: JavaStream, call: Call) -> Iterator[Value]:
    seen: list[Value] = []
    for value in source.pull(run, call):
        if place_of(run, tuple(seen), boxed(value), call) is None:
            seen.append(boxed(value))
            yield value


def _terminal(run: Run, receiver: JavaStream, name: str, given: Sequence[Value], request: Call) -> Value | None:
    primitive = receiver.primitive
    pulled = (receiver.value(value) for value in receiver.pull(run, request))
    match name, len(given):
        case (("forEach" | "forEachOrdered"), 1):
            for value in pulled:
                apply(run, given[0], [value], request)
            return NULL
        case (("toList" | "toArray"), _):
            found = elements(run, receiver, request)
            return ListValue(found, "Immutable") if name == "toList" else ListValue(found, "array")
        case "iterator", 0:
            return IteratorValue(elements(run, receiver, request))
        case "collect", 1:
            return collectors.collect(run, given[0], pulled, request)
        case (("anyMatch" | "allMatch" | "noneMatch"), 1):
            for value in pulled:
                if test(run, given[0], [value], request) is (name != "allMatch"):
                    return boolean(name == "anyMatch")
            return boolean(name != "anyMatch")
        case (("findFirst" | "findAny"), 0):
            first = next(pulled, None)
            if first is not None and is_null(first):
                throw("NullPointerException")
            return OptionalValue(first, _OPTIONALS[primitive])
    return None


Handler = Callable[[Run, str, list[Value], Call], Value | None]


def static(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    """A static method of ``Stream``. Raises NotKnown."""
    match name, len(given):
        case "empty", 0:
            return of_values(())
        case "of", _:
            return of_values(known(varargs(given)))
    return None


def of_numbers(primitive: str) -> Handler:
    """The static methods of ``IntStream`` and its like. They raise NotKnown."""

    def handler(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
        if name in ("range", "rangeClosed") and len(given) == 2:
            low, high = (sure(whole(value)) for value in given)
            if high - low > 10_000:
                raise NotKnown
            end = high + (name == "rangeClosed")
            return of_values([Constant(i, primitive) for i in range(low, end)], primitive)
        made = static(run, name, given, call)
        if isinstance(made, JavaStream):
            made.primitive = primitive
        return made

    return handler
