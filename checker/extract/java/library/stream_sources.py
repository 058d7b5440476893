"""Static methods that make streams."""

from __future__ import annotations

from collections.abc import Callable

from checker.extract.java.library import streams
from checker.extract.java.library.contents import NotKnown, known, sure, varargs
from checker.extract.java.library.streams import JavaStream
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.numbers import whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, Value, is_null

Handler = Callable[[Run, str, list[Value], Call], Value | None]


def static(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    """A static method of ``Stream``. Raises NotKnown."""
    match name, len(given):
        case "empty", 0:
            return streams.of_values(())
        case "ofNullable", 1:
            return streams.of_values(() if is_null(given[0]) else given)
        case "of", _:
            return streams.of_values(known(varargs(given)))
        case "concat", 2:
            pair = [run.settle(value) for value in given]
            if not all(isinstance(value, JavaStream) for value in pair):
                raise NotKnown
            first, second = (value for value in pair if isinstance(value, JavaStream))
            return JavaStream(
                lambda run, call: (v for stream in (first, second) for v in stream.pull(run, call)), first.primitive
            )
    return None


def numbers(primitive: str) -> Handler:
    """The static methods of ``IntStream`` and its like. They raise NotKnown."""

    def handler(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
        if name in ("range", "rangeClosed") and len(given) == 2:
            low, high = (sure(whole(value)) for value in given)
            if high - low > 10_000:
                raise NotKnown
            end = high + (name == "rangeClosed")
            return streams.of_values([Constant(i, primitive) for i in range(low, end)], primitive)
        made = static(run, name, given, call)
        if isinstance(made, JavaStream):
            made.primitive = primitive
        return made

    return handler
