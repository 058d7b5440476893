"""Refusals, in the order in which Flink would meet them."""

from __future__ import annotations

from dataclasses import dataclass

from checker.model.operator_ids import OperatorId
from checker.model.restore import Moment, RestoreRule


@dataclass(frozen=True, slots=True)
class Refusal:
    """Flink refuses (or, with ``undecided``, may refuse) the restore. Ids are those that Flink's message names.

    ``concerns`` are the operator states behind it, for the table.
    """

    rule: RestoreRule
    message: str
    operator: OperatorId | None = None
    vertex: OperatorId | None = None
    moment: Moment = Moment.JOB_INITIALIZATION
    undecided: bool = False
    concerns: tuple[OperatorId, ...] = ()
