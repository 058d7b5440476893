"""States, or the objects that keep them, which trade places in a function's code: each is used as the other one was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

_WORD: Final = re.compile(r"(?<!\. )(?<![\w$.])[A-Za-z_]\w*(?![\w.])")
_READ: Final = re.compile(r" \. (?:value|get|iterator|entries|values|keys|contains|isEmpty|immutableEntries) \(")


@dataclass(frozen=True, slots=True)
class Effects:
    """What one revision's function does: statements with local variables written out."""

    texts: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    """The fields for states, and for objects that keep states."""


def traded(base: Effects, head: Effects) -> bool:
    """Whether statements differ by nothing but two holders that changed places, and do more than to read them."""
    gone, new = base.texts - head.texts, head.texts - base.texts
    holders = base.holders & head.holders
    used = {text: holders.intersection(_WORD.findall(text)) for text in gone if new}
    for pair in combinations(sorted(holders), 2):
        matched = [text for text, words in used.items() if words & set(pair) and _exchanged(text, pair) in new]
        if {*pair} <= {name for text in matched for name in used[text]}:
            return any(_acts(text, pair) for text in matched)
    return False


def _exchanged(text: str, pair: tuple[str, str]) -> str:
    first, second = pair
    return _WORD.sub(lambda word: {first: second, second: first}.get(word[0], word[0]), text)


def _acts(text: str, pair: tuple[str, str]) -> bool:
    """Whether a statement does more with one of two holders than to read its state."""
    return any(_READ.match(text, place) is None for place in _ends(text, pair))


def _ends(text: str, pair: tuple[str, str]) -> Iterator[int]:
    return (word.end() for word in _WORD.finditer(text) if word[0] in pair)
