"""Static methods of ``java.lang``'s numbers and characters, ``Math`` and ``Objects``, on known values."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from checker.extract.java.library import equality
from checker.extract.java.library.function_objects import apply
from checker.extract.java.library.java_math import extreme, static_call
from checker.extract.java.library.text_tests import DIGITS, character_call
from checker.extract.java.machine import numbers, operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed, unboxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ListValue,
    Opaque,
    Value,
    boolean,
    depends_of,
    integer,
    is_null,
    string,
)
from checker.model.unknowns import Cause

_WHOLE: Final = {"Integer": "int", "Long": "long", "Short": "short", "Byte": "byte"}


def static(run: Run, simple: str, call: Call) -> Value | None:
    """A static method of one of these classes; None where it is not modelled or an argument is not known."""
    name, given = call.name, [unboxed(value) for value in call.arguments]
    if simple in ("Objects", "Preconditions"):
        return _objects(run, name, list(call.arguments), call)
    if simple not in _CLASSES:
        return None
    if name == "hashCode" and len(given) == 1:
        code = equality.hash_code(run, given[0], call)
        return integer(code) if code is not None else None
    if not all(isinstance(value, Constant) for value in given):
        return None
    if any(is_null(value) for value in given) and not name.startswith(("parse", "decode")):
        if name == "valueOf" and simple in _WHOLE:
            throw("NumberFormatException", or_else="NullPointerException")  # of a String, or of another box
        if name != "valueOf" or simple != "Boolean":
            throw("NullPointerException")
    found = _CLASSES[simple](simple, name, [value for value in given if isinstance(value, Constant)])
    if isinstance(found, Constant):
        return Constant(found.value, found.java, depends_of(*given))
    return found


def parse_whole(text: str | None, java: str, radix: int = 10) -> Constant:
    """``Integer.parseInt`` and the like."""
    if text is None:
        throw(
            "NumberFormatException", "Cannot parse null string: null" if java == "int" else "Cannot parse null string"
        )
    wrong = f'For input string: "{text}"' + (f" under radix {radix}" if radix != 10 and java in ("int", "long") else "")
    digits = text[1:] if text[:1] in ("+", "-") else text
    values = [unicodedata.digit(char, DIGITS.find(char.lower()) if char.isascii() else -1) for char in digits]
    if not digits or any(not 0 <= value < radix for value in values):
        throw("NumberFormatException", wrong)
    found = 0
    for value in values:
        found = found * radix + int(value)
    found = -found if text[0] == "-" else found
    if numbers.wrap(found, java) != found:
        throw("NumberFormatException", wrong if java in ("int", "long") else None)
    return Constant(found, java)


_FLOAT: Final = re.compile(r"[+-]?(NaN|Infinity|((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)[fFdD]?)", re.ASCII)


def parse_double(text: str | None, java: str = "double") -> Constant:
    """``Double.parseDouble``."""
    if text is None:
        throw("NullPointerException")
    bare = text.strip("".join(map(chr, range(33))))
    if not bare:
        throw("NumberFormatException", "empty String")
    if not _FLOAT.fullmatch(bare):
        throw("NumberFormatException", f'For input string: "{bare}"')
    return numbers.constant(float(bare.rstrip("fFdD") if not bare.endswith("Infinity") else bare), java)


def parse(text: str | None, java: str) -> Constant:
    """A text as a value of a primitive type."""
    if java in ("double", "float"):
        return parse_double(text, java)
    if java == "boolean":
        return boolean(text is not None and text.lower() == "true")
    return parse_whole(text, java)


def radix_text(value: int, radix: int) -> str:
    """``Integer.toString(value, radix)``."""
    radix = radix if 2 <= radix <= 36 else 10
    digits, rest = "", abs(value)
    while rest or not digits:
        digits = DIGITS[rest % radix] + digits
        rest //= radix
    return f"-{digits}" if value < 0 else digits


def _whole_class(simple: str, name: str, given: Sequence[Constant]) -> Value | None:
    java = _WHOLE[simple]
    bits = 64 if java == "long" else 32
    values = [whole(value) for value in given]
    first, second = (*values, None, None)[:2]
    text = given[0].value if given and given[0].java in ("String", "null") else None
    if name in ("parseInt", "parseLong", "parseShort", "parseByte", "valueOf", "decode") and given:
        if text is not None or given[0].java == "null":
            if name == "decode":
                return boxed(_decode(str(text), java))
            made = parse_whole(text if isinstance(text, str) else None, java, second if second is not None else 10)
            return boxed(made) if name == "valueOf" else made
        return boxed(numbers.convert(given[0], java)) if name == "valueOf" else None
    if first is None or (isinstance(given[0].value, str) and given[0].java == "String"):
        return None
    unsigned = first & ((1 << bits) - 1)
    match name, len(given):
        case "toString", 1:
            return string(str(first))
        case "toString", 2:
            return string(radix_text(first, second or 10))
        case (("toHexString" | "toBinaryString" | "toOctalString"), 1):
            return string(format(unsigned, {"toH": "x", "toB": "b", "toO": "o"}[name[:3]]))
        case "compare", 2:
            assert second is not None
            if java in ("short", "byte"):
                return integer(first - second)
            return integer((first > second) - (first < second))
        case "signum", 1:
            return integer((first > 0) - (first < 0))
        case (("max" | "min" | "sum"), 2):
            assert second is not None
            result = max(first, second) if name == "max" else min(first, second) if name == "min" else first + second
            return numbers.constant(result, java)
        case "bitCount", 1:
            return integer(unsigned.bit_count())
        case "reverse", 1:
            return numbers.constant(int(format(unsigned, f"0{bits}b")[::-1], 2), java)
        case "highestOneBit", 1:
            return numbers.constant(1 << (unsigned.bit_length() - 1) if unsigned else 0, java)
        case "lowestOneBit", 1:
            return numbers.constant(unsigned & -unsigned, java)
        case "numberOfTrailingZeros", 1:
            return integer((unsigned & -unsigned).bit_length() - 1 if unsigned else bits)
        case "numberOfLeadingZeros", 1:
            return integer(bits - unsigned.bit_length())
    return None


def _decode(text: str, java: str) -> Constant:
    sign = text[0] if text[:1] in ("+", "-") else ""
    bare = text[len(sign) :]
    for prefix, radix in (("0x", 16), ("0X", 16), ("#", 16), ("0", 8)):
        if bare.startswith(prefix) and len(bare) > len(prefix):
            return parse_whole(sign + bare[len(prefix) :], java, radix)
    return parse_whole(text, java)


def _floating_class(simple: str, name: str, given: Sequence[Constant]) -> Value | None:
    java = simple.lower()
    if name in ("parseDouble", "parseFloat", "valueOf") and given[0].java in ("String", "null"):
        text = given[0].value
        made = parse_double(text if isinstance(text, str) else None, java)
        return boxed(made) if name == "valueOf" else made
    values = [numbers.number(value) for value in given]
    if None in values:
        return None
    found = [float(value) for value in values if value is not None]
    match name, len(given):
        case "valueOf", 1:
            return boxed(numbers.constant(found[0], java))
        case "toString", 1:
            return string(numbers.constant(found[0], java).text)
        case "compare", 2:
            return integer(equality.compare_doubles(found[0], found[1]))
        case (("isNaN" | "isInfinite" | "isFinite"), 1):
            return boolean({"isNaN": math.isnan, "isInfinite": math.isinf, "isFinite": math.isfinite}[name](found[0]))
        case (("max" | "min" | "sum"), 2):
            return extreme(name, found, java) if name != "sum" else numbers.constant(found[0] + found[1], java)
    return None


def _boolean_class(simple: str, name: str, given: Sequence[Constant]) -> Value | None:
    values = [value.value for value in given]
    if name in ("parseBoolean", "valueOf") and given[0].java in ("String", "null"):
        text = values[0]
        made = boolean(isinstance(text, str) and text.lower() == "true")
        return boxed(made) if name == "valueOf" else made
    if not all(isinstance(value, bool) for value in values):
        return None
    match name, values:
        case "valueOf", [value]:
            return boxed(boolean(bool(value)))
        case "toString", [value]:
            return string("true" if value else "false")
        case "compare", [a, b]:
            return integer(int(bool(a)) - int(bool(b)))
        case "logicalXor", [a, b]:
            return boolean(a is not b)
        case "logicalAnd", [a, b]:
            return boolean(bool(a and b))
        case "logicalOr", [a, b]:
            return boolean(bool(a or b))
    return None


def _objects(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    first = given[0] if given else NULL
    known = not isinstance(first, Opaque)
    if isinstance(first, Constant) or (known and is_null(run.soften(first))):
        first = run.soften(first)
    match name, len(given):
        case (("requireNonNull" | "checkNotNull"), _) if given:
            if is_null(first):
                message = given[1] if len(given) > 1 else None
                text = message.value if isinstance(message, Constant) and isinstance(message.value, str) else None
                throw("NullPointerException", text)
            return first
        case "requireNonNullElse", 2:
            return given[1] if is_null(first) else first if known else None
        case "requireNonNullElseGet", 2:
            return apply(run, given[1], [], call) if is_null(first) else first if known else None
        case "equals", 2:
            return _equals(run, given, call)
        case (("isNull" | "nonNull"), 1):
            return operators.binary(run, "==" if name == "isNull" else "!=", first, NULL, call.site)
        case "toString", 1 | 2:
            return given[1] if is_null(first) and len(given) == 2 else operators.as_text(run, first)
        case (("hash" | "hashCode"), _):
            return _hash(run, name, given, call)
        case "compare", 3:
            return apply(run, given[2], given[:2], call)
        case "checkIndex", 2:
            place, size = whole(given[0]), whole(given[1])
            if place is None or size is None:
                return None
            if not 0 <= place < size:
                throw("IndexOutOfBoundsException", f"Index {place} out of bounds for length {size}")
            return integer(place)
    return None


def _equals(run: Run, given: Sequence[Value], call: Call) -> Value | None:
    left, right = boxed(given[0]), boxed(given[1])
    if is_null(left):
        same = operators.identical(left, right)
        return boolean(same) if same is not None else None
    verdict = equality.equal(run, left, right, call)
    if verdict is not None:
        return boolean(verdict, depends_of(left, right))
    return run.interpreter.invoke(left, call.having(name="equals", arguments=[right]))


def _hash(run: Run, name: str, given: list[Value], call: Call) -> Value:
    if name == "hash" and len(given) == 1 and isinstance(given[0], ListValue) and given[0].kind == "array":
        given = list(given[0].elements or ())
    codes = [equality.hash_code(run, boxed(value), call) for value in given]
    code = equality.combined(codes, 1) if name == "hash" else codes[0]
    if code is None:
        return run.opaque("a hash code that is not computed", Cause.UNSUPPORTED, call.site, of=tuple(given))
    return integer(code, depends_of(*given))


_CLASSES: Final = {
    "Integer": _whole_class, "Long": _whole_class, "Short": _whole_class, "Byte": _whole_class,
    "Double": _floating_class, "Float": _floating_class, "Boolean": _boolean_class, "Character": character_call,
    "Math": static_call, "StrictMath": static_call,
}  # fmt: skip
