"""When two window assigners make the same windows, and old windows still fire."""

from __future__ import annotations

_NAMESPACES = {
    "TimeWindow": ("Tumbling", "Sliding", "EventTimeSession", "ProcessingTimeSession", "DynamicEventTime",
                   "DynamicProcessingTime"),
    "GlobalWindow": ("GlobalWindow", "CountWindow"),
}  # fmt: skip
"""Window kinds by how the names of their assigners begin."""


def same_windows(before: str, after: str) -> bool | None:
    """Whether two window assigners make windows of one kind; None where one is not an assigner of Flink's."""
    if before == after:
        return True
    old, new = _window_kind(before), _window_kind(after)
    return None if old is None or new is None else old == new


def old_windows_fire(before: str, after: str) -> bool:
    """Whether windows of one assigner, which are open in a savepoint, fire under another one of the same kind.

    Flink's ``WindowOperator`` ignores timers of windows that its set of merging windows does not know, and a trigger
    ignores timers of the other kind of time.
    """
    return _merging(before) == _merging(after) and ("ProcessingTime" in before) == ("ProcessingTime" in after)


def _merging(assigner: str) -> bool:
    return "Session" in assigner or assigner.startswith("Dynamic")


def _window_kind(assigner: str) -> str | None:
    return next((kind for kind, starts in _NAMESPACES.items() if assigner.startswith(starts)), None)
