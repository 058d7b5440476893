"""``java.util.stream``: lazy, element by element, as Java runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

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
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import LimitSignal, throw
from checker.extract.java.machine.numbers import boxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ListValue,
    OptionalValue,
    Value,
    boolean,
    is_null,
    string,
)

Pull = Callable[[Run, Call], Iterator[Value]]


class JavaStream(ListValue):
    """A stream that nothing has pulled from yet."""

    __slots__ = ("parts", "pull")

    def __init__(self, pull: Pull, parts: Sequence[Value] = ()) -> None:
        ListValue.__init__(self, (), "Stream")
        self.pull, self.parts = pull, tuple(parts)

    @property
    def contents(self) -> tuple[Value, ...]:
        """What it depends on: its source, and the functions that run when elements are pulled."""
        return tuple(v for part in self.parts for v in (part.contents if isinstance(part, JavaStream) else (part,)))


def of(source: ListValue) -> ListValue:
    """The stream of a collection."""
    if source.elements is None:
        return ListValue(None, "Stream", source.unknown, source.depends)

    def pull(run: Run, call: Call) -> Iterator[Value]:
        yield from map(boxed, sure(in_order(source)))

    return JavaStream(pull, (source,))


def of_values(values: Sequence[Value]) -> JavaStream:
    """A stream of some values."""
    return JavaStream(lambda run, call: map(boxed, values), values)


def elements(run: Run, stream: JavaStream, call: Call) -> Elements:
    """All elements of a stream, computed now."""
    found: list[Value] = []
    for value in stream.pull(run, call):
        found.append(value)
        if len(found) > MAX_ELEMENTS:
            raise LimitSignal(f"a stream of more than {MAX_ELEMENTS:,} elements")
    return tuple(found)


def call(run: Run, receiver: JavaStream, request: Call) -> Value | None:
    """A method of a stream; None where it is not modelled."""
    name, given = request.name, request.arguments
    made = _between(run, receiver, name, given)
    if made is None:
        return _terminal(run, receiver, name, given, request)
    made.parts = (receiver, string(name), *given)
    return made


def _between(run: Run, source: JavaStream, name: str, given: Sequence[Value]) -> JavaStream | None:
    match name, len(given):
        case (("map" | "mapToObj" | "mapToInt"), 1):
            return JavaStream(lambda run, call: (apply(run, given[0], [v], call) for v in source.pull(run, call)))
        case (("boxed" | "sequential" | "parallel" | "unordered"), 0):
            return JavaStream(source.pull)
        case "filter", 1:
            return JavaStream(
                lambda run, call: (v for v in source.pull(run, call) if test(run, given[0], [v], call)),
            )
        case "flatMap", 1:
            return JavaStream(lambda run, call: _flat(run, source, given[0], call))
        case "distinct", 0:
            return JavaStream(lambda run, call: _distinct(run, source, call))
        case "sorted", 0:
            return JavaStream(lambda run, call: iter(sort(elements(run, source, call))))
    return None


def _flat(run: Run, source: JavaStream, function: Value, call: Call) -> Iterator[Value]:
    for value in source.pull(run, call):
        inner = run.settle(apply(run, function, [value], call))
        if is_null(inner):
            continue
        if not isinstance(inner, JavaStream):
            raise NotKnown
        yield from inner.pull(run, call)


def _distinct(run: Run, source: JavaStream, call: Call) -> Iterator[Value]:
    seen: list[Value] = []
    for value in source.pull(run, call):
        if place_of(run, tuple(seen), value, call) is None:
            seen.append(value)
            yield value


def _terminal(run: Run, receiver: JavaStream, name: str, given: Sequence[Value], request: Call) -> Value | None:
    pulled = receiver.pull(run, request)
    match name, len(given):
        case (("forEach" | "forEachOrdered"), 1):
            for value in pulled:
                apply(run, given[0], [value], request)
            return NULL
        case (("toList" | "toArray"), _):
            found = elements(run, receiver, request)
            return ListValue(found, "Immutable") if name == "toList" else ListValue(found, "array")
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
            return OptionalValue(first)
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


def of_numbers(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    """A static method of ``IntStream``. Raises NotKnown."""
    if name not in ("range", "rangeClosed") or len(given) != 2:
        return static(run, name, given, call)
    low, high = (sure(whole(value)) for value in given)
    end = high + (name == "rangeClosed")
    if end - low > MAX_ELEMENTS:
        raise NotKnown
    return of_values([Constant(i, "int") for i in range(low, end)])
