"""``StringBuilder``."""

from __future__ import annotations

from collections.abc import Sequence

from checker.extract.interpreting.bounds import MAX_TEXT
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
        case "reverse", 0:
            new: Value = string(text[::-1], content.depends)
        case (("insert" | "setCharAt" | "setLength" | "deleteCharAt" | "delete" | "replace"), _) if places[0] is None:
            return _on_unknown(run, receiver, request)
        case "insert", 2:
            if not 0 <= known[0] <= len(text):
                throw("StringIndexOutOfBoundsException", f"offset {known[0]}, length {len(text)}")
            parts = [string(text[: known[0]], content.depends), given[1], string(text[known[0] :])]
            new = operators.concat(run, parts, site)
        case "setLength", 1:
            if known[0] < 0:
                throw("StringIndexOutOfBoundsException")
            if known[0] > MAX_TEXT:
                return _on_unknown(run, receiver, request)
            new = string(text[: known[0]].ljust(known[0], "\0"), content.depends)
        case "deleteCharAt", 1:
            _check(known[0], text)
            new = string(text[: known[0]] + text[known[0] + 1 :], content.depends)
        case "setCharAt", 2 if isinstance(given[1], Constant):
            _check(known[0], text)
            new = string(text[: known[0]] + given[1].text + text[known[0] + 1 :], content.depends)
        case (("delete" | "replace"), 2 | 3) if len(known) >= 2 or (len(known) == 2 and len(given) == 3):
            low, high = known[0], min(known[1], len(text))
            if low < 0 or low > len(text) or low > high:
                throw("StringIndexOutOfBoundsException", f"start {low}, end {high}, length {len(text)}")
            middle = given[2] if name == "replace" else string("")
            new = operators.concat(run, [string(text[:low], content.depends), middle, string(text[high:])], site)
        case _:
            return _on_unknown(run, receiver, request) if name in _CHANGES else None
    run.memory.assign(receiver, "content", new)
    return receiver if name not in ("setLength", "setCharAt") else NULL


_CHANGES = frozenset(
    {"reverse", "insert", "setCharAt", "setLength", "deleteCharAt", "delete", "replace", "appendCodePoint", "append"}
)


def _check(place: int, text: str) -> None:
    if not 0 <= place < len(text):
        throw("StringIndexOutOfBoundsException", f"index {place},length {len(text)}")


def _on_unknown(run: Run, receiver: Builder, request: Call) -> Value:
    unknown = unknown_of(receiver.content) or Unknown(
        "a text that is not known", Cause.OTHER, None, run.location(request.site)
    )
    if request.name in _CHANGES:
        run.memory.assign(receiver, "content", Opaque(unknown, run.fresh("text")))
        return receiver
    return Opaque(unknown, run.fresh(request.name))
