"""``java.lang.String`` and the boxed types, on known values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checker.extract.java.interpreter.call_record import Call, Site
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
    Choice,
    Constant,
    Lambda,
    ListValue,
    MethodRef,
    Opaque,
    Value,
    boolean,
    choose,
    depends_of,
    integer,
    string,
)

TEXT_RESULTS = frozenset(
    {
        "toUpperCase", "toLowerCase", "trim", "strip", "substring", "replace", "replaceAll", "replaceFirst", "concat",
        "toString", "intern", "repeat", "stripLeading", "stripTrailing", "formatted", "join", "getString", "get",
        "getProperty", "name", "getName", "getSimpleName",
    }
)  # fmt: skip


def call(run: Run, receiver: Constant, call: Call) -> Value | None:
    """A method of a known String, number or boolean; None where it is not modelled."""
    return _answer(run, receiver, call)


def _answer(run: Run, receiver: Constant, call: Call) -> Value | None:
    choice = next((value for value in call.arguments if isinstance(value, Choice)), None)
    if choice is not None:
        options = []
        for outcome, option in choice.options:
            replaced = [option if value is choice else value for value in call.arguments]
            result = _answer(run, receiver, call.having(arguments=replaced))
            if result is None:
                return None
            options.append((outcome, result))
        return choose(choice.symbol, tuple(options), choice.unknown)
    depends = receiver.depends | depends_of(*call.arguments)
    if receiver.java == "String" and isinstance(receiver.value, str):
        return _on_text(run, receiver.value, call.name, call.arguments, depends, call.site)
    if call.name in ("toString", "stringValue") and not call.arguments:
        return string(receiver.text, depends)
    if call.name == "equals" and len(call.arguments) == 1 and isinstance(call.arguments[0], Constant):
        return boolean(call.arguments[0].value == receiver.value and call.arguments[0].java == receiver.java, depends)
    converted = _CONVERSIONS.get(call.name)
    if converted is not None and not call.arguments and isinstance(receiver.value, int | float):
        if converted in ("int", "long", "short", "byte"):
            return Constant(int(receiver.value), converted, depends)
        if converted in ("double", "float"):
            return Constant(float(receiver.value), converted, depends)
        return Constant(receiver.value, converted, depends)
    if call.name in ("getSeconds", "toMillis"):
        return None
    return None


_CONVERSIONS = {
    "intValue": "int", "longValue": "long", "doubleValue": "double", "booleanValue": "boolean", "floatValue": "float",
    "shortValue": "short", "byteValue": "byte",
}  # fmt: skip


def _on_text(
    run: Run, value: str, name: str, given: Sequence[Value], depends: frozenset[str], site: Site
) -> Value | None:
    if name in ("equals", "equalsIgnoreCase", "contentEquals") and len(given) == 1:
        return _equals(run, value, name, given[0], depends, site)
    known = [argument.value for argument in given if isinstance(argument, Constant)]
    if name in ("chars", "codePoints") or any(isinstance(a, Lambda | MethodRef) for a in given):
        return None
    if name == "formatted" or (name == "format" and given):
        from checker.extract.java.library import formats

        return formats.java_format(run, string(value, depends), Call("format", given, site))
    if len(known) != len(given):
        return None
    simple = _NO_ARGUMENT.get(name) if not given else None
    if simple is not None:
        return simple(value, depends)
    try:
        return _with_arguments(value, name, known, depends)
    except (IndexError, ValueError, TypeError):
        return None


def _equals(run: Run, value: str, name: str, other: Value, depends: frozenset[str], site: Site) -> Value | None:
    if isinstance(other, Constant):
        if other.value is None or other.java != "String":
            return boolean(False, depends)
        same = other.value == value
        if name == "equalsIgnoreCase":
            same = str(other.value).lower() == value.lower()
        return boolean(same, depends)
    if isinstance(other, Opaque):
        return Opaque(other.unknown, f"{other.symbol}.{name}({value!r})", None, depends)
    return None


_NO_ARGUMENT: dict[str, Callable[[str, frozenset[str]], Value]] = {
    "toUpperCase": lambda value, depends: string(value.upper(), depends),
    "toLowerCase": lambda value, depends: string(value.lower(), depends),
    "trim": lambda value, depends: string(value.strip(" \t\n\r\f\v\0"), depends),
    "strip": lambda value, depends: string(value.strip(), depends),
    "toString": lambda value, depends: string(value, depends),
    "intern": lambda value, depends: string(value, depends),
    "length": lambda value, depends: integer(len(value.encode("utf-16-le", "surrogatepass")) // 2, depends),
    "isEmpty": lambda value, depends: boolean(not value, depends),
    "isBlank": lambda value, depends: boolean(not value.strip(), depends),
    "hashCode": lambda value, depends: integer(string_hash(value), depends),
}


def string_hash(value: str) -> int:
    """``String.hashCode``."""
    data = value.encode("utf-16-be", "surrogatepass")
    result = 0
    for place in range(0, len(data), 2):
        result = (result * 31 + (data[place] << 8 | data[place + 1])) & 0xFFFFFFFF
    return result - (1 << 32) if result >> 31 else result


def _with_arguments(value: str, name: str, known: Sequence[object], depends: frozenset[str]) -> Value | None:
    first = known[0] if known else None
    if name in ("startsWith", "endsWith", "contains") and isinstance(first, str) and len(known) == 1:
        tests = {"startsWith": value.startswith(first), "endsWith": value.endswith(first), "contains": first in value}
        return boolean(tests[name], depends)
    if name in ("concat",) and isinstance(first, str):
        return string(value + first, depends)
    if name == "repeat" and isinstance(first, int) and 0 <= first * len(value) < 100_000:
        return string(value * first, depends)
    if name == "charAt" and isinstance(first, int) and 0 <= first < len(value):
        return Constant(value[first], "char", depends)
    if name in ("substring", "subSequence") and all(isinstance(k, int) for k in known):
        bounds = [k for k in known if isinstance(k, int)]
        end = bounds[1] if len(bounds) > 1 else len(value)
        if 0 <= bounds[0] <= end <= len(value):
            return string(value[bounds[0] : end], depends)
        return None
    if name in ("indexOf", "lastIndexOf") and isinstance(first, str) and len(known) == 1:
        return integer(value.find(first) if name == "indexOf" else value.rfind(first), depends)
    if name == "replace" and len(known) == 2 and isinstance(first, str) and isinstance(known[1], str):
        return string(value.replace(first, known[1]), depends)
    if name in ("replaceAll", "replaceFirst") and isinstance(first, str) and isinstance(known[1], str):
        return _replace_pattern(value, first, known[1], name == "replaceFirst", depends)
    if name == "split" and isinstance(first, str):
        return _split(value, first, depends)
    if name == "compareTo" and isinstance(first, str):
        return integer((value > first) - (value < first), depends)
    if name in ("matches",):
        return None
    return None


_SPECIAL = frozenset(".*+?[](){}^$|\\")


def _literal(pattern: str) -> str | None:
    """The text that a regular expression matches literally, None for real patterns."""
    if len(pattern) == 2 and pattern[0] == "\\" and not pattern[1].isalnum():
        return pattern[1]
    return None if any(char in _SPECIAL for char in pattern) else pattern


def _replace_pattern(value: str, pattern: str, by: str, first: bool, depends: frozenset[str]) -> Value | None:
    literal = _literal(pattern)
    if literal and "$" not in by and "\\" not in by:
        return string(value.replace(literal, by, 1 if first else -1), depends)
    import re

    if "$" in by or "\\" in by or not set(pattern) <= _PLAIN_CLASSES:
        return None
    return string(re.sub(pattern, by, value, count=1 if first else 0), depends)


_PLAIN_CLASSES = frozenset("[]^-+ _./,:;abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\\sdw")


def _split(value: str, pattern: str, depends: frozenset[str]) -> Value | None:
    literal = _literal(pattern)
    if literal:
        parts = value.split(literal)
    elif pattern in ("\\s*,\\s*", ",\\s*", "\\s+"):
        import re

        parts = re.split(pattern, value)
    else:
        return None
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return ListValue(tuple(string(part, depends) for part in parts), "array", depends=depends)
