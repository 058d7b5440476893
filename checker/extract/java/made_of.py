"""What an unknown value is made of, as a text: equal in two revisions that make it alike.

A symbol is unique within one run; the counters in it (``value#7``) say nothing about another run.
"""

from __future__ import annotations

import re

from checker.extract.java.parse import text
from checker.extract.java.values import (
    Choice,
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    ListValue,
    MethodRef,
    Opaque,
    Value,
    short,
)
from checker.model.topology import Cause

_DEPTH = 5
_COUNTER = re.compile(r"#\d+")
_OUTSIDE = frozenset({Cause.ARGUMENT, Cause.EXTERNAL, Cause.CONNECTOR, Cause.BRANCH, Cause.COLLECTION})
"""Causes whose values come from outside of the program: what it makes of them is all it adds."""


def made_of(value: Value, cause: Cause) -> str | None:
    """The expression that gives the value; None where code that was not followed has a part in it."""
    described = described_as(value)
    if _COUNTER.search(described) and cause not in _OUTSIDE:
        return None
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
        return short(f"{value.symbol} ? {{{options}}}")
    if isinstance(value, ExternalObject):
        parts = [_call(value.type.simple, value.arguments, depth)]
        parts += [_call(name, given, depth) for name, given in value.calls]
        return short(".".join(parts))
    if isinstance(value, ListValue) and value.elements is not None:
        return short(f"[{', '.join(described_as(e, depth + 1) for e in value.elements)}]")
    if isinstance(value, Lambda):
        return short(re.sub(r"\s+", " ", text(value.node)))
    if isinstance(value, MethodRef):
        return f"{described_as(value.target, depth + 1)}::{value.name}"
    if isinstance(value, Instance):
        return value.decl.qualified_name + (f".{value.name}" if value.name else "")
    return type(value).__name__


def _call(name: str, given: tuple[Value, ...], depth: int) -> str:
    return f"{name}({', '.join(described_as(value, depth + 1) for value in given)})"
