"""Splits a script as Flink's SQL client does: statements end with a semicolon outside of quotes and comments."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""--[^\n]*            # comment to the end of the line
      | /\*.*?(?:\*/|\Z)    # block comment; a hint /*+ ... */ is kept
      | '(?:[^']|'')*(?:'|\Z)
      | `(?:[^`]|``)*(?:`|\Z)
      | "(?:[^"]|"")*(?:"|\Z)
      | ;
      | [^-/'`";]+ | .""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement without comments, and the line on which it begins, counted from 1."""

    text: str
    line: int


def split(script: str) -> tuple[Statement, ...]:
    """The statements of a script in order, empty ones left out."""
    found: list[Statement] = []
    text, line, at = "", 1, 1
    for token in (*_TOKEN.findall(script), ";"):
        if token == ";":
            if text.strip():
                found.append(Statement(text.strip(), line))
            text = ""
        elif token.startswith("--") or (token.startswith("/*") and not token.startswith("/*+")):
            text += " "
        else:
            if not text.strip() and token.strip():
                line = at + token[: len(token) - len(token.lstrip())].count("\n")
            text += token
        at += token.count("\n")
    return tuple(found)
