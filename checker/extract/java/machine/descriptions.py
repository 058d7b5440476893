"""What an unknown value is computed from, as a text: equal in two revisions that compute it alike.

A symbol is unique within one run; the counters in it (``value#7``) say nothing about another run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import EnvValue, Parameters, StreamValue
from checker.extract.java.machine.values import (
    MAX_SYMBOL,
    Builder,
    Choice,
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    Holder,
    Instance,
    IteratorValue,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Settings,
    TypeName,
    Value,
    short,
)
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import text
from checker.extract.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Unknown

_DEPTH = 12
_MANY = 60
_COUNTER = re.compile(r"#\d+")
_UNDESCRIBED = re.compile(r"(?<![)\]}])#\d+")
"""A counter on a name that does not say what the value was computed from."""
_INCOMPLETE = "#0"
"""Stands after a value of which nothing can be said: as a counter it means that the code counts."""
_OUTSIDE = frozenset({Cause.ARGUMENT, Cause.EXTERNAL, Cause.CONNECTOR, Cause.BRANCH, Cause.COLLECTION})
"""Causes whose values come from outside of the program: what it makes of them is all it adds."""


def expression_of(value: Value, cause: Cause) -> str:
    """The expression that gives the value; ``NEEDS_CODE`` where it depends on code that was not followed."""
    return expression_text(described_as(value), cause)


def expression_text(described: str, cause: Cause) -> str:
    """A description; ``NEEDS_CODE`` where it depends on code that was not followed."""
    if _UNDESCRIBED.search(described) or (_COUNTER.search(described) and cause not in _OUTSIDE):
        return NEEDS_CODE
    return _COUNTER.sub("", described)


def unknown_after(receiver: Value | None, call: Call, unknown: Unknown, made: str | None = None) -> Unknown:
    """Why a content is not known that a call gives or leaves: made of what was there, and of the call.

    ``made`` is what the call makes it of where a function that it is given was followed.
    """
    if made is None and any(isinstance(value, Lambda | MethodRef | Instance) for value in call.arguments):
        made = NEEDS_CODE
    before = f"{described_as(receiver)}." if receiver is not None else ""
    given = ", ".join(map(described_as, call.arguments))
    text = short(expression_text(f"{before}{call.name}({given})", unknown.cause))
    return replace(unknown, derived_from=made or text)


def complete_text(value: Value) -> str | None:
    """A value with all its parts, None where some of them are not known or do not fit into a text."""
    described = described_as(value)
    return None if _COUNTER.search(described) or "…" in described else described


def without_counters(symbol: str) -> str:
    """A symbol as it is in every reading of the same program."""
    return _COUNTER.sub("", symbol)


def described_as(value: Value, depth: int = 0) -> str:
    """The value with its parts, as far as they are known."""
    if isinstance(value, Constant):
        return repr(value.value)
    if isinstance(value, Opaque):
        return f"!{value.symbol}" if value.negated else value.symbol
    if depth >= _DEPTH:
        return "…"
    if isinstance(value, Choice):
        options = ", ".join(f"{outcome}: {described_as(option, depth + 1)}" for outcome, option in value.options)
        return shortened(f"{_COUNTER.sub('', value.symbol)} ? {{{options}}}")
    if isinstance(value, ExternalObject):
        if "(" in value.symbol:  # as it was before what it was given went out of sight
            return shortened(value.symbol + side_calls_text(value, depth))
        parts = [_call(value.type.simple, value.arguments, depth) + side_calls_text(value, depth)]
        parts += [_call(name, given, depth) for name, given in value.calls]
        return shortened(".".join(parts))
    if isinstance(value, ListValue) and value.kind == "Stream" and value.elements is not None:
        return shortened(f"stream({_listed(getattr(value, 'parts', ()), depth)})")
    if isinstance(value, ListValue) and value.elements is not None:
        return shortened(f"[{_listed(value.elements, depth)}]")
    if isinstance(value, MapValue) and value.entries is not None:
        return shortened(f"{{{_listed([part for entry in value.entries for part in entry], depth)}}}")
    if isinstance(value, Lambda):
        return shortened(re.sub(r"\s+", " ", text(value.node)))
    if isinstance(value, MethodRef):
        return f"{described_as(value.target, depth + 1)}::{value.name}"
    if isinstance(value, Instance):
        fields = ", ".join(
            f"{name}: {described_as(content, depth + 1)}" for name, content in list(value.fields.items())[:_MANY]
        )
        return shortened(f"{value.decl.qualified_name}{'.' + value.name if value.name else ''}{{{fields}}}")
    if isinstance(value, ListValue | MapValue) and value.unknown is not None:
        if isinstance(value, ListValue) and value.kind == "args":
            return "args"
        if value.unknown.derived_from is not None and value.unknown.derived_from != NEEDS_CODE:
            return f"({value.unknown.derived_from})"
    if isinstance(value, EntryValue):
        return f"({_listed([part for _, part in value.parts], depth)})"
    if isinstance(value, Builder):
        return described_as(value.content, depth + 1)
    if isinstance(value, Holder):
        return described_as(value.value, depth + 1)
    if isinstance(value, OptionalValue):
        return f"Optional({described_as(value.value, depth + 1) if value.value is not None else ''})"
    if isinstance(value, TypeName):
        return value.type.qualified_name if isinstance(value.type, ClassDecl) else value.type.name
    if isinstance(value, ClassLiteral):
        return f"{value.ref}.class"
    if isinstance(value, IteratorValue):
        content = described_as(value.source, depth + 1) if value.source is not None else ""
        return f"iterator({_listed(value.elements or (), depth)}, {value.place}, {content})"
    if isinstance(value, Parameters):
        return f"{value.symbol}{{{', '.join(f'{key}: {found}' for key, found in value.entries)}}}"
    if isinstance(value, Settings):
        return f"settings{{{', '.join(f'{k}: {described_as(v, depth + 1)}' for k, v in value.values.items())}}}"
    if isinstance(value, StreamValue | EnvValue):
        return type(value).__name__  # the graph shows the rest
    return f"{type(value).__name__}{_INCOMPLETE}"


def shortened(described: str) -> str:
    """The description, or a digest of a long one, which says in both cases whether counters stand in it."""
    if len(described) <= MAX_SYMBOL or not _COUNTER.search(described):
        return short(described)
    mark = _INCOMPLETE if _UNDESCRIBED.search(described) else f"){_INCOMPLETE}"
    return short(_COUNTER.sub("", described)) + mark


def side_calls_text(value: ExternalObject, depth: int = 0) -> str:
    """The calls on a library object whose results were discarded."""
    return "".join(f"[{_call(name, given, depth)}]" for name, given in value.side_calls)


def _listed(values: Sequence[Value], depth: int) -> str:
    described = [described_as(value, depth + 1) for value in values[:_MANY]]
    return ", ".join((*described, f"and {len(values) - _MANY} more") if len(values) > _MANY else described)


def _call(name: str, given: tuple[Value, ...], depth: int) -> str:
    return f"{name}({', '.join(described_as(value, depth + 1) for value in given)})"
