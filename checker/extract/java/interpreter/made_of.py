"""What an unknown value is made of, as a text: equal in two revisions that make it alike.

A symbol is unique within one run; the counters in it (``value#7``) say nothing about another run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from checker.extract.java.interpreter.values import (
    Choice,
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    Value,
    short,
)
from checker.extract.java.syntax.parse import text
from checker.extract.unread_code import NEEDS_CODE
from checker.model.topology import Cause

_DEPTH = 12
_MANY = 60
_COUNTER = re.compile(r"#\d+")
_UNDESCRIBED = re.compile(r"(?<![)\]}])#\d+")
"""A counter on a name that does not say what the value was made of."""
_OUTSIDE = frozenset({Cause.ARGUMENT, Cause.EXTERNAL, Cause.CONNECTOR, Cause.BRANCH, Cause.COLLECTION})
"""Causes whose values come from outside of the program: what it makes of them is all it adds."""


def made_of(value: Value, cause: Cause) -> str:
    """The expression that gives the value; ``NEEDS_CODE`` where code that was not followed has a part in it."""
    described = described_as(value)
    if _UNDESCRIBED.search(described) or (_COUNTER.search(described) and cause not in _OUTSIDE):
        return NEEDS_CODE
    return _COUNTER.sub("", described)


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
        return short(f"{_COUNTER.sub('', value.symbol)} ? {{{options}}}")
    if isinstance(value, ExternalObject):
        if "(" in value.symbol:  # as it was before what it was given went out of sight
            return short(value.symbol + told_to(value, depth))
        parts = [_call(value.type.simple, value.arguments, depth) + told_to(value, depth)]
        parts += [_call(name, given, depth) for name, given in value.calls]
        return short(".".join(parts))
    if isinstance(value, ListValue) and value.elements is not None:
        return short(f"[{_listed(value.elements, depth)}]")
    if isinstance(value, MapValue) and value.entries is not None:
        return short(f"{{{_listed([part for entry in value.entries for part in entry], depth)}}}")
    if isinstance(value, Lambda):
        return short(re.sub(r"\s+", " ", text(value.node)))
    if isinstance(value, MethodRef):
        return f"{described_as(value.target, depth + 1)}::{value.name}"
    if isinstance(value, Instance):
        fields = ", ".join(
            f"{name}: {described_as(held, depth + 1)}" for name, held in list(value.fields.items())[:_MANY]
        )
        return short(f"{value.decl.qualified_name}{'.' + value.name if value.name else ''}{{{fields}}}")
    return type(value).__name__


def told_to(value: ExternalObject, depth: int = 0) -> str:
    """What a library object was told in calls of its own."""
    return "".join(f"[{_call(name, given, depth)}]" for name, given in value.told)


def _listed(values: Sequence[Value], depth: int) -> str:
    described = [described_as(value, depth + 1) for value in values[:_MANY]]
    return ", ".join((*described, f"and {len(values) - _MANY} more") if len(values) > _MANY else described)


def _call(name: str, given: tuple[Value, ...], depth: int) -> str:
    return f"{name}({', '.join(described_as(value, depth + 1) for value in given)})"
