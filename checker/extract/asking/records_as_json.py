"""Records as JSON, as the cache keeps them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, get_args, get_type_hints

_CONTAINERS: dict[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}
_VALUES = frozenset({str, int, float, bool, type(None)})


class RecordsAsJson:
    """JSON for objects of some classes, and of those that their fields name."""

    def __init__(self, *classes: type) -> None:
        self._roots = classes

    def document(self, found: Any) -> Any:
        """As JSON: plain values as they are, all others a list that begins with what they are. Raises TypeError."""
        kind = type(found)
        if kind in _VALUES:
            return found
        if kind.__name__ in _CONTAINERS:
            parts = found if kind is tuple or kind is list else sorted(found)
            return [kind.__name__, *(parts if _VALUES.issuperset(map(type, parts)) else map(self.document, parts))]
        if kind is dict:
            return ["dict", *([self.document(key), self.document(value)] for key, value in found.items())]
        if isinstance(found, Enum):
            return [kind.__name__, found.value]
        if not is_dataclass(kind):
            raise TypeError(kind.__name__)
        return [kind.__name__, *(self.document(getattr(found, name)) for name in _names(kind))]

    def made(self, document: Any) -> Any:
        """From JSON. Raises ValueError, TypeError or KeyError for anything other than ``document`` gives."""
        if not isinstance(document, list):
            return document
        name, *parts = document
        if name == "dict":
            return {self.made(key): self.made(value) for key, value in parts}
        if name in _CONTAINERS:
            return _CONTAINERS[name](map(self.made, parts) if list in map(type, parts) else parts)
        kind = _classes(self._roots)[name]
        if issubclass(kind, Enum):
            return kind(*parts)
        return kind(**dict(zip(_names(kind), map(self.made, parts), strict=True)))


@lru_cache(maxsize=256)
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


@lru_cache(maxsize=8)
def _classes(roots: tuple[type, ...]) -> dict[str, Any]:
    """The classes that fields may hold, by their names. Raises TypeError where two have one name."""
    found: dict[str, type] = {}
    pending: list[Any] = list(roots)
    while pending:
        kind = pending.pop()
        pending.extend(get_args(kind))
        if not isinstance(kind, type) or found.get(kind.__name__) is kind:
            continue
        if is_dataclass(kind) or issubclass(kind, Enum):
            if found.setdefault(kind.__name__, kind) is not kind:
                raise TypeError(f"two classes {kind.__name__}")
            pending.extend(get_type_hints(kind).values() if is_dataclass(kind) else ())
    return found
