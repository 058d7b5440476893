"""The small API programs, read from source, against what five Flink versions built of them."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.extract.java.api_programs import VERSIONS, Program, dumps_of, evaluate, programs
from tests.extract.java.recorded import Outcome

DATA = Path(__file__).parents[2] / "data"

BATCH = "batch mode"
REFLECTION = "getMethods"
"""``S4.to`` calls ``sinkTo`` of a proxy by reflection."""
UNDECIDED: dict[tuple[str, str], str] = {
    ("S10.java", "fromElements p1 sinkV2"): REFLECTION,
    ("S10.java", "flip27 map sinkV2"): REFLECTION,
    ("S10.java", "legacy map sinkV2"): REFLECTION,
    ("S10.java", "legacy sinkV2 direct"): REFLECTION,
    ("S10.java", "graph twice"): "L.sg() is not in the repository",
    ("S14.java", "idsid"): "L.sg() is not in the repository",
    ("S13.java", "consecutive hash batch"): "DataStream is not in the repository",
    ("S13.java", "consecutive hash batch diff par"): "DataStream is not in the repository",
    ("S13.java", "consecutive hash batch unchained"): "DataStream is not in the repository",
    ("S13.java", "consecutive hash streaming"): "Flink refuses",
    ("S13.java", "consecutive hash streaming diff par"): "DataStream is not in the repository",
    ("S13.java", "unspecified batch unchained"): BATCH,
    ("S13.java", "unspecified streaming"): "Flink refuses",
    ("S3.java", "cache batch"): BATCH,
    **{
        ("S3.java", f"multi {name}"): "MultipleInputTransformation.addInput() is not in the repository"
        for name in (
            "ALWAYS",
            "HEAD_WITH_SOURCES",
            "HWS one source two consumers",
            "HWS same source twice",
            "HWS union",
            "HWS legacy source",
            "HWS diff par",
            "HWS ssg",
            "HWS sole input",
            "HWS uid on src",
            "HWS later heads",
        )
    },
    ("S3.java", "reinterpret"): "DataStreamUtils",
    ("S3.java", "reinterpret diff par"): "Flink refuses",
    ("S3.java", "fullWindowPartition"): "is an unknown call of the DataStream API",
    ("S3.java", "asQueryableState"): "is an unknown call of the DataStream API",
    ("S3.java", "createInput"): "Flink refuses",
    ("S14.java", "createInput file"): "unknown call createInput() of the environment",
    ("S6.java", "union of one"): "UnionTransformation is not in the repository",
    ("S10.java", "side out of side"): "DataStream is not in the repository",
    ("S6.java", "automatic bounded"): "AUTOMATIC is batch",
    ("S3.java", "custom op"): "chaining strategy",
    ("S6.java", "batch all pipelined"): BATCH,
    ("S6.java", "batch basic"): BATCH,
    ("S6.java", "batch default sched"): BATCH,
    ("S6.java", "batch forward diff"): BATCH,
    ("S6.java", "batch sched AdaptiveBatch"): BATCH,
    ("S6.java", "batch unbounded err"): "Flink refuses",
    ("S6.java", "batch exchange BATCH forward"): "getConstructors",
    ("S6.java", "exchange BATCH streaming"): "getConstructors",
    ("S6.java", "exchange BATCH upstream of another partition"): "getConstructors",
    ("S6.java", "exchange PIPELINED streaming"): "getConstructors",
}
"""(file, program) of what is left open in every version that has it, with a part of the reason.

All of ``S4.java`` is: it hands proxies to ``sinkTo``, mostly by reflection, and Flink refuses a few of them.
"""


FILES = sorted((DATA / "java" / "api").glob("S*.java"))


@cache
def recorded_programs(version: str, path: Path) -> dict[str, tuple[Program, dict[str, Any] | str]]:
    """The programs of a file that were recorded with a version, and what Flink built of each."""
    known = dumps_of(DATA / "api", version).get(path.stem, {})
    major, minor = (int(part) for part in version.split("."))
    return {p.name: (p, known[p.name]) for p in programs(path, (major, minor)) if p.name in known}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("version", VERSIONS)
def test_read_as_flink_built_it(version: str, path: Path) -> None:
    programs_of_file = recorded_programs(version, path).values()
    short = {program.name: shortfall(program, recorded, version) for program, recorded in programs_of_file}
    assert {name: why for name, why in short.items() if why is not None} == {}


def shortfall(program: Program, recorded: dict[str, Any] | str, version: str) -> str | None:
    """What is read otherwise than Flink built it, or is undecided for another reason than the one above."""
    comparison = evaluate(program, recorded, version)
    factory_alone_chooses = program.name == "custom op" and version.startswith("2.")
    expected = None if factory_alone_chooses else UNDECIDED.get((program.file, program.name))
    if expected is None and program.file == "S4.java" and comparison.outcome is Outcome.UNDECIDED:
        reasons = (REFLECTION, "Flink refuses", "Proxy")
        expected = next((reason for reason in reasons if reason in comparison.reason), "an expected reason")
    outcome = Outcome.EXACT if expected is None else Outcome.UNDECIDED
    if comparison.outcome is outcome and (expected or "") in comparison.reason:
        return None
    return f"{comparison.outcome}: {comparison.reason}"


def test_all_programs_are_there() -> None:
    found = {(path, name) for version in VERSIONS for path in FILES for name in recorded_programs(version, path)}
    assert len(found) > 280
