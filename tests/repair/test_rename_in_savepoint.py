"""Why no rename inside a savepoint is offered for sources: asked of real Flinks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.extract.runtime.conftest import jars_of

SOURCE = Path(__file__).parent / "java" / "RenameInSavepoint.java"


@pytest.mark.flink
@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_a_rename_inside_the_savepoint_drops_the_coordinators_state(version: str, tmp_path: Path) -> None:
    jars = f"{jars_of(version)}/*"
    subprocess.run(["javac", "-proc:none", "-cp", jars, "-d", str(tmp_path), str(SOURCE)], check=True)
    command = ["java", "-cp", f"{tmp_path}:{jars}", "RenameInSavepoint"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["false"]
