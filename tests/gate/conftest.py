import json
from pathlib import Path
from typing import Any

import pytest

from tests.savepoint.conftest import mappings, more, snapshots

__all__ = ["mappings", "more", "recorded", "snapshots"]


@pytest.fixture(scope="session")
def recorded(snapshots: Path) -> dict[str, Any]:
    """Restore attempts on a MiniCluster and what Flink said."""
    verdicts: dict[str, Any] = json.loads((snapshots / "verdicts.json").read_text())
    assert len(verdicts["verdicts"]) == 204
    return verdicts
