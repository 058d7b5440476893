"""What some things lead to, at any distance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def reached(first: Iterable[T], leads_to: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """Some things and all that these lead to, each once: as the keys of a dictionary, which keep an order."""
    found: dict[T, None] = {}
    pending = list(first)
    while pending:
        current = pending.pop()
        if current not in found:
            found[current] = None
            pending.extend(leads_to(current))
    return found
