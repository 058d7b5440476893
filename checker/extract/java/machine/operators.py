"""Unary and binary operators on values, with Java's integer arithmetic."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from checker.extract.interpreting.bounds import MAX_TEXT, OF_AN_ELEMENT, TOO_LONG
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import choose, described_as, short
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.numbers import constant, number, primitive
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    ListValue,
    Opaque,
    Value,
    boolean,
    is_null,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.type_refs import UNBOXED
from checker.model.unknowns import Cause

_MAX_PARTS = 200
_PRINTED_ALIKE = 1e-3, 1e7
"""Between these Java writes a double as Python does, and no float with more digits than needed."""


def as_text(run: Run, value: Value) -> Value:
    """The String that a value becomes in a concatenation."""
    if isinstance(value, Constant):
        if isinstance(value.value, float) and not _printed_alike(value):
            return run.opaque("how a number is written", Cause.UNSUPPORTED, None, of=(value,))
        return string(value.text)
    if isinstance(value, Choice):
        return choose(
            value.symbol, tuple((outcome, as_text(run, option)) for outcome, option in value.options), value.unknown
        )
    return run.interpreter.to_string(value)


def _printed_alike(value: Constant) -> bool:
    size = abs(value.value) if isinstance(value.value, float) else math.nan
    if size and not _PRINTED_ALIKE[0] <= size < _PRINTED_ALIKE[1]:
        return False
    return value.java in ("double", "Double") or size.is_integer()


def within_bounds(run: Run, made: Value, site: Site | None) -> Value:
    """What a call made, noted; unknown where it is a longer text than is held."""
    if isinstance(made, Constant) and isinstance(made.value, str):
        run.made(len(made.value) // OF_AN_ELEMENT)
        return made if len(made.value) <= MAX_TEXT else run.opaque(TOO_LONG, Cause.LIMIT, site)
    if type(made) is ListValue:
        run.made(len(made.elements or ()))
    return made


def concat(run: Run, parts: list[Value], site: Site | None) -> Value:
    """String concatenation."""
    texts = [as_text(run, part) for part in parts]
    if all(isinstance(part, Constant) for part in texts):
        known = [part.text for part in texts if isinstance(part, Constant)]
        size = sum(map(len, known))
        if size > MAX_TEXT:
            return run.opaque(TOO_LONG, Cause.LIMIT, site)
        run.made(size // OF_AN_ELEMENT)
        return string("".join(known))
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
    made = run.opaque("an unknown text", Cause.OTHER, site, symbol=symbol, of=tuple(texts))
    return replace(made, type=External(("java.lang.String",)), parts=_flat(texts))


def _flat(texts: list[Value]) -> tuple[Value, ...]:
    """The parts of a text, those of its parts in their place; none where there are too many."""
    found = [part for text in texts for part in (text.parts if isinstance(text, Opaque) and text.parts else (text,))]
    return tuple(found) if len(found) <= _MAX_PARTS else ()


def joined(run: Run, texts: Sequence[Value], glue: str, prefix: str, suffix: str) -> Value:
    """Texts with something between, before and after them."""
    parts: list[Value] = [string(prefix)]
    for place, value in enumerate(texts):
        if place:
            parts.append(string(glue))
        parts.append(value)
    return concat(run, [*parts, string(suffix)], None)


def binary(run: Run, operator: str, left: Value, right: Value, site: Site) -> Value:
    """A binary operator other than ``&&`` and ``||``."""
    if operator == "+" and (_is_text(left) or _is_text(right)):
        return concat(run, [left, right], site)
    if operator in ("==", "!="):
        return _equality(run, operator, left, right, site)
    for value, operand, swapped in ((left, right, False), (right, left, True)):
        if isinstance(value, Choice) and isinstance(operand, Constant):

            def step(option: Value, operand: Value = operand, swapped: bool = swapped) -> Value:
                return binary(run, operator, *((operand, option) if swapped else (option, operand)), site)

            found = run.on_each(value, step)
            assert found is not None
            return found
    if operator != "+" and (is_null(left) or is_null(right)):
        throw("NullPointerException")
    if isinstance(left, Constant) and isinstance(right, Constant):
        result = _arithmetic(operator, left, right)
        if result is not None:
            return result
    if operator in ("/", "%"):
        run.may_throw("ArithmeticException", right)
    symbol = _symbol(operator, left, right)
    result = run.opaque("an unknown value", Cause.OTHER, site, symbol=symbol, of=(left, right))
    if is_null(left) or is_null(right):
        run.may_throw("NullPointerException", result)  # unless the null is a text
    return result


def _symbol(operator: str, left: Value, right: Value) -> str | None:
    parts = [
        value.symbol if isinstance(value, Opaque | Choice) else repr(value.value)
        for value in (left, right)
        if isinstance(value, Opaque | Choice | Constant)
    ]
    return short(f"{parts[0]} {operator} {parts[1]}") if len(parts) == 2 else None


def _is_text(value: Value) -> bool:
    if isinstance(value, Constant):
        return value.java == "String"
    if isinstance(value, Choice):
        return any(_is_text(option) for _, option in value.options)
    if isinstance(value, Opaque):
        return value.type is not None and getattr(value.type, "simple", "") == "String"
    if isinstance(value, ExternalObject):
        return value.type.simple not in UNBOXED
    return True


def _equality(run: Run, operator: str, left: Value, right: Value, site: Site) -> Value:
    same = identical(left, right)
    if same is not None:
        return boolean(same if operator == "==" else not same)
    for value, operand in ((left, right), (right, left)):
        if isinstance(value, Choice):
            options = tuple(
                (outcome, _equality(run, operator, option, operand, site)) for outcome, option in value.options
            )
            return choose(value.symbol, options, value.unknown)
    symbol = _symbol("==", left, right)
    result = run.opaque("a comparison that is not evaluated", Cause.BRANCH, site, symbol=symbol, of=(left, right))
    return Opaque(result.unknown, result.symbol, _BOOLEAN, negated=operator == "!=")


_BOOLEAN = External(("java.lang.Boolean",))


def identical(left: Value, right: Value) -> bool | None:
    """Whether ``left == right``, None where that is not known."""
    if isinstance(left, Opaque) and isinstance(right, Opaque):
        return True if left.symbol == right.symbol and left.negated == right.negated else None
    if isinstance(left, Opaque | Choice) or isinstance(right, Opaque | Choice):
        return None
    if is_null(left) or is_null(right):
        return is_null(left) and is_null(right)
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _same_constants(left, right)
    if isinstance(left, ClassLiteral) and isinstance(right, ClassLiteral):
        return left.type == right.type and left.ref == right.ref
    if isinstance(left, ExternalObject) and isinstance(right, ExternalObject):
        if left is right or (left.symbol and left.symbol == right.symbol):
            return True
        return None
    if isinstance(left, StreamValue | EnvValue | Instance) or isinstance(right, StreamValue | EnvValue | Instance):
        return left is right
    return left is right or None


def _same_constants(left: Constant, right: Constant) -> bool | None:
    """``==`` of known values: of numbers, or of the objects behind Strings and boxes."""
    if left.java == right.java == "String":
        return False if left.value != right.value else True if left is right else None
    if left.java in UNBOXED and right.java in UNBOXED:
        if left.java != right.java or left.value != right.value:
            return False
        cached = isinstance(left.value, bool) or (isinstance(left.value, int) and -128 <= left.value <= 127)
        cached = cached or (isinstance(left.value, str) and left.value <= "\x7f")
        return True if cached or left is right else None
    first, second = number(left), number(right)
    if first is not None and second is not None:
        return first == second
    return left.value == right.value


def _arithmetic(operator: str, left: Constant, right: Constant) -> Value | None:
    a, b = left.value, right.value
    if isinstance(a, bool) and isinstance(b, bool):
        logical = {"&": a and b, "|": a or b, "^": a != b}
        return boolean(logical[operator]) if operator in logical else None
    x, y = number(left), number(right)
    if x is None or y is None:
        return None
    comparisons = {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}
    if operator in comparisons:
        return boolean(comparisons[operator])
    first, second = primitive(left.java), primitive(right.java)
    java = next((java for java in ("double", "float", "long") if java in (first, second)), "int")
    if java in ("double", "float"):
        return None
    if operator == "<<" and java == "int":
        return constant(int(x) << (int(y) & 31), java)
    whole = _whole(operator, int(x), int(y))
    return constant(whole, java) if whole is not None else None


def _whole(operator: str, x: int, y: int) -> int | None:
    if operator in ("/", "%"):
        if y == 0:
            throw("ArithmeticException")
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return quotient if operator == "/" else x - quotient * y
    return _WHOLE[operator](x, y) if operator in _WHOLE else None


_WHOLE: dict[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
}


def unary(run: Run, operator: str, value: Value, site: Site) -> Value:
    """A unary operator other than ``++`` and ``--``."""
    if isinstance(value, Choice):
        result = run.on_each(value, lambda option: unary(run, operator, option, site))
        assert result is not None
        return result
    if operator == "!":
        value = run.as_condition(value)
        if isinstance(value, Constant) and isinstance(value.value, bool):
            return boolean(not value.value)
        if isinstance(value, Opaque):
            return Opaque(value.unknown, value.symbol, value.type, negated=not value.negated)
    if is_null(value):
        throw("NullPointerException")
    found = number(value)
    if isinstance(value, Constant) and found is not None and operator in "+-":
        java = primitive(value.java)
        java = java if java in ("long", "float", "double") else "int"
        return constant(-found if operator == "-" else found, java)
    symbol = run.fresh(f"({operator} {short(described_as(value))})")
    return run.opaque("an unknown value", Cause.OTHER, site, symbol=symbol, of=(value,))
