from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from checker.savepoint.places import PathMapping

ARCHIVE = Path(__file__).parent.parent / "data" / "savepoints" / "snapshots.tar.xz"


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded snapshots of real jobs, unpacked."""
    folder = tmp_path_factory.mktemp("snapshots")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def mappings(snapshots: Path) -> tuple[PathMapping, ...]:
    """Absolute paths in the recorded checkpoints begin with a folder of the machine that wrote them."""
    return (PathMapping("/var/flink/state", str(snapshots)),)
