"""Code without the local variables that only name what the next statement takes: extracting one changes nothing."""

from __future__ import annotations

import re

_NAMED = re.compile(r"(?:final )?(?P<type>[\w.$]+) (?P<name>\$\d+) = (?P<value>[^;{}]+) ; ")
"""A declaration in Java's code as ``Detail.normal`` has it."""
_STEPS = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)|->|\?|&&|\|\|")
"""What makes the value of an expression depend on when it is evaluated."""
_OPERATORS = re.compile(r" [-+*/%<>&|^] |[!=]=|\binstanceof\b|^[(!~-]|^new ")
_BEFORE = re.compile(
    r"(?:(?:return|throw) |[\w$. <>,]+ = )?"
    r"(?:(?:new )?(?!while\b|for\b|switch\b|synchronized\b|try\b)[\w$]+(?: \. \w+)*(?: < [^()]* >)? \( )*"
)
"""The beginning of a statement that evaluates nothing but names before what follows."""
_WRITES = re.compile(r"\bwrite[A-Z]\w* \( $")
"""Calls of ``DataOutput``, whose names say the type of what they take."""
_OWN_TYPE = frozenset({"var", "String", "java.lang.String"})
"""Declared types that convert no value."""


def inlined(code: str) -> str:
    """Declared once, used once, as the first thing of the next statement: the value stands there instead."""
    start = 0
    while (named := _NAMED.search(code, start)) is not None:
        name, value = named["name"], named["value"]
        before, found, after = code[named.end() :].partition(f"{name} ")
        once = len(re.findall(rf"{re.escape(name)}(?!\d)", code)) == 2 and found != ""
        whole = after.startswith((") ", ", ", "; "))
        plain = _STEPS.search(value) is None and (whole or _OPERATORS.search(value) is None)
        converts = named["type"] not in _OWN_TYPE and not (whole and _WRITES.search(before))
        if once and plain and not converts and _BEFORE.fullmatch(before) is not None:
            code = f"{code[: named.start()]}{before}{value} {after}"
        else:
            start = named.end()
    numbers: dict[str, str] = {}
    return re.sub(r"\$\d+", lambda found: numbers.setdefault(found.group(), f"${len(numbers)}"), code)
