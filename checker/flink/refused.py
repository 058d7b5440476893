"""The exception that carries Flink's refusal out of the graph core's inner functions."""

from __future__ import annotations

from checker.model.stream_graph import NodeKey
from checker.model.translation import Refusal, RefusalKind


class RefusedError(Exception):
    """Flink would refuse the program here. Never leaves ``checker.flink``: it becomes ``Translation.refusal``."""

    def __init__(self, kind: RefusalKind, message: str, *operators: NodeKey) -> None:
        super().__init__(message)
        self.refusal = Refusal(kind=kind, message=message, operators=operators)
