"""The small API programs, read from source, against what five Flink versions built of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.extract.java.api_programs import VERSIONS, Program, dumps_of, evaluate, programs
from tests.extract.java.recorded import Outcome

DATA = Path(__file__).parents[2] / "data"

UNDECIDED: dict[tuple[str, str], str] = {}
"""(file, program) of what is left open in every version that has it, with a part of the reason."""


def cases() -> list[tuple[str, Program, dict[str, Any] | str]]:
    found = []
    for version in VERSIONS:
        dumps = dumps_of(DATA / "api", version)
        major, minor = (int(part) for part in version.split("."))
        for path in sorted((DATA / "java" / "api").glob("S*.java")):
            known = dumps.get(path.stem, {})
            found.extend((version, p, known[p.name]) for p in programs(path, (major, minor)) if p.name in known)
    return found


CASES = cases()


@pytest.mark.parametrize(("version", "program", "recorded"), CASES, ids=[f"{v}-{p.file}-{p.name}" for v, p, _ in CASES])
def test_read_as_flink_built_it(version: str, program: Program, recorded: dict[str, Any] | str) -> None:
    comparison = evaluate(program, recorded, version)
    expected = UNDECIDED.get((program.file, program.name))
    if expected is None:
        assert comparison.outcome is Outcome.EXACT, comparison.reason
    else:
        assert comparison.outcome is Outcome.UNDECIDED, comparison.reason
        assert expected in comparison.reason


def test_all_programs_are_there() -> None:
    assert len({(program.file, program.name) for _, program, _ in CASES}) > 280
