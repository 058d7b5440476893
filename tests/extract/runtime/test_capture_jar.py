"""The one Java class of ours: its jar is what its source gives, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.extract.runtime import capture
from scripts.build_jars import build
from tests.flinks import jars_of

JAVA = Path(capture.__file__).parent / "java"


@pytest.mark.flink
def test_the_shipped_jar_is_built_from_the_shipped_source(tmp_path: Path) -> None:
    built = tmp_path / "capture.jar"
    build(jars_of("1.20.5"), JAVA / "src", built)
    assert built.read_bytes() == (JAVA / "capture.jar").read_bytes()
