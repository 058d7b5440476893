"""Who asks for which state, and whether its key groups fit: ``StateAssignmentOperation``, the same for all versions."""

from __future__ import annotations

from collections.abc import Container
from enum import StrEnum

from checker.model.operator_ids import OperatorId


def claimed_id(user: OperatorId | None, generated: OperatorId | None, there: Container[object]) -> OperatorId | None:
    """The id under which an operator takes state: the one it is pinned to where such state is there, else its own."""
    return user if user is not None and user in there else generated


class MaxParallelismFit(StrEnum):
    """Whether a vertex can take state that was written with some maximum parallelism."""

    FITS = "fits"
    TOO_LOW = "too-low"
    MISMATCH = "mismatch"


def max_parallelism_fit(recorded: int, parallelism: int, configured: int | None) -> MaxParallelismFit:
    """``checkParallelismPreconditions``: ``recorded`` with the state; ``configured`` None = the program sets none."""
    if recorded < parallelism:
        return MaxParallelismFit.TOO_LOW
    return MaxParallelismFit.FITS if configured in (None, recorded) else MaxParallelismFit.MISMATCH
