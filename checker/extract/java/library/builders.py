"""``StringBuilder``."""

from __future__ import annotations

from collections.abc import Sequence

from checker.extract.java.library import strings
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Builder,
    Constant,
    ListValue,
    Opaque,
    Value,
    is_null,
    string,
    unknown_of,
)
from checker.model.unknowns import Cause, Unknown


def create(given: Sequence[Value]) -> Value:
    """``new StringBuilder(...)``."""
    if given and isinstance(given[0], Constant) and given[0].java != "String":
        if is_null(given[0]):
            throw("NullPointerException")
        return Builder(string(""))
    if given and isinstance(given[0], Builder):
        return Builder(given[0].content)
    return Builder(given[0] if given else string(""))


def call(run: Run, receiver: Builder, request: Call) -> Value | None:
    """A method of StringBuilder; None where it is not modelled."""
    name, given, site = request.name, request.arguments, request.site
    match name, len(given):
        case "append", 1:
            value = run.settle(given[0]) if not isinstance(given[0], Constant) else given[0]
            if isinstance(value, ListValue) and value.kind == "array":
                value = strings.static(run, "valueOf", request.having(arguments=[value])) or value
            run.memory.assign(receiver, "content", operators.concat(run, [receiver.content, value], site))
            return receiver
        case "toString", 0:
            return receiver.content
        case "equals", 1:
            return None
    content = receiver.content
    if not isinstance(content, Constant) or not isinstance(content.value, str):
        return _on_unknown(run, receiver, request)
    if name in ("length", "isEmpty", "charAt", "substring", "indexOf", "lastIndexOf", "subSequence", "chars"):
        return run.interpreter.invoke(content, request)
    places = [whole(value) for value in given]
    known = [place for place in places if place is not None]
    text = content.value
    match name, len(given):
        case "setLength", 1 if known and 0 <= known[0] <= len(text):
            new = string(text[: known[0]], content.depends)
        case "deleteCharAt", 1 if known and 0 <= known[0] < len(text):
            new = string(text[: known[0]] + text[known[0] + 1 :], content.depends)
        case _:
            return _on_unknown(run, receiver, request) if name in _CHANGES else None
    run.memory.assign(receiver, "content", new)
    return receiver if name != "setLength" else NULL


_CHANGES = frozenset(
    {"reverse", "insert", "setCharAt", "setLength", "deleteCharAt", "delete", "replace", "appendCodePoint", "append"}
)


def _on_unknown(run: Run, receiver: Builder, request: Call) -> Value:
    unknown = unknown_of(receiver.content) or Unknown(
        "a text that is not known", Cause.OTHER, None, run.location(request.site)
    )
    if request.name in _CHANGES:
        run.memory.assign(receiver, "content", Opaque(unknown, run.fresh("text")))
        return receiver
    return Opaque(unknown, run.fresh(request.name))
