"""Records as JSON has them: what a document says of a record under the names of the record's own fields."""

from __future__ import annotations

from enum import Enum
from typing import Any

from checker.model.unknowns import Location


def plain(value: Any) -> Any:
    """A value of a record: enumerations by their value, tuples as lists, places as ``{file, line, column}``."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Location):
        return {"file": value.file, "line": value.line, "column": value.column}
    return [plain(part) for part in value] if isinstance(value, tuple) else value


def fields(record: object, *names: str) -> dict[str, Any]:
    """Some fields of a record, by their names."""
    return {name: plain(getattr(record, name)) for name in names}
