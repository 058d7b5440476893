"""Types of a stream's elements, as the readers spell them, for the planner."""

from __future__ import annotations

from typing import Any

from checker.model.topology import ClassShape, Maybe, Unknown

Record = dict[str, Any]


def type_record(type_: Maybe[str] | None, classes: tuple[ClassShape, ...]) -> Record:
    """The type, or why it is not known."""
    why = type_.reason if isinstance(type_, Unknown) else "the type of a stream's elements is not known"
    return {"type": None, "why": why}
