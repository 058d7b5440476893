"""Static methods of ``java.lang``'s numbers and characters, ``Math`` and ``Objects``, on known values."""

import re
from collections.abc import Sequence
from typing import Final

from checker.extract.java.library import contents
from checker.extract.java.machine import numbers, operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed, unboxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, Constant, Opaque, Value, boolean, is_null, string
from checker.model.unknowns import Cause

_WHOLE: Final = {"Integer": "int", "Long": "long", "Short": "short", "Byte": "byte"}


def static(run: Run, simple: str, call: Call) -> Value | None:
    """A static method of one of these classes; None where it is not modelled or an argument is not known."""
    name, given = call.name, [unboxed(value) for value in call.arguments]
    if simple in ("Objects", "Preconditions"):
        return _objects(run, name, list(call.arguments), call)
    if simple not in _CLASSES:
        return None
    if name == "hashCode":
        return None
    if not all(isinstance(value, Constant) for value in given):
        return None
    if any(is_null(value) for value in given) and name != "valueOf" and not name.startswith(("parse", "decode")):
        throw("NullPointerException")
    return _CLASSES[simple](simple, name, [value for value in given if isinstance(value, Constant)])


_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,40}")


def parse_whole(text: str | None, java: str) -> Constant:
    """``Integer.parseInt`` and the like."""
    if text is None or _INTEGER.fullmatch(text) is None or numbers.wrap(int(text), java) != int(text):
        throw("NumberFormatException")
    return Constant(int(text), java)


_FLOAT: Final = re.compile(r"[+-]?(NaN|Infinity|((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)[fFdD]?)", re.ASCII)


def parse_double(text: str | None, java: str = "double") -> Constant:
    """``Double.parseDouble``."""
    if text is None:
        throw("NullPointerException")
    bare = text.strip("".join(map(chr, range(33))))
    if not _FLOAT.fullmatch(bare):
        throw("NumberFormatException")
    return numbers.constant(float(bare.rstrip("fFdD") if not bare.endswith("Infinity") else bare), java)


def parse(text: str | None, java: str) -> Constant:
    """A text as a value of a primitive type."""
    if java in ("double", "float"):
        return parse_double(text, java)
    if java == "boolean":
        return boolean(text is not None and text.lower() == "true")
    return parse_whole(text, java)


def _whole_class(simple: str, name: str, given: Sequence[Constant]) -> Value | None:
    java = _WHOLE[simple]
    first = whole(given[0]) if given else None
    text = given[0].value if given and given[0].java in ("String", "null") else None
    if name in ("parseInt", "parseLong", "parseShort", "parseByte", "valueOf") and len(given) == 1:
        if text is not None or given[0].java == "null":
            made = parse_whole(text if isinstance(text, str) else None, java)
            return boxed(made) if name == "valueOf" else made
        return boxed(numbers.convert(given[0], java)) if name == "valueOf" else None
    if first is None or (isinstance(given[0].value, str) and given[0].java == "String"):
        return None
    return string(str(first)) if name == "toString" and len(given) == 1 else None


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
    return None


def _objects(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    first = given[0] if given else NULL
    known = not isinstance(first, Opaque)
    if isinstance(first, Constant) or (known and is_null(run.soften(first))):
        first = run.soften(first)
    match name, len(given):
        case (("requireNonNull" | "checkNotNull"), _) if given:
            return throw("NullPointerException") if is_null(first) else first
        case "requireNonNullElse", 2:
            return given[1] if is_null(first) else first if known else None
        case "equals", 2:
            return _equals(run, given, call)
        case (("isNull" | "nonNull"), 1):
            return operators.binary(run, "==" if name == "isNull" else "!=", first, NULL, call.site)
        case "toString", 1 | 2:
            return given[1] if is_null(first) and len(given) == 2 else operators.as_text(run, first)
        case (("hash" | "hashCode"), _):
            return run.opaque("a hash code that is not evaluated", Cause.UNSUPPORTED, call.site, of=tuple(given))
    return None


def _equals(run: Run, given: Sequence[Value], call: Call) -> Value | None:
    left, right = boxed(given[0]), boxed(given[1])
    if is_null(left):
        same = operators.identical(left, right)
        return boolean(same) if same is not None else None
    verdict = contents.equal(run, left, right, call)
    if verdict is not None:
        return boolean(verdict)
    return run.interpreter.invoke(left, call.having(name="equals", arguments=[right]))


_CLASSES: Final = {
    "Integer": _whole_class, "Long": _whole_class, "Short": _whole_class, "Byte": _whole_class,
    "Boolean": _boolean_class,
}  # fmt: skip
