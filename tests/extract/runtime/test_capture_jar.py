"""The Java classes of ours: their jars are what their sources give, byte for byte."""

from pathlib import Path
from types import ModuleType

import pytest

from checker.extract.runtime import capture
from checker.extract.sql import planner
from scripts.build_jars import build
from tests.flinks import jars_of


@pytest.mark.flink
@pytest.mark.parametrize(("package", "jar"), [(capture, "capture.jar"), (planner, "stand-ins.jar")])
def test_the_shipped_jar_is_built_from_the_shipped_source(package: ModuleType, jar: str, tmp_path: Path) -> None:
    java = Path(str(package.__file__)).parent / "java"
    build(jars_of("1.20.5"), java / "src", tmp_path / jar)
    assert (tmp_path / jar).read_bytes() == (java / jar).read_bytes()
