"""Java source as tokens, without comments and layout: cheaper than a tree, and enough to see whether code changed."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    rb'(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<string>(?<!\\)(?:"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*+"))|'
    rb"(?P<char>(?<!\\)'(?:\\.|[^'\\\n])*')|(?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)|(?P<number>\d[\w.]*)|(?P<other>\S)",
    re.DOTALL,
)


class Token(NamedTuple):
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


_MENTIONED = re.compile(
    rb'//[^\n]*|/\*.*?(?:\*/|\Z)|((?<!\\)(?:"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*+"))|\'(?:\\.|[^\'\\\n])\'|'
    rb"\d[\w.]*|([A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?:\s*\.\s*[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)*)",
    re.DOTALL,
)


class Mentions(NamedTuple):
    """The names in some source, qualified ones as one with dots, and its texts without quotes."""

    names: frozenset[str]
    strings: frozenset[str]


def mentions(data: bytes, start: int, end: int) -> Mentions:
    """What source between two offsets mentions: cheaper than its tokens."""
    found = set(_MENTIONED.findall(data, start, end))
    return Mentions(
        frozenset("".join(name.decode("utf-8", "replace").split()) for _, name in found if name),
        frozenset(text.decode("utf-8", "replace").strip('"') for text, _ in found if text),
    )


def same_tokens(before: bytes, after: bytes) -> bool:
    """Whether two files say the same to the compiler."""
    old, new = ([m.group() for m in _TOKEN.finditer(data) if m.lastgroup != "comment"] for data in (before, after))
    return old == new or (b"\\u" not in before + after and _without_idle_imports(old) == _without_idle_imports(new))


def _without_idle_imports(texts: list[bytes]) -> tuple[list[bytes], set[tuple[bytes, ...]]]:
    """A file's tokens without its imports, and the imports whose name occurs in them or that import on demand.

    An import of a single name that nothing mentions means nothing, and the order of imports neither (JLS 7.5).
    """
    code: list[bytes] = []
    imports: list[tuple[bytes, ...]] = []
    rest = iter(texts)
    for text in rest:
        if text == b"import":
            imports.append(tuple(iter(lambda: next(rest, b";"), b";")))
        else:
            code.append(text)
    used = {*code, b"*"}
    return code, {path for path in imports if not path or path[-1] in used}
