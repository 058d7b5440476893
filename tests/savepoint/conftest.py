import tarfile
from pathlib import Path

import pytest

from checker.savepoint.places import PathMapping

DATA = Path(__file__).parent.parent / "data" / "savepoints"


def unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(DATA / name) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded snapshots of real jobs, unpacked."""
    return unpacked("snapshots.tar.xz", tmp_path_factory.mktemp("snapshots"))


@pytest.fixture(scope="session")
def more(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Further recorded snapshots, unpacked."""
    return unpacked("more.tar.xz", tmp_path_factory.mktemp("more"))


@pytest.fixture(scope="session")
def mappings(snapshots: Path) -> tuple[PathMapping, ...]:
    """Absolute paths in the recorded checkpoints begin with a folder of the machine that wrote them."""
    return (PathMapping("/var/flink/state", str(snapshots)),)
