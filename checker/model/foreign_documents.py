"""Parts of documents that others write (manifests, answers of REST): what is of another kind counts as empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def table_in(value: Any) -> Mapping[str, Any]:
    """A mapping, its keys as texts."""
    return {str(key): inner for key, inner in value.items()} if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:
    """A list."""
    return value if isinstance(value, list) else []


def text_in(value: Any) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def spelled(value: Any) -> str:
    """A plain value as YAML spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
