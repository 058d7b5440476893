"""A small batch of fresh random programs, and the machinery that judges them."""

import pytest

from tests.referees.java_programs import Tally, Verdict, describe, findings, minimised
from tests.referees.jvm import started
from tests.referees.program_generator import ProgramGenerator
from tests.referees.source_tree import Block, Program, shrink
from tests.seeds import seed_of

COUNT = 10


@pytest.mark.flink
@pytest.mark.timeout(900)
@pytest.mark.parametrize("flink", ["1.20.5", "2.3.0"])
def test_fresh_programs_are_read_as_flink_builds_them(flink: str) -> None:
    seed = seed_of("PROGRAMS_SEED") + int(flink[0]) * COUNT
    print(f"seeds {seed} to {seed + COUNT - 1}")
    tally = Tally()
    with started(flink) as jvm:
        wrong = [
            describe(minimised(case, jvm, flink), readings)
            for case, readings in findings(range(seed, seed + COUNT), jvm, flink, tally)
        ]
    print("\n".join(wrong))
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)
    # Ten random programs: one that a rare call leaves open may have most of the operators.
    assert tally.known[Verdict.EXACT] * 10 > tally.known[Verdict.UNDECIDED]


def test_a_seed_gives_the_same_program_every_time() -> None:
    first, second = (ProgramGenerator(7, "1.20.5").program().render() for _ in range(2))
    assert first == second
    assert first != ProgramGenerator(8, "1.20.5").program().render()


def test_shrinking_keeps_only_what_fails() -> None:
    blocks = [Block("a {", [Block("x;"), Block("bug;")], "}"), Block("b;"), Block("kept;", keep=True)]
    program = Program({"f": blocks}, {})
    shrink(program, lambda: "bug" in program.render()["f"])
    assert program.render()["f"].split() == ["bug;", "kept;"]
