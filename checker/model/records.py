"""Records of which a graph holds tens of thousands."""

from dataclasses import dataclass, field
from typing import Any, dataclass_transform


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(*, kw_only: bool = True, order: bool = False) -> Any:
    """A dataclass that is frozen for whoever checks types, and nothing more at run time.

    Python makes a frozen one three times as slowly: it took a fifth of the time in which a graph is built.
    """
    return dataclass(slots=True, unsafe_hash=True, kw_only=kw_only, order=order)
