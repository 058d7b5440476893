"""Reads ``flink_names.toml``: names of Flink's, Java's and PyFlink's classes and methods, and what they stand for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(files("checker.extract.datastream").joinpath("flink_names.toml").read_text(encoding="utf-8"))


def words(name: str) -> frozenset[str]:
    """A list of names."""
    return frozenset(_document()[name].split())


def table(name: str) -> Mapping[str, Any]:
    """Names with what they stand for."""
    found: Mapping[str, Any] = _document()[name]
    return found


BASIC_TYPES: Mapping[str, str] = table("basic_types")
"""Names of ``Types``, and of the constants of ``BasicTypeInfo`` and its like → the type."""
