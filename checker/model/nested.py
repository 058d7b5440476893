"""The values nested in a record (topologies hold thousands), and records as JSON has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from checker.model.topology import Transformation
from checker.model.unknowns import Location, Unknown

Json = dict[str, Any]
"""An object as JSON has it. Its keys are fixed where it is written: by the schemas of the reports, by
``docs/ids-format.md``, by the child processes that answer with it."""


class _FieldNames(dict[type, tuple[str, ...]]):
    """The names of the fields of classes of records, none for any other class, but for some of one class."""

    def __init__(self, less: type | None = None, without: str = "") -> None:
        self._less, self._without = less, without

    def __missing__(self, kind: type) -> tuple[str, ...]:
        names = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
        self[kind] = tuple(name for name in names if kind is not self._less or name != self._without)
        return self[kind]


FIELD_NAMES: Final = _FieldNames()
"""The names of the fields of every class of records; none for any other class."""
_UNSHOWN: Final = _FieldNames(Transformation, "name")


def values_in(record: Any, *, names: bool = True) -> Iterator[Any]:
    """Every value in a record that is neither record nor tuple, and every Unknown as a whole, in no certain order.

    Without the names of transformations, which are for people, where ``names`` is false.
    """
    inside = FIELD_NAMES if names else _UNSHOWN
    pending = [record]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind is tuple:
            pending.extend(value)
        elif kind is not Unknown and (nested := inside[kind]):
            pending.extend([getattr(value, name) for name in nested])
        else:
            yield value


def unknowns_in(record: Any, *, names: bool = True) -> Iterator[Unknown]:
    """Every Unknown in a record, as ``values_in`` finds them."""
    return (value for value in values_in(record, names=names) if isinstance(value, Unknown))


def plain(value: Any) -> Any:
    """A value of a record: enumerations by their value, tuples as lists, places as ``{file, line, column}``."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Location):
        return {"file": value.file, "line": value.line, "column": value.column}
    return [plain(part) for part in value] if isinstance(value, tuple) else value


def picked(record: object, *names: str) -> dict[str, Any]:
    """Some picked of a record, by their names."""
    return {name: plain(getattr(record, name)) for name in names}
