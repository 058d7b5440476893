"""How long a HOCON text is with its substitutions written out, told before anything is put in their places."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

MOST_CHARACTERS: Final = 1_000_000
_MOST_OF_ITSELF: Final = 5
"""Substitutions by the key that they stand in, which appends to what it was before."""
_MOST_BRACKETS: Final = 2_000
_PIECE: Final = re.compile(
    r'(?<!\\)(?:"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*+")|(?:#|//)[^\n]*|\$\{\??(?P<name>[^}\n]{1,500})\}|(?P<bare>[\w.\-]+)|(?P<mark>[{}\n,=:\[\]])'
)


@dataclass(slots=True)
class _Definition:
    """A value under a key: its length, and the names that stand in it."""

    length: int = 0
    names: list[str] = field(default_factory=list)


def too_long(text: str) -> bool:
    """Whether the text stands for more than ``MOST_CHARACTERS``, or refers to itself many times."""
    if len(text) > MOST_CHARACTERS or text.count("{") + text.count("[") > _MOST_BRACKETS:
        return True
    definitions = _definitions(text)
    sizes: dict[str, int] = {}
    open_, of_itself = set[str](), 0

    def size(name: str) -> int:
        nonlocal of_itself
        if name in open_:
            of_itself += 1
            return len(text)
        if name not in sizes:
            open_.add(name)
            found = sum(d.length + sum(map(size, d.names)) for d in definitions.get(name, ()))
            sizes[name] = min(found, MOST_CHARACTERS + 1)
            open_.discard(name)
        return sizes[name]

    everything = sum(size(m["name"].rpartition(".")[2].strip(' "')) for m in _PIECE.finditer(text) if m["name"])
    return everything > MOST_CHARACTERS or of_itself > _MOST_OF_ITSELF


def _definitions(text: str) -> dict[str, list[_Definition]]:
    """What stands under each name, by the last part of its path: the values of keys of that name, wherever they are."""
    found: dict[str, list[_Definition]] = {}
    levels: list[list[_Definition]] = [[]]
    word, begun = "", False
    for piece in _PIECE.finditer(text):
        for level in levels:
            for definition in level:
                definition.length += len(piece[0])
                if piece["name"]:
                    definition.names.append(piece["name"].rpartition(".")[2].strip(' "'))
        mark = piece["mark"]
        if mark in ("=", ":") or (mark == "{" and word):
            definition = _Definition()
            found.setdefault(word.rpartition(".")[2], []).append(definition)
            levels[-1].append(definition)
        if mark in ("{", "["):
            levels.append([])
        elif mark in ("}", "]") and len(levels) > 1:
            levels.pop()
        elif mark == "," or (mark == "\n" and not begun):
            levels[-1] = []
        begun = mark in ("=", ":") or (begun and mark == "\n")
        word = piece["bare"] or (piece[0].strip('"') if piece[0][0] == '"' else word if mark is None else "")
    return found
