"""``java.lang.String`` and the boxed types, on known values."""

from collections.abc import Callable, Sequence
from typing import Final

from checker.extract.interpreting.bounds import MAX_TEXT, TOO_LONG, replaced_size
from checker.extract.java.library import contents, text_functions
from checker.extract.java.library.text_functions import is_whitespace
from checker.extract.java.machine import numbers, operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import unboxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Builder,
    Choice,
    Constant,
    ExternalObject,
    ListValue,
    Opaque,
    Primitive,
    Value,
    boolean,
    integer,
    is_null,
    string,
)
from checker.model.unknowns import Cause

TEXT_RESULTS = frozenset(
    {
        "toUpperCase", "toLowerCase", "trim", "strip", "substring", "replace", "replaceAll", "replaceFirst", "concat",
        "toString", "intern", "repeat", "stripLeading", "stripTrailing", "formatted", "join", "getString", "get",
        "getProperty", "name", "getName", "getSimpleName",
    }
)  # fmt: skip


def call(run: Run, receiver: Constant, call: Call) -> Value | None:
    """A method of a known String, number or boolean; None where it is not modelled."""
    choice = next((value for value in call.arguments if isinstance(value, Choice)), None)
    if choice is not None:
        return _for_each_option(run, receiver, choice, call)
    if receiver.java == "String" and isinstance(receiver.value, str):
        made = _on_text(run, receiver.value, call)
        if isinstance(made, ListValue):
            run.made(len(made.elements or ()))
        return made
    return _on_box(run, receiver, call)


def _for_each_option(run: Run, receiver: Constant, choice: Choice, request: Call) -> Value | None:
    def replaced(option: Value) -> list[Value]:
        return [option if value is choice else value for value in request.arguments]

    return run.on_each(choice, lambda option: call(run, receiver, request.having(arguments=replaced(option))))


_CONVERSIONS: Final = {
    "intValue": "int", "longValue": "long", "doubleValue": "double", "booleanValue": "boolean", "floatValue": "float",
    "shortValue": "short", "byteValue": "byte", "charValue": "char",
}  # fmt: skip


def _on_box(run: Run, receiver: Constant, request: Call) -> Value | None:
    name, given = request.name, request.arguments
    if name in ("toString", "stringValue") and not given:
        return operators.as_text(run, receiver)
    if name in ("equals", "hashCode"):
        return contents.asked(run, receiver, request)
    if name in _CONVERSIONS and not given:
        return numbers.convert(receiver, _CONVERSIONS[name])
    return None


def _on_text(run: Run, value: str, request: Call) -> Value | None:
    name = request.name
    given = [_as_locale(unboxed(argument)) for argument in request.arguments]
    if name in ("equals", "equalsIgnoreCase", "contentEquals") and len(given) == 1:
        return _equals(run, value, name, given[0])
    if name in ("formatted", "format"):
        return text_functions.java_format(run, string(value), list(request.arguments), request.site)
    if any(is_null(argument) for argument in given):
        return throw("NullPointerException")
    known = [argument.value for argument in given if isinstance(argument, Constant)]
    texts = [text for text in (value, *known) if isinstance(text, str)]
    if len(known) != len(given) or max(map(max, filter(None, texts)), default="") > "\uffff":
        return text_functions.filled_in(run, string(value), request)
    simple = _NO_ARGUMENT.get(name) if not given else None
    if simple is not None:
        return simple(value)
    constants = [a for a in given if isinstance(a, Constant)]
    first, second = [*(a.value for a in constants), None, None][:2]
    if _size(value, name, first, second) > MAX_TEXT:
        return run.opaque(TOO_LONG, Cause.LIMIT, request.site)
    if name == "replaceAll":
        return text_functions.filled_in(run, string(value), request)
    return _with_arguments(value, name, constants)


def _size(value: str, name: str, first: Primitive, second: Primitive) -> int:
    """The length of the text that a method makes, as far as it may be long."""
    if name == "concat" and isinstance(first, str):
        return len(value) + len(first)
    if name == "replace" and isinstance(first, str) and isinstance(second, str):
        return replaced_size(value, first, second)
    if name == "repeat" and isinstance(first, int):
        return len(value) * first
    return 0


_LOCALE: Final = "\0locale"
_PLAIN_LOCALES: Final = frozenset({"ROOT", "ENGLISH", "US", "UK", "GERMANY", "FRANCE", "GERMAN", "FRENCH", "CHINA"})
"""Locales whose letters change case as the root's do."""


def _as_locale(value: Value) -> Value:
    """``Locale.ROOT`` and the like as an argument that only says so."""
    if isinstance(value, ExternalObject) and value.type.simple == "Locale":
        return string(_LOCALE) if value.calls and value.calls[0][0] in _PLAIN_LOCALES else value
    if isinstance(value, Builder):
        return value.content
    return value


def _equals(run: Run, value: str, name: str, compared: Value) -> Value | None:
    if isinstance(compared, Constant):
        if compared.value is None or compared.java != "String":
            if name == "contentEquals" and compared.value is None:
                throw("NullPointerException")
            return boolean(False)
        if name == "equalsIgnoreCase":
            known = f"{value}{compared.value}".isascii()
            return boolean(str(compared.value).lower() == value.lower()) if known else None
        return boolean(compared.value == value)
    if isinstance(compared, Opaque):
        return Opaque(compared.unknown, f"{compared.symbol}.{name}({value!r})")
    if isinstance(compared, ListValue):
        return boolean(False)
    return None


def strip(value: str, *, left: bool = True, right: bool = True) -> str:
    """``String.strip``."""
    space = "".join(set(filter(is_whitespace, value)))
    value = value.lstrip(space) if left else value
    return value.rstrip(space) if right else value


def _array(parts: Sequence[str], java: str) -> ListValue:
    made = {part: Constant(part, java) for part in set(parts)}
    return ListValue(tuple(map(made.__getitem__, parts)), "array", element=java)


_UP_TO_SPACE: Final = "".join(map(chr, range(33)))


_NO_ARGUMENT: Final[dict[str, Callable[[str], Value]]] = {
    "toUpperCase": lambda value: string(value.upper()),
    "toLowerCase": lambda value: string(value.lower()),
    "trim": lambda value: string(value.strip(_UP_TO_SPACE)),
    "strip": lambda value: string(strip(value)),
    "stripLeading": lambda value: string(strip(value, right=False)),
    "stripTrailing": lambda value: string(strip(value, left=False)),
    "toString": lambda value: string(value),
    "intern": lambda value: string(value),
    "length": lambda value: integer(len(value)),
    "isEmpty": lambda value: boolean(not value),
    "isBlank": lambda value: boolean(not strip(value)),
    "toCharArray": lambda value: _array(value, "char"),
}


def substring(value: str, low: int, high: int) -> str:
    """``substring(low, high)``."""
    if low < 0 or high > len(value) or low > high:
        throw("StringIndexOutOfBoundsException")
    return value[low:high]


def _with_arguments(value: str, name: str, given: Sequence[Constant]) -> Value | None:
    texts = [a.value if isinstance(a.value, str) else "" for a in given]
    places = [numbers.whole(a) or 0 for a in given]
    kinds = "".join("s" if a.java == "String" else "c" if a.java == "char" else "i" for a in given)
    match name, kinds:
        case (("toUpperCase" | "toLowerCase"), "s") if texts[0] == _LOCALE:
            return _NO_ARGUMENT[name](value)
        case "startsWith", "s":
            return boolean(value.startswith(texts[0]))
        case "endsWith", "s":
            return boolean(value.endswith(texts[0]))
        case "contains", "s":
            return boolean(texts[0] in value)
        case "concat", "s":
            return string(value + texts[0])
        case "repeat", "i" | "c":
            if places[0] < 0:
                throw("IllegalArgumentException")
            return string(value * places[0])
        case "charAt", "i" | "c":
            if not 0 <= places[0] < len(value):
                throw("StringIndexOutOfBoundsException")
            return Constant(value[places[0]], "char")
        case "substring", "i" | "c":
            return string(substring(value, places[0], len(value)))
        case (("substring" | "subSequence"), "ii"):
            return string(substring(value, places[0], places[1]))
        case (("indexOf" | "lastIndexOf"), "s" | "c"):
            wanted = str(given[0].value)
            return integer(value.find(wanted) if name == "indexOf" else value.rfind(wanted))
        case "replace", "ss" | "cc":
            return string(value.replace(texts[0], texts[1]))
        case "split", "s" | "si":
            parts = text_functions.split(value, texts[0], places[1] if len(kinds) > 1 else 0)
            return _array(parts, "String") if parts is not None else None
    return None


def static(run: Run, name: str, request: Call) -> Value | None:
    """``String.valueOf``, ``join``, ``format``, ``copyValueOf``."""
    given = list(request.arguments)
    if name in ("valueOf", "copyValueOf") and len(given) == 1:
        return operators.as_text(run, given[0])
    if name == "format" and given:
        if isinstance(_as_locale(given[0]), Constant) and isinstance(given[0], ExternalObject):
            given = given[1:]
        return text_functions.java_format(run, given[0], given[1:], request.site)
    if name == "join" and len(given) >= 1:
        rest: Sequence[Value] = given[1:]
        if len(rest) == 1 and not isinstance(rest[0], Constant | Opaque | Choice):
            found = contents.elements_of(run, run.settle(rest[0]))
            if found is None:
                why = "a text of unknown elements"
                return run.opaque(why, Cause.COLLECTION, request.site, of=(rest[0], given[0]))
            rest = found
        if any(is_null(value) for value in given[:1]):
            throw("NullPointerException")
        parts: list[Value] = [string("")]
        for place, value in enumerate(rest):
            parts.extend([given[0], value] if place else [value])
        return operators.concat(run, parts, request.site)
    return None


def create(given: Sequence[Value]) -> Value | None:
    """``new String(...)``."""
    if not given:
        return string("")
    if isinstance(given[0], Constant) and len(given) == 1:
        if is_null(given[0]):
            return None
        return Constant(given[0].value, "String")
    return given[0] if len(given) == 1 and isinstance(given[0], Opaque | Choice) else None
