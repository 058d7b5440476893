"""Plain values of a document → records, by the types of their fields. What is wrong is named by its path."""

from collections.abc import Callable, Set
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from checker.model.unknowns import Unknown

Path = tuple[str | int, ...]
T = TypeVar("T")
Reader = Callable[[Any, Path], Any]


class BadFieldError(Exception):
    """A field that breaks the format: its path in the document, and what is wrong."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


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
        return tuple([read(item, (*path, place)) for place, item in enumerate(value)])

    return read_all


def kind_of(value: Any) -> str:
    """What a value is, in the words of somebody who writes YAML."""
    if value is None:
        return "nothing"
    return {bool: "true/false", int: "a number", float: "a number", str: "text", list: "a list", dict: "a mapping"}.get(
        type(value), f"a {type(value).__name__}"
    )


def _option(value: Any, path: Path) -> str | int | bool | None:
    if value is not None and not isinstance(value, str | int | bool):
        raise BadFieldError(path, f"must be a plain value, not {kind_of(value)}")
    return value


PLAIN: dict[Any, Reader] = {}
"""Type → how it is read, where that does not follow from the type itself."""


class RecordReader(Generic[T]):
    """Reads a mapping as a dataclass: every field as its type says, no field twice, none that the class has not.

    ``spelled`` gives fields another key in the document, ``readers`` reads some otherwise than their type says.
    """

    def __init__(
        self, record: type[T], *, spelled: dict[str, str] | None = None, readers: dict[str, Reader] | None = None
    ) -> None:
        self._record = record
        self._spelled = spelled or {}
        self._own = readers or {}

    @cached_property
    def _fields(self) -> dict[str, tuple[str, Reader]]:
        """Key in the document → field and how it is read."""
        hints = get_type_hints(self._record)
        return {
            self._spelled.get(f.name, f.name): (f.name, self._own.get(f.name) or reader_of(hints[f.name]))
            for f in fields(self._record)  # type: ignore[arg-type]
        }

    @cached_property
    def _required(self) -> tuple[str, ...]:
        without = {f.name for f in fields(self._record) if f.default is f.default_factory is MISSING}  # type: ignore[arg-type]
        return tuple(key for key, (name, _) in self._fields.items() if name in without)

    def __call__(self, value: Any, path: Path, known: Set[str] | None = None) -> T:
        """The record. ``known`` are the keys that are allowed, by default every field's. Raises BadFieldError."""
        if not isinstance(value, dict):
            raise BadFieldError(path, f"must be a mapping, not {kind_of(value)}")
        allowed = self._fields.keys() if known is None else known
        if not value.keys() <= allowed:
            key = next(key for key in value if key not in allowed)
            raise BadFieldError((*path, str(key)), f"unknown field; known are {', '.join(sorted(allowed))}")
        for key in self._required:
            if value.get(key) is None:
                raise BadFieldError((*path, key), "is required")
        given = {}
        for key, raw in value.items():
            if raw is not None and key in self._fields:
                name, read = self._fields[key]
                given[name] = read(raw, (*path, key))
        return self._record(**given)


@cache
def reader_of(kind: Any) -> Reader:
    """How a value of a type is read; ``X | Unknown`` also as ``{"unknown": "why"}``."""
    if kind in PLAIN:
        return PLAIN[kind]
    if get_origin(kind) is tuple:
        return items(reader_of(get_args(kind)[0]))
    if get_origin(kind) in (Union, UnionType):
        some = [alternative for alternative in get_args(kind) if alternative not in (NoneType, Unknown)]
        if not some:
            return unknown_of
        read = reader_of(some[0])
        return or_unknown(read) if Unknown in get_args(kind) else read
    return one_of(kind) if issubclass(kind, Enum) else RecordReader(kind)


def or_unknown(read: Reader) -> Reader:
    """The same, or ``{"unknown": "why"}``."""

    def either(value: Any, path: Path) -> Any:
        return unknown_of(value, path) if isinstance(value, dict) and "unknown" in value else read(value, path)

    return either


unknown_of = RecordReader(Unknown, spelled={"reason": "unknown"}, readers={"options": items(_option)})
"""``{"unknown": "why", ...}``."""
PLAIN.update({str: text, bool: boolean, int: integer(1), Unknown: unknown_of})
