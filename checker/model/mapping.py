"""What a team says about changed operators on purpose: old → new, or old → dropped."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingEntry:
    """One entry of ``savepoint-mapping.toml``.

    ``old`` and ``new`` are what a person calls the operators: uid, name, handle or operator id. ``new`` is None
    where the state is dropped on purpose. ``pipeline`` is a glob, None = any. ``source`` says where it is written.
    """

    old: str
    new: str | None
    reason: str
    source: str
    pipeline: str | None = None
