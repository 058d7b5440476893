"""Reading one mapping of a topology document: every access names its path, and a wrong value is told in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from checker.model.topology import Cause, Location, Unknown

_LOCATION = frozenset({"file", "line", "column"})
_UNKNOWN = frozenset({"unknown", "cause", "settled_by", "location", "options", "made_of"})
Path = tuple[str | int, ...]
T = TypeVar("T")


class BadFieldError(Exception):
    """A field that breaks the format: its path in the document, and what is wrong."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


class Fields:
    """One mapping of a document while it is read: every access names its path, nothing is left unread."""

    def __init__(self, raw: Any, path: Path, known: frozenset[str]) -> None:
        if not isinstance(raw, dict):
            raise BadFieldError(path, f"must be a mapping, not {kind_of(raw)}")
        self.raw: dict[str, Any] = raw
        self.path = path
        for key in raw:
            if key not in known:
                raise BadFieldError((*path, str(key)), f"unknown field; known are {', '.join(sorted(known))}")

    def maybe(self, key: str, read: Callable[[Any, Path], T]) -> T | Unknown | None:
        """A field that may be absent, hold a value, or ``{"unknown": "why"}``."""
        value = self.raw.get(key)
        if value is None:
            return None
        if isinstance(value, dict) and "unknown" in value:
            return unknown_of(value, (*self.path, key))
        return read(value, (*self.path, key))

    def known(self, key: str, read: Callable[[Any, Path], T]) -> T | None:
        """A field that may be absent or hold a value, but can't be unknown."""
        value = self.raw.get(key)
        return None if value is None else read(value, (*self.path, key))

    def required(self, key: str, read: Callable[[Any, Path], T]) -> T:
        """A field that must hold a value."""
        if self.raw.get(key) is None:
            raise BadFieldError((*self.path, key), "is required")
        return read(self.raw[key], (*self.path, key))


def text(value: Any, path: Path) -> str:
    """Any text."""
    if not isinstance(value, str):
        raise BadFieldError(path, f"must be text, not {kind_of(value)}; quote it")
    return value


def boolean(value: Any, path: Path) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise BadFieldError(path, f"must be true or false, not {kind_of(value)}")
    return value


def integer(low: int, high: int | None = None) -> Callable[[Any, Path], int]:
    """A reader of whole numbers within bounds."""

    def read(value: Any, path: Path) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadFieldError(path, f"must be a whole number, not {kind_of(value)}")
        if value < low or (high is not None and value > high):
            bounds = f"{low} to {high}" if high is not None else f"at least {low}"
            raise BadFieldError(path, f"must be {bounds}, not {value}")
        return value

    return read


@cache
def one_of(enum: type[T]) -> Callable[[Any, Path], T]:
    """A reader of one of an enum's values."""
    values = {str(member): member for member in enum}  # type: ignore[attr-defined]

    def read(value: Any, path: Path) -> T:
        if not isinstance(value, str) or value not in values:
            shown = f"'{value}'" if isinstance(value, str) else kind_of(value)
            raise BadFieldError(path, f"must be one of {', '.join(values)}, not {shown}")
        found: T = values[value]
        return found

    return read


def items(read: Callable[[Any, Path], T]) -> Callable[[Any, Path], tuple[T, ...]]:
    """A reader of lists."""

    def read_all(value: Any, path: Path) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise BadFieldError(path, f"must be a list, not {kind_of(value)}")
        return tuple(read(one, (*path, place)) for place, one in enumerate(value))

    return read_all


def kind_of(value: Any) -> str:
    """What a value is, in the words of somebody who writes YAML."""
    if value is None:
        return "nothing"
    return {bool: "true/false", int: "a number", float: "a number", str: "text", list: "a list", dict: "a mapping"}.get(
        type(value), f"a {type(value).__name__}"
    )


def location_of(value: Any, path: Path) -> Location:
    """``{file, line, column}``."""
    fields = Fields(value, path, _LOCATION)
    line = fields.required("line", integer(1))
    return Location(fields.required("file", text), line, fields.known("column", integer(1)) or 1)


def unknown_of(value: Any, path: Path) -> Unknown:
    """``{"unknown": "why", ...}``."""
    fields = Fields(value, path, _UNKNOWN)

    def option(one: Any, where: Path) -> str | int | bool | None:
        if one is not None and not isinstance(one, str | int | bool):
            raise BadFieldError(where, f"must be a plain value, not {kind_of(one)}")
        return one

    return Unknown(
        reason=fields.required("unknown", text),
        cause=fields.known("cause", one_of(Cause)) or Cause.OTHER,
        settled_by=fields.known("settled_by", text),
        location=fields.known("location", location_of),
        options=fields.known("options", items(option)) or (),
        made_of=fields.known("made_of", text),
    )
