"""Operators on values, as Python computes them, with bounds on what they may grow to.

Texts with places that are filled in: ``str.format``, ``%`` and f-strings.

A text that holds values which are not known keeps the known texts around them (``Opaque.parts``): much can be told of a
statement of SQL whose topic is not known.
"""

import ast
import operator as python_operators
import string
from collections.abc import Callable
from itertools import count
from typing import Any

from checker.extract.python.flink_api import tables
from checker.extract.python.flink_api.streams import TableObject
from checker.extract.python.interpreter.containers import changed_of, current
from checker.extract.python.interpreter.python_calls import perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import raised
from checker.extract.python.interpreter.values import Arguments, External, Opaque, Value, first_opaque, unknown
from checker.model.unknowns import Cause, Location, Unknown

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
        return tables.operator(run, op, left, right, place)
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
    identity = isinstance(op, ast.Is | ast.IsNot)
    if not identity and (isinstance(left, TableObject) or isinstance(right, TableObject)):
        return tables.operator(run, op, left, right, place)
    opaque = first_opaque(left, right)
    if opaque is not None:
        return _unknown_comparison(op, left, right, opaque)
    if identity:
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


_MAX_PARTS = 200
_CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("a"): ascii, ord("s"): str}


def text_parts(parts: list[Value]) -> tuple[str | Opaque, ...]:
    """The known and unknown texts that a text is joined of; none where a part is not a text, or there are too many."""
    found: list[str | Opaque] = []
    for part in parts:
        if isinstance(part, Opaque):
            found.extend(part.parts or (part,))
        elif isinstance(part, str):
            found.append(part)
        else:
            return ()
    return tuple(found) if len(found) <= _MAX_PARTS else ()


def named(value: Value) -> Value:
    """What stands for a value in a text: for a table the name that Flink gives it then, others for themselves.

    Source: ``Table.__str__`` of PyFlink, ``TableImpl.toString`` of Flink.
    """
    if isinstance(value, TableObject) and value.role == "Table":
        return Opaque(Unknown("the name that Flink gives a table", Cause.EXTERNAL), name_of=value)
    return value


def joined(parts: list[Value]) -> Value:
    """The text of some parts, of which some may not be known."""
    opened = first_opaque(*parts)
    return "".join(parts) if opened is None else Opaque(opened.unknown, parts=text_parts(parts))


def formatted(run: Run, item: Value, conversion: int, specification: Value, place: Location) -> Value:
    """One value in a text; ``conversion`` is as in ``ast.FormattedValue``."""
    item = named(item)
    if isinstance(item, Opaque):
        return item
    if isinstance(specification, Opaque):
        return specification
    if conversion in _CONVERSIONS:
        item = perform(run, _CONVERSIONS[conversion], Arguments([item], {}), place)
    return perform(run, format, Arguments([item, specification], {}), place)


def filled(run: Run, template: str, given: Arguments, place: Location) -> Value:
    """``template.format(...)`` with values of which some are not known. Raises RaiseSignal as Python does."""
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError as error:
        raise raised("ValueError", str(error)) from None
    parts: list[Value] = []
    numbers = count()
    values = {**{str(place): value for place, value in enumerate(given.positional)}, **given.keywords}
    for text, name, specification, conversion in fields:
        parts.append(text)
        if name is None:
            continue
        key = name or str(next(numbers))
        if not key.isidentifier() and not key.isdecimal():  # it looks into the value
            return unknown("a text whose format is not followed", Cause.LIMIT, place)
        if key not in values and "**" not in given.keywords:
            raise raised("IndexError" if key.isdecimal() else "KeyError", key)
        item = current(run, values.get(key, given.keywords.get("**")))
        parts.append(formatted(run, item, ord(conversion) if conversion else -1, specification or "", place))
    return joined(parts)


def filled_by_percent(run: Run, template: str, right: Value, place: Location) -> Value | None:
    """``template % right`` where some values are not known; None where it holds more than ``%s``."""
    given = right if isinstance(right, tuple) else (right,)
    first, *others = template.split("%s")
    if template.count("%") != len(others) or len(given) != len(others):
        return None
    parts: list[Value] = [first]
    for item, text in zip(given, others, strict=True):
        parts += [formatted(run, current(run, item), -1, "", place), text]
    return joined(parts)
