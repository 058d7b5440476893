"""Operators and conversions on plain values, with bounds on what they may grow to."""

from __future__ import annotations

import ast
import operator as python_operators
import re
from collections.abc import Callable
from typing import Any

from checker.extract.python.interpreter.signals import raised
from checker.extract.python.interpreter.values import PLAIN, External, Function, Opaque, Value, first_opaque, unknown
from checker.model.topology import Cause, Location

MAX_LENGTH = 100_000
_MAX_BITS = 4_096
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: python_operators.add,
    ast.Sub: python_operators.sub,
    ast.Mult: python_operators.mul,
    ast.FloorDiv: python_operators.floordiv,
    ast.Mod: python_operators.mod,
    ast.Div: python_operators.truediv,
    ast.Pow: python_operators.pow,
    ast.BitOr: python_operators.or_,
    ast.BitAnd: python_operators.and_,
    ast.BitXor: python_operators.xor,
    ast.LShift: python_operators.lshift,
    ast.RShift: python_operators.rshift,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: python_operators.eq,
    ast.NotEq: python_operators.ne,
    ast.Lt: python_operators.lt,
    ast.LtE: python_operators.le,
    ast.Gt: python_operators.gt,
    ast.GtE: python_operators.ge,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_TURNED = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}
_WIDE = re.compile(r"\d{4,}|\{[^{}]*\{")


def binary(op: ast.operator, left: Value, right: Value, place: Location) -> Value:
    """``left op right``."""
    opaque = first_opaque(left, right)
    if opaque is not None:
        return Opaque(opaque.unknown)
    function = _BINARY.get(type(op))
    if function is None or not isinstance(left, PLAIN) or not isinstance(right, PLAIN):
        return unknown("an operation that is not followed", Cause.OTHER, place)
    if isinstance(op, ast.Mod) and unclear(right):
        part = first_inside(right)
        return Opaque(part.unknown) if part else unknown("a text with a part that is not known", Cause.OTHER, place)
    if _too_long(op, left, right):
        return unknown("a value that is too long", Cause.LIMIT, place)
    try:
        return function(left, right)
    except ZeroDivisionError:
        raise raised("ZeroDivisionError") from None
    except (TypeError, ValueError, KeyError, OverflowError, MemoryError):
        return unknown("an operation that fails", Cause.OTHER, place)


def _too_long(op: ast.operator, left: Value, right: Value) -> bool:
    sizes = [v if isinstance(v, int) else len(v) if hasattr(v, "__len__") else 1 for v in (left, right)]
    numbers = isinstance(left, int) and isinstance(right, int)
    if isinstance(op, ast.Mult) and not numbers:
        return sizes[0] * sizes[1] > MAX_LENGTH
    if isinstance(op, ast.Mult):
        return bool(left.bit_length() + right.bit_length() > _MAX_BITS)
    if isinstance(op, ast.Pow | ast.LShift):
        return not numbers or abs(right) > _MAX_BITS or max(left.bit_length(), 1) * abs(right) > _MAX_BITS
    if isinstance(op, ast.Mod) and isinstance(left, str | bytes):
        return not isinstance(left, str) or too_wide(left) or "*" in left
    return isinstance(op, ast.Add) and not numbers and sum(sizes) > MAX_LENGTH


def too_wide(template: str) -> bool:
    """Whether a format may ask for a text of any length."""
    return _WIDE.search(template) is not None


def compare(op: ast.cmpop, left: Value, right: Value, place: Location) -> Value:
    """``left op right`` for one comparison."""
    opaque = first_opaque(left, right)
    if opaque is not None:
        return _unknown_comparison(op, left, right, opaque)
    if not isinstance(left, PLAIN) or not isinstance(right, PLAIN):
        if isinstance(op, ast.In | ast.NotIn) and isinstance(right, list | tuple) and not isinstance(left, PLAIN):
            found = any(left is one for one in right)
            return found is isinstance(op, ast.In) if found else unknown("whether an object is in a list", at=place)
        if isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            negative = isinstance(op, ast.IsNot | ast.NotEq)
            if left is right:
                return not negative
            if left is None or right is None:
                other = right if left is None else left
                return unknown("a value from outside", at=place) if _may_be_none(other) else negative
        return unknown("a comparison that is not followed", Cause.OTHER, place)
    if isinstance(right, range) and isinstance(op, ast.In | ast.NotIn) and not isinstance(left, int):
        return unknown("whether something is in a range", Cause.OTHER, place)
    if unclear(left, right):
        return _unclear_comparison(op, left, right, place)
    try:
        return bool(_COMPARE[type(op)](left, right))
    except (TypeError, ValueError, RecursionError):
        return unknown("a comparison that fails", Cause.OTHER, place)


def unclear(*values: Value) -> bool:
    """Whether a collection holds, at any depth, what is no plain value."""
    pending, seen = [one for one in values if isinstance(one, list | tuple | dict)], set[int]()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        for part in one.values() if isinstance(one, dict) else one:
            if not isinstance(part, PLAIN):
                return True
            if isinstance(part, list | tuple | dict):
                pending.append(part)
    return False


def first_inside(held: Value) -> Opaque | None:
    """The first value in a collection that is not known."""
    parts = held.values() if isinstance(held, dict) else held if isinstance(held, list | tuple) else ()
    return first_opaque(*parts)


def _unclear_comparison(op: ast.cmpop, left: Value, right: Value, place: Location) -> Value:
    positive = isinstance(op, ast.In | ast.Eq | ast.Is)
    if isinstance(op, ast.Is | ast.IsNot):
        return (left is right) is positive
    if isinstance(op, ast.In | ast.NotIn) and isinstance(left, str | int | float | bool | type(None)):
        if isinstance(right, dict):
            return (left in right) is positive
        if any(isinstance(one, PLAIN) and one == left for one in right):
            return positive
        if not any(isinstance(one, Opaque | External) for one in right):
            return not positive
    opaque = first_inside(left) or first_inside(right)
    return Opaque(opaque.unknown) if opaque else unknown("a comparison that is not followed", Cause.OTHER, place)


def _may_be_none(other: Value) -> bool:
    """A class or function is something; what came out of a call from outside may be nothing."""
    return isinstance(other, External) and not isinstance(other, Function) and not other.path.startswith("pyflink.")


def _unknown_comparison(op: ast.cmpop, left: Value, right: Value, opaque: Opaque) -> Opaque:
    """The comparison is named by what it compares, so that the same question gets the same answer."""
    parts = []
    for one in (left, right):
        if isinstance(one, Opaque):
            parts.append(one.name)
        elif isinstance(one, str | int | float | bool | type(None)):
            parts.append(repr(one)[:60])
        else:
            parts.append("")
    if not all(parts):
        return Opaque(opaque.unknown)
    positive = _TURNED.get(type(op))
    name = f"{parts[0]} {(positive or type(op)).__name__} {parts[1]}"
    return Opaque(opaque.unknown, f"not {name}" if positive else name)


def formatted(held: Value, conversion: int, template: Value, place: Location) -> Value:
    """One part of an f-string."""
    if isinstance(held, Opaque):
        return held
    if isinstance(template, Opaque):
        return template
    if not isinstance(held, str | int | float | bool | type(None) | list | tuple | dict):
        return unknown("a text that is not known", at=place)
    if too_wide(template) or (isinstance(held, list | tuple | dict) and len(held) > 1000):
        return unknown("a text that is too long", Cause.LIMIT, place)
    if isinstance(held, list | tuple | dict) and not all(
        isinstance(one, str | int | float | bool | type(None))
        for one in (held.values() if isinstance(held, dict) else held)
    ):
        return unknown("a text that is not known", at=place)
    shown = repr(held) if conversion == ord("r") else ascii(held) if conversion == ord("a") else held
    if conversion == ord("s"):
        shown = str(held)
    try:
        return format(shown, template)
    except (TypeError, ValueError):
        return unknown("a text whose format fails", at=place)
