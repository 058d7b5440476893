"""A small batch of fresh random snippets."""

import pytest

from tests.referees.java_snippets import Tally, Verdict, describe, judge
from tests.referees.jvm import started
from tests.seeds import seed_of

COUNT = 80


@pytest.mark.flink
@pytest.mark.timeout(600)
def test_fresh_snippets_are_evaluated_as_a_jvm_does() -> None:
    seed = seed_of("SNIPPETS_SEED")
    print(f"seeds {seed} to {seed + COUNT - 1}")
    tally = Tally()
    with started("1.20.5") as jvm:
        wrong = judge(range(seed, seed + COUNT), jvm, tally)
    print("\n".join(map(describe, wrong)))
    assert not wrong, "\n".join(map(describe, wrong))
    # The generator's calls are rarer than those of programs: many may be unknown, not most.
    assert tally.verdicts[Verdict.EQUAL] * 2 > tally.verdicts[Verdict.UNKNOWN]
