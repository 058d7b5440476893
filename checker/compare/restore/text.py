"""Words that the restore rules share."""

from __future__ import annotations


def bytes_text(size: int) -> str:
    """``1.2 GB``: decimal units, as file systems and clouds count."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.95 or unit == "TB":
            return f"{value:.1f} {unit}"
    raise AssertionError("TB ends the loop")


def listed(items: tuple[str, ...] | list[str], limit: int = 5) -> str:
    """``a, b, c and 4 more``."""
    shown = ", ".join(items[:limit])
    return f"{shown} and {len(items) - limit} more" if len(items) > limit else shown
