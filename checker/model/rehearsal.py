"""A start that was really tried: the head's planned job from a savepoint of the base's planned job."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Start(StrEnum):
    """What Flink did when it was asked to start the head from the base's savepoint."""

    STARTED = "started"
    """All tasks of the job run."""
    REFUSED = "refused"
    """The job was refused before any task ran: state without an operator, or another maximum parallelism."""
    FAILED = "failed"
    """A task failed while it took its state over."""
    NOT_TRIED = "not-tried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """Flink's own verdict, without ``--allowNonRestoredState``. ``message`` is Flink's, or why nothing was tried."""

    start: Start
    message: str = ""
