"""What the planner's process takes of a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSource:
    """One class that functions are made of. ``units`` is Java source without bodies: (file name, text).

    ``name`` is how the statement calls it.

    ``failure`` says why the class can't be declared: what uses it is undecided.
    """

    name: str
    units: tuple[tuple[str, str], ...] = ()
    failure: str | None = None
    files: tuple[str, ...] = ()
    """The files of the repository that declare it."""

    def record(self) -> dict[str, Any]:
        """As the planner's process takes it."""
        return {"class": self.name, "units": [list(unit) for unit in self.units], "failure": self.failure}
