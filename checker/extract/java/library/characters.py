"""``java.lang.Character``: its tests and conversions."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

from checker.extract.java.machine.numbers import boxed, whole
from checker.extract.java.machine.values import Constant, Value, boolean, integer, string

DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The digits of all radixes up to 36, each at its value."""

_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo"})


_JAVA_SPACE: Final = frozenset("\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f")


def is_whitespace(char: str) -> bool:
    """``Character.isWhitespace``."""
    return char in _JAVA_SPACE or (unicodedata.category(char) in ("Zs", "Zl", "Zp") and char not in "\xa0\u2007\u202f")


_TESTS: Final[dict[str, Callable[[str], bool]]] = {
    "isDigit": lambda c: unicodedata.category(c) == "Nd",
    "isLetter": lambda c: unicodedata.category(c) in _LETTERS,
    "isAlphabetic": lambda c: unicodedata.category(c) in _LETTERS | {"Nl"},
    "isLetterOrDigit": lambda c: unicodedata.category(c) in _LETTERS | {"Nd"},
    "isWhitespace": is_whitespace,
    "isUpperCase": lambda c: unicodedata.category(c) == "Lu",
    "isLowerCase": lambda c: unicodedata.category(c) == "Ll" or c in "ªº",
    "isSpaceChar": lambda c: unicodedata.category(c) in ("Zs", "Zl", "Zp"),
}


def character_call(simple: str, name: str, given: Sequence[Constant]) -> Value | None:
    """A static method of ``Character``; None where it is not modelled."""
    code = whole(given[0]) if given else None
    if code is None or not 0 <= code <= 0xFFFF or 0xD800 <= code < 0xE000:
        return None
    char, as_int = chr(code), given[0].java != "char"
    second = whole(given[1]) if len(given) > 1 else None
    if name in _TESTS and len(given) == 1:
        return boolean(_TESTS[name](char))
    match name, len(given):
        case (("toUpperCase" | "toLowerCase"), 1):
            changed = char.upper() if name == "toUpperCase" else char.lower()
            changed = changed if len(changed) == 1 else char
            return integer(ord(changed)) if as_int else Constant(changed, "char")
        case (("toString" | "valueOf"), 1):
            return string(char) if name == "toString" else boxed(Constant(char, "char"))
        case "getNumericValue", 1:
            place = DIGITS.find(char.lower()) if char.isascii() else -1
            return integer(place) if char.isascii() else None
        case "digit", 2:
            place = DIGITS.find(char.lower()) if char.isascii() else -1
            return integer(place if second is not None and 0 <= place < second else -1)
    return None
