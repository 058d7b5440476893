"""``java.util.stream``: lazy, element by element, as Java runs them; and what an iteration over any value meets."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from checker.extract.java.library.contents import (
    MAX_ELEMENTS,
    Elements,
    NotKnown,
    added_all,
    apply,
    in_order,
    known,
    place_of,
    sort,
    sure,
    test,
    varargs,
)
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import LimitSignal, throw
from checker.extract.java.machine.numbers import boxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    ListValue,
    MapValue,
    OptionalValue,
    Value,
    boolean,
    is_null,
    string,
)
from checker.extract.java.syntax.class_index import External

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
            return ListValue(found, "List" if name == "toList" else "array")
        case "collect", 1:
            return _collected(run, receiver, given[0], request)
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


def collector(external: External, call: Call) -> Value | None:
    """``Collectors.name(...)``, which ``collect`` looks into; None for others."""
    known = call.name in _COLLECTORS and len(call.arguments) in _COLLECTORS[call.name]
    return ExternalObject(external, (), ((call.name, tuple(call.arguments)),)) if known else None


_COLLECTORS: Final = {"toList": (0,), "toSet": (0,), "toMap": (2,), "joining": (0, 1, 2, 3)}
"""How many arguments they have."""


def _collected(run: Run, receiver: JavaStream, collector: Value, call: Call) -> Value | None:
    """``collect`` by one of ``Collectors``; None for others."""
    if not isinstance(collector, ExternalObject) or collector.type.simple != "Collectors" or len(collector.calls) != 1:
        return None
    ((name, given),) = collector.calls
    around = [value.text for value in given if isinstance(value, Constant)]
    match name, len(given):
        case "toList", 0:
            return ListValue(elements(run, receiver, call))
        case "toSet", 0:
            return ListValue(added_all(run, ListValue((), "HashSet"), elements(run, receiver, call), call), "HashSet")
        case "joining", count if count == len(around):
            glue, prefix, suffix = (*around, "", "", "")[:3]
            texts = [operators.as_text(run, value) for value in elements(run, receiver, call)]
            return operators.joined(run, texts, glue, prefix, suffix)
        case "toMap", 2:
            made: Value = MapValue((), "hash")
            for element in receiver.pull(run, call):
                entry = [apply(run, function, [element], call) for function in given]
                run.interpreter.invoke(made, call.having(name="put", arguments=entry))
            return made
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


# -- iterations ----------------------------------------------------------------------------------------------------


def elements_of(run: Run, value: Value, site: Site) -> Elements | None:
    """The elements that an iteration over a value meets now, None where they are not known."""
    try:
        return ordered(run, value, Call("iterator", [], site))
    except NotKnown:
        return None


def ordered(run: Run, value: Value, call: Call) -> Elements | None:
    """The same in the course of a call. Raises NotKnown, too."""
    if isinstance(value, JavaStream):
        return elements(run, value, call)
    if isinstance(value, ListValue):
        return in_order(value)
    if isinstance(value, OptionalValue):
        return (value.value,) if value.value is not None else ()
    return None


def rounds(run: Run, value: Value, site: Site) -> Iterator[Value] | None:
    """What a loop over a value meets, round by round; None where that is not known. An array shows its changes."""
    elements = elements_of(run, value, site)
    return None if elements is None else map(partial(_now, value), range(len(elements)), elements)


def _now(source: Value, place: int, element: Value) -> Value:
    """An element as it is when a loop comes to it."""
    if not isinstance(source, ListValue) or source.kind not in ("array", "args") or source.elements is None:
        return element
    return source.elements[place] if place < len(source.elements) else element


def every(run: Run, value: Value, call: Call) -> Elements:
    """All elements of what a call is given. Throws for null; raises NotKnown."""
    value = run.settle(value)
    if is_null(value):
        throw("NullPointerException")
    return sure(ordered(run, value, call))
