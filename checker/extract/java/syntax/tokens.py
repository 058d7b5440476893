"""Java source as tokens, without comments and layout: cheaper than a tree, and enough to see whether code changed."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    rb'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*")|'
    rb"(?P<char>'(?:\\.|[^'\\\n])*')|(?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)|(?P<number>\d[\w.]*)|(?P<other>\S)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: ``kind`` is string, char, name, number or other; ``place`` its offset in bytes."""

    kind: str
    text: str
    place: int


def tokens(data: bytes, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens between two offsets."""
    return [
        Token(match.lastgroup or "other", match.group().decode("utf-8", "replace"), match.start())
        for match in _TOKEN.finditer(data, start, len(data) if end is None else end)
        if match.lastgroup != "comment"
    ]


def same_tokens(before: bytes, after: bytes) -> bool:
    """Whether two files say the same to the compiler."""
    one, other = ([m.group() for m in _TOKEN.finditer(data) if m.lastgroup != "comment"] for data in (before, after))
    return one == other
