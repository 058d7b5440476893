"""Answers about members with certain names, used again for other names that make no difference to them."""

from __future__ import annotations

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


class Answers(Generic[T]):
    """The last answer to each question: it holds for other names where all names that it asked about are as before."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[frozenset[str], set[str], T]] = {}

    def of(self, question: Hashable, names: frozenset[str], answer: Callable[[Wanted], T]) -> T:
        """The answer to a question for such names."""
        known = self._known.get(question)
        if known is not None and known[1].isdisjoint(names ^ known[0]):
            return known[2]
        wanted = Wanted(names)
        found = answer(wanted)
        self._known[question] = names, wanted.asked, found
        return found
