"""Operators on values, as Python computes them, with bounds on what they may grow to."""

from __future__ import annotations

import ast
import operator as python_operators
from collections.abc import Callable
from typing import Any

from checker.extract.python.flink_api import tables
from checker.extract.python.flink_api.streams import TableObject
from checker.extract.python.interpreter.containers import changed_of, current
from checker.extract.python.interpreter.python_calls import perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.text_formats import filled_by_percent, named, text_parts
from checker.extract.python.interpreter.values import (
    Arguments,
    External,
    Opaque,
    Value,
    first_opaque,
    unknown,
)
from checker.model.unknowns import Cause, Location

_BINARY: dict[type[ast.operator], tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    ast.Add: (python_operators.add, python_operators.iadd),
    ast.Sub: (python_operators.sub, python_operators.isub),
    ast.Mult: (python_operators.mul, python_operators.imul),
    ast.FloorDiv: (python_operators.floordiv, python_operators.ifloordiv),
    ast.Mod: (python_operators.mod, python_operators.imod),
    ast.Div: (python_operators.truediv, python_operators.itruediv),
    ast.Pow: (python_operators.pow, python_operators.ipow),
    ast.BitOr: (python_operators.or_, python_operators.ior),
    ast.BitAnd: (python_operators.and_, python_operators.iand),
    ast.BitXor: (python_operators.xor, python_operators.ixor),
    ast.LShift: (python_operators.lshift, python_operators.ilshift),
    ast.RShift: (python_operators.rshift, python_operators.irshift),
}
"""Operator → what computes it, and what ``a += b`` does."""
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: python_operators.eq,
    ast.NotEq: python_operators.ne,
    ast.Lt: python_operators.lt,
    ast.LtE: python_operators.le,
    ast.Gt: python_operators.gt,
    ast.GtE: python_operators.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: python_operators.neg,
    ast.UAdd: python_operators.pos,
    ast.Invert: python_operators.invert,
}
_TURNED = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}
_CHANGEABLE = (list, dict, set)


def binary(run: Run, op: ast.operator, left: Value, right: Value, place: Location, *, in_place: bool = False) -> Value:
    """``left op right``; ``in_place`` for ``left op= right``, which may change what is on the left."""
    if isinstance(op, ast.Mod) and isinstance(left, str):
        right = tuple(map(named, right)) if isinstance(right, tuple) else named(right)
    if isinstance(left, TableObject) or isinstance(right, TableObject):
        made = tables.operator(run, op, left, right, place)
        return unknown("an operation on a table that is not followed", Cause.OTHER, place) if made is None else made
    changes = in_place and isinstance(left, _CHANGEABLE)
    opaque = first_opaque(current(run, left), current(run, right))
    if isinstance(op, ast.Add) and opaque is not None and (parts := text_parts([left, right])):
        return Opaque(opaque.unknown, parts=parts)
    if isinstance(op, ast.Mod) and isinstance(left, str):
        filled = filled_by_percent(run, left, right, place) if _holds_unknown(right) else None
        if filled is not None:
            return filled
    if opaque is not None or isinstance(left, External) or isinstance(right, External):
        reason = opaque.unknown if opaque else unknown("an operation that is not followed", at=place).unknown
        if changes:
            changed_of(run, left, reason)
            return left
        return Opaque(reason)
    found = perform(run, _BINARY[type(op)][in_place], Arguments([left, right], {}), place)
    if changes and isinstance(found, Opaque):
        changed_of(run, left, found.unknown)
        return left
    return found


def _holds_unknown(right: Value) -> bool:
    inner = right.values() if isinstance(right, dict) else right if isinstance(right, tuple) else (right,)
    return first_opaque(*inner) is not None


def negated(run: Run, op: ast.unaryop, operand: Value, place: Location) -> Value:
    """``-a``, ``+a`` and ``~a``."""
    return perform(run, _UNARY[type(op)], Arguments([operand], {}), place)


def compare(run: Run, op: ast.cmpop, left: Value, right: Value, place: Location) -> Value:
    """``left op right`` for one comparison."""
    if isinstance(left, TableObject) or isinstance(right, TableObject):
        made = tables.operator(run, op, left, right, place)
        if made is not None:
            return made
    opaque = first_opaque(left, right)
    if opaque is not None:
        return _unknown_comparison(op, left, right, opaque)
    if isinstance(op, ast.Is | ast.IsNot):
        return _identical(left, right, isinstance(op, ast.Is), place)
    if left is None or right is None:
        operand = right if left is None else left
        if isinstance(op, ast.Eq | ast.NotEq) and isinstance(operand, External):
            return _identical(left, right, isinstance(op, ast.Eq), place)
    if isinstance(right, range) and isinstance(op, ast.In | ast.NotIn):
        if not isinstance(left, int):
            return unknown("cannot tell whether something is in a range", Cause.OTHER, place)
        return (left in right) is isinstance(op, ast.In)
    return perform(run, _COMPARE[type(op)], Arguments([left, right], {}), place)


def _identical(left: Value, right: Value, positive: bool, place: Location) -> Value:
    if left is right:
        return positive
    if left is None or right is None:
        operand = right if left is None else left
        outside = isinstance(operand, External) and not operand.path.startswith("pyflink.")
        return unknown("a value from outside", at=place) if outside else not positive  # a call may have given nothing
    if isinstance(left, External) and isinstance(right, External) and not (left.called or right.called):
        if left.path == right.path:
            return positive
        return (
            unknown("cannot tell whether two names mean one object", at=place)
            if left.simple == right.simple
            else not positive
        )
    doubtful = (str, int, float, bytes, tuple, frozenset, External)
    if isinstance(left, doubtful) and isinstance(right, doubtful) and not isinstance(left, bool):
        return unknown("cannot tell whether two values are one object", at=place)
    return not positive


def _unknown_comparison(op: ast.cmpop, left: Value, right: Value, opaque: Opaque) -> Opaque:
    """The comparison is named by what it compares, so that the same question gets the same answer."""
    parts = []
    for operand in (left, right):
        if isinstance(operand, Opaque):
            parts.append(operand.symbol)
        elif isinstance(operand, str | int | float | bool | type(None)):
            parts.append(repr(operand)[:60])
        else:
            parts.append("")
    if not all(parts):
        return Opaque(opaque.unknown)
    positive = _TURNED.get(type(op))
    name = f"{parts[0]} {(positive or type(op)).__name__} {parts[1]}"
    return Opaque(opaque.unknown, name, negated=positive is not None)
