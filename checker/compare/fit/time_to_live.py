"""Time-to-live switched on or off under a state: which Flink takes the state over.

Asked of real Flinks (``tests/gate/java/RestoreLab.java``), on both backends: refused until 2.0, taken over by RocksDB
from 2.1 and by the heap backend from 2.2 on.
"""

from __future__ import annotations

from checker.compare.fit.types import Fit
from checker.model.topology import StateDescriptor


def ttl_switched(before: StateDescriptor, after: StateDescriptor) -> bool:
    """Whether both sides are known and differ."""
    return before.ttl is not None and after.ttl is not None and before.ttl != after.ttl


def ttl_fit(flink: str | None, on_heap: bool | None = None) -> Fit:
    """Whether the given version takes over state that was switched; ``on_heap`` None = the backend is not known."""
    if flink is None:
        return Fit.OPEN
    major, minor = (int(part) for part in flink.split("-")[0].split(".")[:2])
    if (major, minor) != (2, 1):
        return Fit.SAME if (major, minor) > (2, 1) else Fit.INCOMPATIBLE
    return Fit.OPEN if on_heap is None else Fit.INCOMPATIBLE if on_heap else Fit.SAME
