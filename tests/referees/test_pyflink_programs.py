"""What is read of random PyFlink programs is what PyFlink builds of them, with arguments and without.

Each commit has another seed, which a failure names; ``PYFLINK_SEED`` and ``PYFLINK_PROGRAMS`` set the first one and
how many. Where arguments are known nothing of these programs may be undecided.
"""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from tests.referees.pyflink_edits import changing, keeping
from tests.referees.pyflink_environment import pyflink_python
from tests.referees.pyflink_programs import Program, program
from tests.referees.pyflink_reading import LOST, UNCHANGED, UNDECIDED, WRONG, compared, judged, read
from tests.seeds import seed_of

SEED = seed_of("PYFLINK_SEED")
PROGRAMS = int(os.environ.get("PYFLINK_PROGRAMS") or 24)


@pytest.mark.flink
@pytest.mark.timeout(1800)
def test_programs_are_read_as_pyflink_builds_them(tmp_path: Path) -> None:
    asked = [program(SEED + number) for number in range(PROGRAMS)]
    source, target = tmp_path / "programs.jsonl", tmp_path / "runs.jsonl"
    lines = (json.dumps({"files": generated.files, "vectors": generated.vectors}) for generated in asked)
    source.write_text("\n".join(lines), encoding="utf-8")
    recorder = Path(__file__).with_name("record_programs.py")
    subprocess.run([str(pyflink_python()), str(recorder), str(source), str(target)], check=True, capture_output=True)
    runs = [json.loads(line)["runs"] for line in target.read_text(encoding="utf-8").splitlines()]
    failed = [
        (generated.seed, found.vector, found.why)
        for generated, recorded in zip(asked, runs, strict=True)
        for found in judged(generated.files, generated.vectors, recorded)
        if found.outcome == WRONG or (found.outcome == UNDECIDED and found.vector is not None)
    ]
    assert not failed
    built = sum(bool(run["jobs"]) for recorded in runs for run in recorded)
    assert built > len(asked)


@pytest.mark.timeout(600)
def test_an_edit_that_loses_state_under_some_arguments_never_passes_without_them() -> None:
    for number in range(6):
        generated = program(SEED + number)
        edited = _edited(generated, changing, SEED + number)
        started = [v for v in generated.vectors if not isinstance(read(edited, v), str)]  # an exception starts no job
        if any(compared(generated.files, edited, vector) == LOST for vector in started):
            assert compared(generated.files, edited, None) != UNCHANGED, (generated.seed, edited["job.py"])


@pytest.mark.timeout(600)
def test_an_edit_that_keeps_the_meaning_changes_nothing_under_known_arguments() -> None:
    for number in range(6):
        generated = program(SEED + number)
        edited = _edited(generated, keeping, SEED + number)
        assert {compared(generated.files, edited, vector) for vector in generated.vectors} <= {UNCHANGED}, (
            generated.seed,
            edited,
        )


def _edited(generated: Program, edit: object, seed: int) -> dict[str, str]:
    assert callable(edit)
    return {**generated.files, "job.py": edit(generated.files["job.py"], random.Random(seed))}
