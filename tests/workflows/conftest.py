"""Fixtures of other areas that these tests use."""

from __future__ import annotations

from tests.savepoint.conftest import snapshots

__all__ = ["snapshots"]
