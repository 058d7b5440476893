"""Values by a key that several of them share, and everything that can be reached along edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Each key with its values, both in the order in which they come."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def reached(first: Iterable[Key], leads_to: Callable[[Key], Iterable[Key]]) -> dict[Key, None]:
    """Some things and all that these lead to, each once: as the keys of a dictionary, which keep an order."""
    found: dict[Key, None] = {}
    pending = list(first)
    while pending:
        current = pending.pop()
        if current not in found:
            found[current] = None
            pending.extend(leads_to(current))
    return found
