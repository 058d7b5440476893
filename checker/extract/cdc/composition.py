"""``composition.toml``: what each release of Flink CDC composes, and of which connectors it is known."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


@cache
def table() -> Mapping[str, Any]:
    """All of it."""
    return tomllib.loads(Path(__file__).with_name("composition.toml").read_text("utf-8"))


def releases() -> tuple[str, ...]:
    """Those that are known, oldest first."""
    return tuple(table()["flink"])


def of_release(rows: Iterable[Row], release: str) -> list[Row]:
    """The rows that count for a release."""
    at = _number(release)
    return [r for r in rows if _number(r.get("since", "0.0")) <= at <= _number(r.get("until", "99.0"))]


def names_of(part: str) -> frozenset[str]:
    """The types of sources, or of sinks, that any release has."""
    return frozenset(row["type"] for row in table()[part])


def _number(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def since(row: Row, key: str, release: str) -> bool:
    """Whether something holds from a release on that the row names, and this is that one or a later one."""
    return key in row and _number(row[key]) <= _number(release)
