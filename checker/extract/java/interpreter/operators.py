"""Unary and binary operators on values, with Java's integer arithmetic."""

from __future__ import annotations

import math

from checker.extract.java.flink_api.flink_values import EnvValue, StreamValue
from checker.extract.java.interpreter.call_record import Site
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
    Choice,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    Opaque,
    Value,
    boolean,
    choose,
    depends_of,
    is_null,
    short,
    string,
)
from checker.model.topology import Cause

MAX_TEXT = 100_000
_BITS = {"int": 32, "long": 64}


def wrap(value: int, java: str) -> int:
    """Two's complement overflow of int and long."""
    bits = _BITS.get(java, 32)
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def as_text(run: Run, value: Value) -> Value:
    """The String that a value becomes in a concatenation."""
    if isinstance(value, Constant):
        return string(value.text, value.depends)
    if isinstance(value, Choice):
        return choose(
            value.symbol, tuple((outcome, as_text(run, option)) for outcome, option in value.options), value.unknown
        )
    from checker.extract.java.interpreter import calls

    return calls.to_string(run, value)


def concat(run: Run, parts: list[Value], site: Site | None) -> Value:
    """String concatenation."""
    texts = [as_text(run, part) for part in parts]
    if all(isinstance(part, Constant) for part in texts):
        joined = "".join(part.text for part in texts if isinstance(part, Constant))
        if len(joined) > MAX_TEXT:
            return run.opaque(f"a text of more than {MAX_TEXT:,} characters", Cause.LIMIT, site)
        return string(joined, depends_of(*texts))
    choices = [part for part in texts if isinstance(part, Choice)]
    if len(choices) == 1 and all(isinstance(part, Constant | Choice) for part in texts):
        choice = choices[0]
        place = next(i for i, part in enumerate(texts) if part is choice)
        options = tuple(
            (outcome, concat(run, [*texts[:place], option, *texts[place + 1 :]], site))
            for outcome, option in choice.options
        )
        return choose(choice.symbol, options, choice.unknown)
    symbols = [part.symbol if isinstance(part, Opaque | Choice) else repr(part.text) for part in texts
               if isinstance(part, Opaque | Choice | Constant)]  # fmt: skip
    symbol = short(" + ".join(symbols)) if len(symbols) == len(texts) else None
    return run.opaque("a text that is not known", Cause.OTHER, site, symbol=symbol, of=tuple(texts))


def binary(run: Run, operator: str, left: Value, right: Value, site: Site) -> Value:
    """A binary operator other than ``&&`` and ``||``."""
    if operator == "+" and (_is_text(left) or _is_text(right)):
        return concat(run, [left, right], site)
    if operator in ("==", "!="):
        return _equality(run, operator, left, right, site)
    for value, other, swapped in ((left, right, False), (right, left, True)):
        if isinstance(value, Choice) and isinstance(other, Constant):
            options: list[tuple[int | bool, Value]] = []
            for outcome, option in value.options:
                first, second = (other, option) if swapped else (option, other)
                options.append((outcome, binary(run, operator, first, second, site)))
            return choose(value.symbol, tuple(options), value.unknown)
    if isinstance(left, Constant) and isinstance(right, Constant):
        result = _arithmetic(operator, left, right)
        if result is not None:
            return result
    symbol = _symbol(operator, left, right)
    return run.opaque("a value that is not known", Cause.OTHER, site, symbol=symbol, of=(left, right))


def _symbol(operator: str, left: Value, right: Value) -> str | None:
    parts = [
        value.symbol if isinstance(value, Opaque | Choice) else repr(value.value)
        for value in (left, right)
        if isinstance(value, Opaque | Choice | Constant)
    ]
    return short(f"{parts[0]} {operator} {parts[1]}") if len(parts) == 2 else None


def _is_text(value: Value) -> bool:
    if isinstance(value, Constant):
        return value.java == "String" or (value.java == "null")
    if isinstance(value, Choice):
        return any(_is_text(option) for _, option in value.options)
    if isinstance(value, Opaque):
        return value.type is not None and getattr(value.type, "simple", "") == "String"
    return isinstance(value, Instance | ExternalObject)


def _equality(run: Run, operator: str, left: Value, right: Value, site: Site) -> Value:
    same = identical(left, right)
    if same is not None:
        return boolean(same if operator == "==" else not same, depends_of(left, right))
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Choice):
            options = tuple(
                (outcome, _equality(run, operator, option, other, site)) for outcome, option in value.options
            )
            return choose(value.symbol, options, value.unknown)
    symbol = _symbol("==", left, right)
    result = run.opaque("a comparison that can't be evaluated", Cause.BRANCH, site, symbol=symbol, of=(left, right))
    if operator == "!=":
        return Opaque(result.unknown, result.symbol, result.type, result.depends, negated=True)
    return result


def identical(left: Value, right: Value) -> bool | None:
    """Whether ``left == right``, None where that is not known."""
    if isinstance(left, Opaque) and isinstance(right, Opaque):
        return True if left.symbol == right.symbol and left.negated == right.negated else None
    if isinstance(left, Opaque | Choice) or isinstance(right, Opaque | Choice):
        return None
    if is_null(left) or is_null(right):
        return is_null(left) and is_null(right)
    if isinstance(left, Constant) and isinstance(right, Constant):
        if left.java == right.java == "String" and left.value == right.value and (left.depends or right.depends):
            return None  # equal texts, but not both literals: perhaps two objects
        return left.value == right.value
    if isinstance(left, ClassLiteral) and isinstance(right, ClassLiteral):
        return left.type == right.type and left.ref == right.ref
    if isinstance(left, ExternalObject) and isinstance(right, ExternalObject):
        if left is right or (left.symbol and left.symbol == right.symbol):
            return True
        return None
    if isinstance(left, StreamValue | EnvValue | Instance) or isinstance(right, StreamValue | EnvValue | Instance):
        return left is right
    return left is right or None


def _arithmetic(operator: str, left: Constant, right: Constant) -> Value | None:
    depends = left.depends | right.depends
    a, b = left.value, right.value
    if isinstance(a, bool) and isinstance(b, bool):
        logical = {"&": a and b, "|": a or b, "^": a != b}
        return boolean(logical[operator], depends) if operator in logical else None
    x, y = _number(left), _number(right)
    if x is None or y is None:
        return None
    comparisons = {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}
    if operator in comparisons:
        return boolean(comparisons[operator], depends)
    if isinstance(x, float) or isinstance(y, float):
        return _floating(operator, float(x), float(y), depends)
    java = "long" if "long" in (left.java, right.java) else "int"
    if operator in ("<<", ">>", ">>>"):
        java = "long" if left.java == "long" else "int"
    whole = _whole(operator, x, y, _BITS[java])
    return Constant(wrap(whole, java), java, depends) if whole is not None else None


def _number(constant: Constant) -> int | float | None:
    value = constant.value
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return ord(value) if constant.java == "char" and len(value) == 1 else None
    return value


def _floating(operator: str, x: float, y: float, depends: frozenset[str]) -> Value | None:
    try:
        results = {"+": x + y, "-": x - y, "*": x * y}
        if operator in results:
            return Constant(results[operator], "double", depends)
        if operator == "/" and y != 0:
            return Constant(x / y, "double", depends)
        if operator == "%" and y != 0:
            return Constant(math.fmod(x, y), "double", depends)
    except OverflowError:
        return None
    return None


def _whole(operator: str, x: int, y: int, bits: int) -> int | None:
    if operator in ("/", "%"):
        if y == 0:
            return None
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return quotient if operator == "/" else x - quotient * y
    shift = y & (bits - 1)
    results = {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}
    if operator in results:
        return results[operator]
    shifts = {"<<": x << shift, ">>": x >> shift, ">>>": (x & ((1 << bits) - 1)) >> shift}
    return shifts.get(operator)


def unary(run: Run, operator: str, value: Value, site: Site) -> Value:
    """A unary operator other than ``++`` and ``--``."""
    if isinstance(value, Choice):
        options = tuple((outcome, unary(run, operator, option, site)) for outcome, option in value.options)
        return choose(value.symbol, options, value.unknown)
    if operator == "!":
        value = run.as_condition(value)
        if isinstance(value, Constant) and isinstance(value.value, bool):
            return boolean(not value.value, value.depends)
        if isinstance(value, Opaque):
            return Opaque(value.unknown, value.symbol, value.type, value.depends, negated=not value.negated)
    if isinstance(value, Constant) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
        if operator == "-":
            negative = -value.value
            java = value.java
            return Constant(wrap(negative, java) if isinstance(negative, int) else negative, java, value.depends)
        if operator == "+":
            return value
        if operator == "~" and isinstance(value.value, int):
            return Constant(~value.value, value.java, value.depends)
    return run.opaque("a value that is not known", Cause.OTHER, site, of=(value,))
