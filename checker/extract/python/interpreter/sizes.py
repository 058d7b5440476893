"""How large the results of Python's functions are, told before they are computed (see ``interpreting/bounds.py``)."""

import re
import string
from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Any

from checker.extract.interpreting.bounds import (
    MAX_BITS,
    MAX_ELEMENTS,
    MAX_TEXT,
    MOST_TRIED,
    STEPS_OF_AN_ELEMENT,
    TOO_LONG,
    Budget,
    steps_of,
)
from checker.extract.python.interpreter.containers import without_order

_MAX_NUMBER = 1_000_000
"""The largest number that a function takes which may make as many characters or elements."""
_MAX_PRODUCT = 5_000_000
"""What the sizes of two arguments may be, multiplied: some functions join each element with each."""
_MAX_DEPTH = 200
_PLAIN = frozenset({int, float, bool, type(None)})
_SEQUENCES = (str, bytes, bytearray, list, tuple, deque)
_COLLECTIONS = (list, tuple, dict, set, frozenset)
_WIDE = re.compile(r"\d{4,}|\{")
"""In a specification: a width of any length, or one that is a field of its own."""
_PERCENT_WIDE = re.compile(r"%(?:\([^)]{0,500}\))?[-+ #0]*(?:\d{4,}|\*|\d*\.(?:\d{4,}|\*))")


def too_large(
    function: Callable[..., Any], given: list[Any], budget: Budget, *, numbers: bool, kept: Any = None
) -> str | None:
    """Why a function is not called with what it is given, its owner first; None for one that may be called.

    ``numbers``: large numbers are welcome. ``kept``: a collection whose elements stay as they are.
    """
    name = getattr(function, "__name__", "")
    first, second = [*given, None, None][:2]
    if _result_size(name, first, second) > MAX_TEXT or (len(given) > 1 and _bits(name, first, second) > MAX_BITS):
        return TOO_LONG
    return _of_search(first, name, given, budget) or _of_arguments(given, budget, numbers, kept)


def _result_size(name: str, first: Any, second: Any) -> int:
    """The length of a text or collection, as far as it is not bounded by the lengths of two that it is made of."""
    if name in ("mul", "imul"):
        pairs = ((first, second), (second, first))
        return max((len(a) * b for a, b in pairs if isinstance(a, _SEQUENCES) and isinstance(b, int)), default=0)
    if name in ("mod", "imod") and isinstance(first, str | bytes):
        text = first if isinstance(first, str) else first.decode("latin-1")
        return MAX_TEXT + 1 if _PERCENT_WIDE.search(text) else 0
    if name == "format" and isinstance(first, str) and template_may_be_wide(first):
        return MAX_TEXT + 1
    if name == "format" and isinstance(second, str) and not isinstance(first, str) and may_be_wide(second):
        return MAX_TEXT + 1  # the builtin
    if name == "translate" and isinstance(first, str) and isinstance(second, dict):
        return len(first) * max((len(to) for to in second.values() if isinstance(to, str)), default=1)
    return int(second) if name == "to_bytes" and isinstance(second, int) else 0


def _bits(name: str, left: Any, right: Any) -> int:
    """The bits of a whole number that an operator makes."""
    if not isinstance(left, int) or not isinstance(right, int):
        return 0
    if name in ("mul", "imul"):
        return left.bit_length() + right.bit_length()
    if name in ("pow", "ipow", "lshift", "ilshift"):
        return max(abs(right), max(left.bit_length(), 1) * abs(right) if "pow" in name else left.bit_length() + right)
    return 0


def may_be_wide(specification: str) -> bool:
    """Whether a specification of a format may make a text of any length."""
    return _WIDE.search(specification) is not None


def template_may_be_wide(template: str) -> bool:
    """Whether ``str.format`` may make a text of any length of a template."""
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError:
        return False  # as Python will say
    return any(may_be_wide(specification or "") for _, _, specification, _ in fields)


def _of_search(first: Any, name: str, given: list[Any], budget: Budget) -> str | None:
    """Why a search by a regular expression is not made."""
    if isinstance(first, re.Pattern):
        pattern, texts = first.pattern, given[1:]
    elif name in _OF_RE and isinstance(first, str | bytes):
        pattern, texts = first, given[1:]
    else:
        return None
    longest = max((len(text) for text in texts if isinstance(text, str | bytes)), default=0)
    steps = steps_of(pattern, longest)
    if steps > MOST_TRIED or not budget.take(steps // STEPS_OF_AN_ELEMENT):
        return "a pattern that may take too many steps"
    return None


_OF_RE = frozenset({"sub", "subn", "findall", "match", "search", "fullmatch", "compile"})


def _of_arguments(given: Iterable[Any], budget: Budget, numbers: bool, kept: Any) -> str | None:
    sizes = []
    for value in given:
        if isinstance(value, int) and not numbers:
            if abs(value) > _MAX_NUMBER:
                return "a number that is too large"
            sizes.append(abs(value))
        if isinstance(value, range) and (abs(value.start) > _MAX_NUMBER or abs(value.stop) > _MAX_NUMBER):
            return "a range that is too long"
        if isinstance(value, string.Template):
            value = value.template
        if isinstance(value, (*_SEQUENCES, range, dict, set, frozenset)):
            if len(value) > MAX_ELEMENTS:
                return TOO_LONG
            sizes.append(len(value))
        if isinstance(value, _COLLECTIONS) and value is not kept and _holds_too_much(value, budget):
            return "a value that holds too much"
    sizes.sort()
    return TOO_LONG if len(sizes) > 1 and sizes[-1] * sizes[-2] > _MAX_PRODUCT else None


def _holds_too_much(value: Any, budget: Budget) -> bool:
    """Whether a collection, written down with all that it holds, is too long: it may hold another many times."""
    left = MAX_ELEMENTS
    pending: list[Any] = [(value, 0)]
    while pending and left >= 0:
        part, depth = pending.pop()
        parts: Collection[Any] = part.values() if isinstance(part, dict) else without_order(part)
        left -= 1 + len(parts)
        if left >= 0 and not _PLAIN.issuperset(map(type, parts)):
            texts = sum(len(inner) for inner in parts if isinstance(inner, str | bytes))
            left -= texts // 10 if depth < _MAX_DEPTH else MAX_ELEMENTS
            pending.extend((inner, depth + 1) for inner in parts if isinstance(inner, list | tuple | dict))
    return not budget.take(MAX_ELEMENTS - left) or left < 0


def too_long(found: Any) -> bool:
    """Whether a result is longer than anybody writes."""
    if isinstance(found, int):
        return found.bit_length() > MAX_BITS
    return isinstance(found, (str, bytes, bytearray, *_COLLECTIONS)) and len(found) > MAX_ELEMENTS
