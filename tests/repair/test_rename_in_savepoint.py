"""Why no rename inside a savepoint is offered for sources: asked of real Flinks."""

import subprocess
from pathlib import Path

import pytest

from tests.flinks import compiled, jars_of, java

SOURCE = Path(__file__).parent / "java" / "RenameInSavepoint.java"


@pytest.mark.flink
@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_a_rename_inside_the_savepoint_drops_the_coordinators_state(version: str, tmp_path: Path) -> None:
    jars = jars_of(version)
    command = [*java(compiled(tmp_path, jars, SOURCE), f"{jars}/*"), "RenameInSavepoint"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["false"]
