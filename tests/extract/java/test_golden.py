"""Programs over all API areas, read from source, against what real Flink 1.20.5 and 2.3.0 built of them.

``golden/capture/record.py`` makes the recordings.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from checker.extract import java
from checker.flink.translate import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation
from tests.extract.java.recorded import Comparison, Outcome, compare, compare_ids

FOLDER = Path(__file__).with_name("golden")
VERSIONS = ("1.20.5", "2.3.0")


@cache
def recordings(version: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((FOLDER / f"recorded-{version}.json").read_text(encoding="utf-8"))
    return found


@cache
def sources(version: str) -> MemoryFiles:
    contents = {}
    for path in sorted(FOLDER.glob("*.java")):
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        if not first.startswith("// flink: ") or version.startswith(first.removeprefix("// flink: ")):
            contents[f"src/main/java/golden/{path.name}"] = path.read_bytes()
    return MemoryFiles(contents)


def read(version: str, name: str, parallelism: int) -> Translation:
    recorded = recordings(version)[name]
    entry = PipelineEntry(
        name=name,
        extract=ExtractorKind.JAVA,
        main=name,
        args=tuple(recorded["args"]),
        parallelism=parallelism,
        flink=version,
    )
    return translate(java.extract(sources(version), entry), version)


LEFT_OPEN = {
    f"golden.{name}"
    for name in (
        "Format",
        "FunctionsAsValues",
        "Generic",
        "OwnSinks",
        "Record",
        "Reinterpreted",
        "Streams",
        "Text",
        "Throw",
        "Tree",
    )
}
"""Programs with calls of Java's library, or of Flink's, that hardly any program was seen to make."""
PROGRAMS = [(version, name) for version in VERSIONS for name in recordings(version)]


@pytest.mark.parametrize(("version", "name"), PROGRAMS)
def test_read_as_flink_built_it(version: str, name: str) -> None:
    recorded = recordings(version)[name]
    if name in LEFT_OPEN:
        assert compare(read(version, name, 4), recorded).outcome is Outcome.UNDECIDED
        return
    _check(compare(read(version, name, 4), recorded))
    _check(compare_ids(read(version, name, 1), recorded["ids_at_parallelism_1"]))


def _check(comparison: Comparison) -> None:
    assert comparison.outcome is Outcome.EXACT, comparison.reason


def test_there_are_programs_of_every_area() -> None:
    for version in VERSIONS:
        files = {recorded["file"] for recorded in recordings(version).values()}
        assert files == {path.rpartition("/")[2] for path in sources(version).paths()}
        assert len(recordings(version)) >= 40
