"""What is not known of a table's operators: the planner's child process notes it, the topology says it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """Which of a table's operators are concerned."""

    ALL = "all"
    SOURCE = "source"
    SINK = "sink"
    SOURCE_PARALLELISM = "source-parallelism"


@dataclass(frozen=True, slots=True, order=True)
class OpenTable:
    """``definition`` is all that may decide on what is not known: where it is equal, so are the operators."""

    table: str
    part: Part
    why: str
    definition: str
