"""Answers about members with certain names, used again for other names that make no difference to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Wanted:
    """Names of members that are looked for. It notes which names it is asked about."""

    __slots__ = ("_names", "asked")

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self.asked: set[str] = set()

    def __contains__(self, name: str) -> bool:
        self.asked.add(name)
        return name in self._names

    def isdisjoint(self, names: Iterable[str]) -> bool:
        """Whether none of some names is wanted."""
        several = frozenset(names)
        self.asked |= several
        return self._names.isdisjoint(several)


_KEPT = 6
"""Answers kept for one question: names are looked for in rounds, and again for another pipeline."""


class Answers(Generic[T]):
    """The last answers to each question: one holds for other names where all that it asked about are as before."""

    def __init__(self) -> None:
        self._known: dict[Hashable, deque[tuple[frozenset[str], set[str], T]]] = {}

    def of(self, question: Hashable, names: frozenset[str], answer: Callable[[Wanted], T]) -> T:
        """The answer to a question for such names."""
        known = self._known.setdefault(question, deque(maxlen=_KEPT))
        for before, asked, found in known:
            if asked.isdisjoint(names ^ before):
                return found
        wanted = Wanted(names)
        found = answer(wanted)
        known.appendleft((names, wanted.asked, found))
        return found
