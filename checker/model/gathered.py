"""Values by a key that several of them share, and everything that can be reached along edges.

Parts of documents that others write (manifests, answers of REST): what is of another kind counts as empty.

Lists inside of texts: of arguments, types, columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

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


def table_in(value: Any) -> Mapping[str, Any]:
    """A mapping, its keys as texts."""
    return {str(key): inner for key, inner in value.items()} if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:
    """A list."""
    return value if isinstance(value, list) else []


def text_in(value: Any) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def spelled(value: Any) -> str:
    """A plain value as YAML spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def split_list(text: str) -> list[str]:
    """Elements between commas that stand outside of brackets and quotes."""
    found, opened, start, quoted = [], "", 0, False
    for place, char in enumerate(text):
        if char == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{" or (char == "<" and (text[:place][-1:].isalnum() or text[:place].endswith(("_", "$")))):
            opened += char  # ARRAY<INT>; others compare
        elif char in ")]}" or (char == ">" and opened.endswith("<")):
            opened = opened[:-1]
        elif char == "," and not opened:
            found.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*found, last] if last or found else []
