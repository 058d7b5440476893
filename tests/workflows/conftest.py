"""Fixtures of other areas that these tests use."""

from tests.savepoint.conftest import snapshots

__all__ = ["snapshots"]
